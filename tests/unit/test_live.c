/* The time left, and the means of the levels so far. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/log.h"
#include "profiles/live.h"

static void
time_left(void **state)
{
    struct plan_step steps[3] = {{.number = 1, .virtual_users = 1, .repeat = 1},
                                 {.number = 2, .virtual_users = 2, .repeat = 1},
                                 {.number = 3, .virtual_users = 4, .repeat = 1}};
    struct plan plan = {.steps = steps, .count = 3, .step_us = 10000000};
    struct live live;

    (void)state;
    live_init(&live, &plan, "ramp");
    live_step_begin(&live, &steps[0], 0);
    assert_int_equal(live_left_us(&live, 0), 30000000);
    assert_int_equal(live_left_us(&live, 4000000), 26000000);
    assert_int_equal(live_left_us(&live, 14000000), 20000000);
    live_step_begin(&live, &steps[2], 0);
    assert_int_equal(live_left_us(&live, 9000000), 1000000);
    assert_int_equal(live_left_us(&live, 99000000), 0);
}

/* One step of a level of that curve, from 1; its rate is what it committed, the window being a
 * minute. */
static void
end_step_of(struct live *live, int curve, enum txn_type type, int virtual_users, uint64_t committed,
            enum step_status status)
{
    struct step *step = calloc(1, sizeof *step);

    *step = (struct step){.number = 1,
                          .curve = curve,
                          .virtual_users = virtual_users,
                          .status = status,
                          .reason = "",
                          .elapsed_us = 60000000};
    step->mix[type] = 100;
    step->transactions[type].outcomes[OUTCOME_COMMITTED] = committed;
    live_step_end(live, step);
    free(step);
}

static void
end_step(struct live *live, int virtual_users, uint64_t new_orders, enum step_status status)
{
    end_step_of(live, 1, TXN_NEW_ORDER, virtual_users, new_orders, status);
}

static void
means_of_levels(void **state)
{
    struct plan_step steps[1] = {{.number = 1, .virtual_users = 1, .repeat = 1}};
    struct plan plan = {.steps = steps, .count = 1, .step_us = 10000000};
    struct driver_progress progress = {
        .phase = PHASE_MEASURE, .elapsed_us = 5000000, .planned_us = 15000000};
    struct live live;
    struct buf text = {0};

    (void)state;
    log_init(LOG_QUIET);
    live_init(&live, &plan, "ramp");
    live_step_begin(&live, &steps[0], 0);
    live_render(&live, &progress, 65000000, 80, 24, &text);
    assert_null(strstr(buf_text(&text), "NOPM so far"));
    buf_clear(&text);
    end_step(&live, 8, 20000, STEP_COMPLETE);
    end_step(&live, 1, 4000, STEP_COMPLETE);
    end_step(&live, 8, 21001, STEP_COMPLETE);
    end_step(&live, 4, 9, STEP_FAILED);
    live_render(&live, &progress, 65000000, 80, 24, &text);
    assert_non_null(
        strstr(buf_text(&text), "ordermill: ramp, step 1 of 1\n1 virtual user, repeat 1\n"));
    assert_non_null(strstr(buf_text(&text), "] 0:05, 0:10 left\n"));
    assert_non_null(strstr(buf_text(&text), "\n>     1 |########## 4,000\n"));
    assert_non_null(strstr(buf_text(&text),
                           "# 20,500\nlast steps\n  step 1, 4 virtual users: failed: \n"
                           "  step 1: 21,001 NOPM, TOO SHORT"));
    assert_non_null(strstr(buf_text(&text), "step 1: 4,000 NOPM, TOO SHORT"));
    buf_free(&text);
}

/* What a probe counts are calls: TPM, as in the reports. */
static void
probes_have_no_nopm(void **state)
{
    struct plan_step steps[1] = {{.number = 1, .virtual_users = 2, .repeat = 1}};
    struct plan plan = {.steps = steps, .count = 1, .step_us = 10000000};
    struct driver_progress progress = {.phase = PHASE_MEASURE, .nopm = -1, .tpm = 1234};
    struct live live;
    struct buf text = {0};

    (void)state;
    log_init(LOG_QUIET);
    live_init(&live, &plan, "lookups");
    live_step_begin(&live, &steps[0], 0);
    end_step_of(&live, 1, TXN_LOOKUP, 2, 50000, STEP_COMPLETE);
    live_render(&live, &progress, 65000000, 80, 24, &text);
    assert_non_null(strstr(buf_text(&text), "\nnow: 1,234 TPM, 0 failed\n"));
    assert_non_null(strstr(buf_text(&text), "\n  users TPM so far\n>     2 |###"));
    assert_non_null(strstr(buf_text(&text), "# 50,000\n"));
    assert_non_null(strstr(buf_text(&text), "step 1: 50,000 TPM, TOO SHORT"));
    assert_null(strstr(buf_text(&text), "NOPM"));
    buf_free(&text);
}

/* Each curve has its own levels, whatever the order in which steps come; and a run that goes on has
 * those of before. */
static void
curves_are_kept_apart(void **state)
{
    struct plan_step steps[2] = {{.number = 1, .virtual_users = 1, .repeat = 1, .curve = 0},
                                 {.number = 2, .virtual_users = 1, .repeat = 1, .curve = 1}};
    struct plan_curve curves[2] = {{.name = "old"}, {.name = "new"}};
    struct plan plan = {
        .steps = steps, .count = 2, .curves = curves, .curves_count = 2, .step_us = 10000000};
    struct driver_progress progress = {.phase = PHASE_MEASURE};
    struct live live;
    struct buf text = {0};

    (void)state;
    log_init(LOG_QUIET);
    live_init(&live, &plan, "two");
    live_step_begin(&live, &steps[0], 0);
    end_step_of(&live, 1, TXN_NEW_ORDER, 1, 1000, STEP_COMPLETE);
    live_step_begin(&live, &steps[1], 0);
    end_step_of(&live, 2, TXN_NEW_ORDER, 1, 3000, STEP_COMPLETE);
    end_step_of(&live, 1, TXN_NEW_ORDER, 2, 1700, STEP_COMPLETE);
    live.last_count = 0;
    live_render(&live, &progress, 65000000, 80, 24, &text);
    assert_non_null(strstr(buf_text(&text), "# 3,000"));
    assert_null(strstr(buf_text(&text), "1,000"));
    assert_null(strstr(buf_text(&text), "1,700"));
    buf_clear(&text);
    live_step_begin(&live, &steps[0], 0);
    live_render(&live, &progress, 65000000, 80, 24, &text);
    assert_non_null(strstr(buf_text(&text), "# 1,000\n"));
    assert_non_null(strstr(buf_text(&text), "# 1,700"));
    assert_null(strstr(buf_text(&text), "3,000"));
    buf_free(&text);
}

/* Of more levels than there is room for, those of other curves go first, then the lowest. */
static void
the_curve_in_hand_stays(void **state)
{
    struct plan_step steps[1] = {{.number = 1, .virtual_users = 1, .repeat = 1, .curve = 1}};
    struct plan plan = {.steps = steps, .count = 1, .step_us = 10000000};
    struct live live;

    (void)state;
    log_init(LOG_QUIET);
    live_init(&live, &plan, "many");
    live_step_begin(&live, &steps[0], 0);
    for (int i = 1; i <= 10; i++)
        end_step_of(&live, 1, TXN_NEW_ORDER, i, 1, STEP_COMPLETE);
    for (int i = 1; i <= LIVE_LEVELS_MAX + 1; i++)
        end_step_of(&live, 2, TXN_NEW_ORDER, i, 2, STEP_COMPLETE);
    assert_int_equal(live.levels_count, LIVE_LEVELS_MAX);
    for (int i = 0; i < LIVE_LEVELS_MAX; i++) {
        assert_int_equal(live.levels[i].curve, 1);
        assert_int_equal(live.levels[i].virtual_users, i + 2);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_left),
        cmocka_unit_test(means_of_levels),
        cmocka_unit_test(probes_have_no_nopm),
        cmocka_unit_test(curves_are_kept_apart),
        cmocka_unit_test(the_curve_in_hand_stays),
    };
    return cmocka_run_group_tests_name("live", tests, NULL, NULL);
}

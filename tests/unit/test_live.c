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

/* One step of a level; NOPM is its new-orders, the window being a minute. */
static void
end_step(struct live *live, int virtual_users, uint64_t new_orders, enum step_status status)
{
    struct step *step = calloc(1, sizeof *step);

    *step = (struct step){.number = 1,
                          .virtual_users = virtual_users,
                          .status = status,
                          .reason = "",
                          .elapsed_us = 60000000};
    step->transactions[TXN_NEW_ORDER].outcomes[OUTCOME_COMMITTED] = new_orders;
    live_step_end(live, step);
    free(step);
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
                           "  step 1, 8 virtual users: 21,001 NOPM; "));
    assert_non_null(strstr(buf_text(&text), "step 1, 1 virtual user: 4,000 NOPM; "));
    buf_free(&text);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_left),
        cmocka_unit_test(means_of_levels),
    };
    return cmocka_run_group_tests_name("live", tests, NULL, NULL);
}

/* The counters of a worker: what falls into which half, the identity at every flip, the table of
 * errors, and two threads at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "driver/meter.h"

static void
end_one(struct meter *meter, enum txn_type type, enum outcome outcome, int64_t due_us,
        int64_t sent_us, int64_t done_us)
{
    struct txn_input input = {.type = type, .of.new_order.lines_count = 5};
    struct meter_event event = {.input = &input,
                                .outcome = outcome,
                                .due_us = due_us,
                                .first_sent_us = sent_us,
                                .sent_us = sent_us,
                                .done_us = done_us,
                                .committed = outcome == OUTCOME_COMMITTED};

    meter_end(meter, &event);
}

static void
a_flip_parts_before_from_after(void **state)
{
    struct meter *meter = meter_new();

    (void)state;
    for (int i = 0; i < 3; i++)
        meter_start(meter);
    end_one(meter, TXN_NEW_ORDER, OUTCOME_COMMITTED, 100, 110, 150);
    end_one(meter, TXN_NEW_ORDER, OUTCOME_FAILED, 100, 110, 150);
    assert_false(meter_take_request(meter));
    meter_ask(meter, 1000, false);
    assert_false(meter_answered(meter));
    assert_true(meter_take_request(meter));
    assert_false(meter_is_due(meter, 999));
    assert_true(meter_is_due(meter, 1000));
    meter_flip(meter, 1, 4, 0);
    assert_true(meter_answered(meter));
    assert_false(meter_is_due(meter, 1000000));
    end_one(meter, TXN_PAYMENT, OUTCOME_ROLLED_BACK, 100, 110, 1200);

    const struct meter_half *closed = meter_closed(meter);
    const struct txn_stats *stats = &closed->transactions[TXN_NEW_ORDER];
    assert_int_equal(closed->in_flight, 1);
    assert_int_equal(closed->virtual_users, 4);
    assert_int_equal(closed->end_us, 1000);
    assert_int_equal(stats->outcomes[OUTCOME_COMMITTED], 1);
    assert_int_equal(stats->outcomes[OUTCOME_FAILED], 1);
    assert_int_equal(stats->response.count, 1); /* failures have no response time */
    assert_int_equal(stats->response.max_us, 50);
    assert_int_equal(stats->service.max_us, 40);
    assert_int_equal(closed->lag.max_us, 10);
    assert_int_equal(closed->inputs.new_orders, 2);
    assert_int_equal(closed->transactions[TXN_PAYMENT].outcomes[OUTCOME_ROLLED_BACK], 0);
    assert_int_equal(meter->active->transactions[TXN_PAYMENT].outcomes[OUTCOME_ROLLED_BACK], 1);
    assert_int_equal(meter->counted[GROWTH_NEW_ORDERS], 1);
    meter_free(meter);
}

static void
halves_take_turns(void **state)
{
    struct meter *meter = meter_new();

    (void)state;
    for (int flip = 1; flip <= 5; flip++) {
        for (int i = 0; i < flip; i++) {
            meter_start(meter);
            end_one(meter, TXN_DELIVERY, OUTCOME_COMMITTED, 0, 0, 1);
        }
        meter_ask(meter, flip, flip == 5);
        assert_true(meter_take_request(meter));
        assert_int_equal(meter->last, flip == 5);
        meter_flip(meter, 0, 4, 0);
        struct meter_half *half = meter_closed(meter);
        assert_int_equal(half->transactions[TXN_DELIVERY].outcomes[OUTCOME_COMMITTED], flip);
        meter_half_clear(half);
    }
    meter_free(meter);
}

static void
think_times_are_kept_by_the_type_before_them(void **state)
{
    struct meter *meter = meter_new();
    struct meter_half *sum = must_calloc(1, sizeof *sum);

    (void)state;
    meter_think(meter, TXN_NEW_ORDER, 12000000);
    meter_think(meter, TXN_DELIVERY, 5000000);
    meter_think(meter, TXN_DELIVERY, 7000000);
    meter_half_merge(sum, meter->active);
    meter_half_merge(sum, meter->active);
    assert_int_equal(sum->pace.think[TXN_NEW_ORDER].count, 2);
    assert_int_equal(sum->pace.think[TXN_DELIVERY].count, 4);
    assert_int_equal(sum->pace.think[TXN_DELIVERY].max_us, 7000000);
    assert_int_equal(sum->pace.think[TXN_PAYMENT].count, 0);
    meter_half_clear(sum);
    assert_int_equal(sum->pace.think[TXN_DELIVERY].count, 0);
    free(sum);
    meter_free(meter);
}

/* Whether the process that runs `body` ends by abort. */
static bool
aborts(void (*body)(void))
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        fclose(stderr);
        body();
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void
flip_with_one_forgotten(void)
{
    struct meter *meter = meter_new();

    meter_start(meter);
    meter_ask(meter, 1, false);
    (void)meter_take_request(meter);
    meter_flip(meter, 0, 4, 0); /* the sessions say that nothing is in flight */
}

static void
flip_with_one_counted_twice(void)
{
    struct meter *meter = meter_new();

    meter_start(meter);
    end_one(meter, TXN_PAYMENT, OUTCOME_COMMITTED, 0, 0, 1);
    end_one(meter, TXN_PAYMENT, OUTCOME_COMMITTED, 0, 0, 1);
}

static void
a_broken_identity_ends_the_process(void **state)
{
    (void)state;
    assert_true(aborts(flip_with_one_forgotten));
    assert_true(aborts(flip_with_one_counted_twice));
}

static void
errors_are_counted_by_sqlstate(void **state)
{
    struct meter *meter = meter_new();

    (void)state;
    meter_error(meter, "40001", "first");
    meter_error(meter, "40P01", "deadlock");
    meter_error(meter, "40001", "second");
    assert_int_equal(meter->active->errors_count, 2);
    assert_string_equal(meter->active->errors[0].sqlstate, "40001");
    assert_string_equal(meter->active->errors[0].message, "first");
    assert_int_equal(meter->active->errors[0].count, 2);
    meter_free(meter);
}

static void
too_many_kinds_of_errors_share_the_last_place(void **state)
{
    struct meter *meter = meter_new();
    uint64_t sum = 0;

    (void)state;
    for (int i = 0; i < 100; i++) {
        char sqlstate[6];
        snprintf(sqlstate, sizeof sqlstate, "X%04d", i);
        meter_error(meter, sqlstate, "x");
    }
    assert_int_equal(meter->active->errors_count, ERROR_KINDS_MAX);
    assert_string_equal(meter->active->errors[ERROR_KINDS_MAX - 1].sqlstate, "other");
    for (int i = 0; i < ERROR_KINDS_MAX; i++)
        sum += meter->active->errors[i].count;
    assert_int_equal(sum, 100);
    meter_free(meter);
}

static void
halves_add_up(void **state)
{
    struct meter *a = meter_new(), *b = meter_new();

    (void)state;
    meter_start(a);
    end_one(a, TXN_NEW_ORDER, OUTCOME_COMMITTED, 0, 0, 10);
    meter_error(a, "40001", "here");
    meter_retry(a, TXN_NEW_ORDER);
    meter_start(b);
    end_one(b, TXN_NEW_ORDER, OUTCOME_COMMITTED, 0, 0, 30);
    meter_error(b, "40001", "there");
    meter_error(b, "57014", "cancelled");
    meter_half_merge(a->active, b->active);
    const struct txn_stats *stats = &a->active->transactions[TXN_NEW_ORDER];
    assert_int_equal(stats->outcomes[OUTCOME_COMMITTED], 2);
    assert_int_equal(stats->retries, 1);
    assert_int_equal(stats->response.sum_us, 40);
    assert_int_equal(a->active->inputs.lines_per_order[5], 2);
    assert_int_equal(a->active->errors_count, 2);
    assert_int_equal(a->active->errors[0].count, 2);
    assert_string_equal(a->active->errors[0].message, "here");
    meter_free(a);
    meter_free(b);
}

enum { THREAD_FLIPS = 200 };

/* A worker that counts as fast as it can and flips when asked. */
static void *
count_until_last(void *argument)
{
    struct meter *meter = argument;

    for (int64_t now_us = 0;; now_us++) {
        (void)meter_take_request(meter);
        if (meter_is_due(meter, now_us)) {
            bool last = meter->last;
            meter_flip(meter, 0, 4, 0);
            if (last)
                return NULL;
        }
        meter_start(meter);
        end_one(meter, TXN_PAYMENT, OUTCOME_COMMITTED, now_us, now_us, now_us);
    }
}

static void
a_collector_in_another_thread_misses_nothing(void **state)
{
    struct meter *meter = meter_new();
    pthread_t thread;
    uint64_t collected = 0;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, count_until_last, meter), 0);
    for (int flip = 1; flip <= THREAD_FLIPS; flip++) {
        meter_ask(meter, 0, flip == THREAD_FLIPS);
        while (!meter_answered(meter))
            usleep(10);
        struct meter_half *half = meter_closed(meter);
        collected += half->transactions[TXN_PAYMENT].outcomes[OUTCOME_COMMITTED];
        meter_half_clear(half);
    }
    pthread_join(thread, NULL);
    assert_true(collected > 0);
    assert_int_equal(collected, meter->started);
    meter_free(meter);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flip_parts_before_from_after),
        cmocka_unit_test(halves_take_turns),
        cmocka_unit_test(think_times_are_kept_by_the_type_before_them),
        cmocka_unit_test(a_broken_identity_ends_the_process),
        cmocka_unit_test(errors_are_counted_by_sqlstate),
        cmocka_unit_test(too_many_kinds_of_errors_share_the_last_place),
        cmocka_unit_test(halves_add_up),
        cmocka_unit_test(a_collector_in_another_thread_misses_nothing),
    };

    return cmocka_run_group_tests_name("meter", tests, NULL, NULL);
}

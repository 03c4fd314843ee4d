/* The time of arrival of tasks, against ways of working them off that are simulated here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "common/rng.h"
#include "loader/schedule.h"

#define SECOND INT64_C(1000000)
#define STEP   (SECOND / 10)

enum { TASKS_MAX = 200, WORKERS_MAX = 8 };

/* Tasks that take these times when worked off in order, each worker taking the next. */
struct work {
    int count, workers;
    int64_t lasts_us[TASKS_MAX];
    int64_t begins_us[TASKS_MAX], ends_us[TASKS_MAX];
    int64_t all_us;
};

static void
plan(struct work *work)
{
    int64_t free_us[WORKERS_MAX] = {0};

    work->all_us = 0;
    for (int i = 0; i < work->count; i++) {
        int first = 0;
        for (int k = 1; k < work->workers; k++)
            first = free_us[k] < free_us[first] ? k : first;
        work->begins_us[i] = free_us[first];
        free_us[first] += work->lasts_us[i];
        work->ends_us[i] = free_us[first];
        work->all_us = free_us[first] > work->all_us ? free_us[first] : work->all_us;
    }
}

/* What the server tells of a task when so much of its time has passed; false: nothing. */
typedef bool teller(double passed, double *low, double *high);

static bool
nothing(double passed, double *low, double *high)
{
    (void)passed;
    (void)low;
    (void)high;
    return false;
}

static bool
all(double passed, double *low, double *high)
{
    *low = *high = passed;
    return true;
}

/* As of an index: of the middle it only knows that it has begun. */
static bool
but_the_middle(double passed, double *low, double *high)
{
    bool unseen = passed >= 0.4 && passed < 0.75;

    *low = unseen ? 0.4 : passed;
    *high = unseen ? 0.75 : passed;
    return true;
}

/* As of foreign keys: that the first is there, and not how far the other is. */
static bool
its_first_part(double passed, double *low, double *high)
{
    *low = 0.2;
    *high = 1;
    return passed >= 0.2;
}

static void
move_on(struct schedule *schedule, const struct work *work, teller *tell, int64_t from_us,
        int64_t now_us)
{
    double low, high;

    for (int i = 0; i < work->count; i++) {
        if (work->begins_us[i] > from_us && work->begins_us[i] <= now_us)
            schedule_begin(schedule, i, work->begins_us[i]);
        if (work->ends_us[i] > from_us && work->ends_us[i] <= now_us)
            schedule_end(schedule, i, work->ends_us[i]);
        if (!schedule_is_running(schedule, i))
            continue;
        if (tell((double)(now_us - work->begins_us[i]) / (double)work->lasts_us[i], &low, &high))
            schedule_note(schedule, i, now_us, low, high);
    }
    schedule_look(schedule, now_us);
}

/* Works it off, the weights being as given. Returns the largest error of the whole time foretold,
 * as a share of it, from this share of the time on; and sees that what is done never falls. */
static double
largest_error(const struct work *work, const double *weights, teller *tell, double from)
{
    struct schedule *schedule = schedule_new(work->count, work->workers, weights);
    double largest = 0, before = 0;
    int64_t left_us;

    for (int i = 0; i < work->count; i++)
        if (work->begins_us[i] == 0)
            schedule_begin(schedule, i, 0);
    for (int64_t now_us = STEP; now_us < work->all_us; now_us += STEP) {
        move_on(schedule, work, tell, now_us - STEP, now_us);
        assert_true(schedule_done(schedule) >= before);
        assert_true(schedule_done(schedule) <= 1.0000001);
        before = schedule_done(schedule);
        if ((double)now_us < from * (double)work->all_us)
            continue;
        if (!schedule_left_us(schedule, &left_us))
            largest = INFINITY;
        else
            largest = fmax(largest, fabs((double)(now_us + left_us) / (double)work->all_us - 1));
    }
    schedule_free(schedule);
    return largest;
}

static void
set_work(struct work *work, double *weights, int workers, int count, const int *lasts_s)
{
    *work = (struct work){.count = count, .workers = workers};
    for (int i = 0; i < count; i++) {
        work->lasts_us[i] = lasts_s[i] * SECOND;
        weights[i] = 3.5 * lasts_s[i]; /* in any unit */
    }
    plan(work);
}

static void
one_task_that_the_server_tells_of(void **state)
{
    struct work work;
    double weights[TASKS_MAX];

    (void)state;
    set_work(&work, weights, 1, 1, (int[]){40});
    assert_true(largest_error(&work, weights, all, 0.05) < 0.05);
    assert_true(largest_error(&work, weights, but_the_middle, 0.05) < 0.05);
    /* All but the last twentieth, which the clock alone may not take for done. */
    assert_true(largest_error(&work, weights, its_first_part, 0.25) < 0.05);
    /* Nobody knows, before it has ended. */
    assert_true(isinf(largest_error(&work, weights, nothing, 0.99)));
}

static void
a_large_task_at_the_end_is_foreseen(void **state)
{
    struct work work;
    double weights[TASKS_MAX];

    (void)state;
    /* Two workers: 10 and 10 s, then 50 s of one of them, while the other is idle. By the work that
     * is done the first 10 s would foretell 35 s in all. */
    set_work(&work, weights, 2, 3, (int[]){10, 10, 50});
    assert_int_equal(work.all_us, 60 * SECOND);
    assert_true(largest_error(&work, weights, nothing, 0.25) < 0.05);
    assert_true(largest_error(&work, weights, all, 0.05) < 0.05);
}

static void
a_clock_that_runs_over_is_not_believed(void **state)
{
    struct schedule *schedule = schedule_new(2, 1, (double[]){1, 1});
    int64_t left_us;

    (void)state;
    schedule_begin(schedule, 0, 0);
    schedule_look(schedule, 10 * SECOND);
    assert_false(schedule_left_us(schedule, &left_us));
    schedule_end(schedule, 0, 10 * SECOND);
    schedule_begin(schedule, 1, 10 * SECOND);
    schedule_look(schedule, 10 * SECOND);
    schedule_look(schedule, 15 * SECOND);
    assert_true(schedule_left_us(schedule, &left_us));
    assert_in_range(left_us, 4 * SECOND, 6 * SECOND);
    schedule_look(schedule, 100 * SECOND);
    assert_true(schedule_done(schedule) < 0.98); /* it has not ended */
    schedule_free(schedule);
}

/* Weights that are wrong by up to 15 % for each task, any number of workers, any sizes. */
static void
any_tasks_are_foretold_within_a_fifth(void **state)
{
    static teller *const tellers[] = {all, but_the_middle};
    struct rng rng;

    (void)state;
    rng_seed(&rng, 7, 1, 1);
    for (int round = 0; round < 60; round++) {
        struct work work = {.count = (int)rng_range(&rng, 1, TASKS_MAX),
                            .workers = (int)rng_range(&rng, 1, WORKERS_MAX)};
        double weights[TASKS_MAX];

        for (int i = 0; i < work.count; i++) {
            work.lasts_us[i] = rng_range(&rng, 1, 60) * rng_range(&rng, 1, 20) * SECOND / 4;
            weights[i] = (double)work.lasts_us[i] * (double)rng_range(&rng, 85, 115) / 100;
        }
        plan(&work);
        double error = largest_error(&work, weights, tellers[round % 2], 0.25);
        if (error > 0.2)
            fail_msg("round %d: %d tasks, %d workers: off by %.0f %%", round, work.count,
                     work.workers, 100 * error);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_task_that_the_server_tells_of),
        cmocka_unit_test(a_large_task_at_the_end_is_foreseen),
        cmocka_unit_test(a_clock_that_runs_over_is_not_believed),
        cmocka_unit_test(any_tasks_are_foretold_within_a_fifth),
    };
    return cmocka_run_group_tests_name("schedule", tests, NULL, NULL);
}

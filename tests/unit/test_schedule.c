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

/* Tasks that take these times of one core when worked off in order, each worker taking the next.
 * Here there is a core for each worker, so that nobody waits for anybody. */
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

/* Each task has parts of these shares of its time. */
static const double shares[] = {0.4, 0.35, 0.25};
enum { PARTS = 3 };

/* What the server tells of a task when so much of its time has passed; false: nothing. */
typedef bool teller(double passed, int *part, double *done);

static bool
nothing(double passed, int *part, double *done)
{
    (void)passed;
    (void)part;
    (void)done;
    return false;
}

static bool
all(double passed, int *part, double *done)
{
    for (*part = 0; *part + 1 < PARTS && passed >= shares[*part]; ++*part)
        passed -= shares[*part];
    *done = passed / shares[*part];
    return true;
}

/* As of an index: of the middle it only knows that it has begun. */
static bool
but_the_middle(double passed, int *part, double *done)
{
    all(passed, part, done);
    *done = *part == 1 ? 0 : *done;
    return true;
}

/* As of foreign keys: which part it is at, and not how far it is. */
static bool
its_part(double passed, int *part, double *done)
{
    all(passed, part, done);
    *done = 0;
    return true;
}

static void
move_on(struct schedule *schedule, const struct work *work, teller *tell, int64_t from_us,
        int64_t now_us)
{
    double done;
    int part;

    for (int i = 0; i < work->count; i++)
        if (work->ends_us[i] > from_us && work->ends_us[i] <= now_us &&
            schedule_is_running(schedule, i))
            schedule_end(schedule, i, now_us);
    for (int i = 0; i < work->count; i++) {
        if (work->begins_us[i] > from_us && work->begins_us[i] <= now_us)
            schedule_begin(schedule, i, now_us);
        if (work->ends_us[i] <= now_us && schedule_is_running(schedule, i))
            schedule_end(schedule, i, now_us);
        if (!schedule_is_running(schedule, i))
            continue;
        if (tell((double)(now_us - work->begins_us[i]) / (double)work->lasts_us[i], &part, &done))
            schedule_note(schedule, i, now_us, part, done);
    }
    schedule_look(schedule, now_us);
}

/* A schedule of tasks of three parts each, of which the weights are given. */
struct model {
    struct schedule_part parts[TASKS_MAX][PARTS];
    struct schedule_task tasks[TASKS_MAX];
};

static struct schedule *
model_schedule(struct model *model, int count, int workers, int cores, int width,
               const double *weights)
{
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < PARTS; k++)
            model->parts[i][k] = (struct schedule_part){weights[i] * shares[k], width};
        model->tasks[i] = (struct schedule_task){model->parts[i], PARTS};
    }
    return schedule_new(count, workers, cores, model->tasks);
}

/* Works it off, the weights being as given. Returns the largest error of the whole time foretold,
 * as a share of it, from this share of the time on; and sees that what is done never falls. */
static double
largest_error(const struct work *work, const double *weights, teller *tell, double from)
{
    static struct model model;
    struct schedule *schedule =
        model_schedule(&model, work->count, work->workers, work->workers, 1, weights);
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
    /* Of a part the clock alone does not take the last twentieth for done. */
    assert_true(largest_error(&work, weights, its_part, 0.45) < 0.05);
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
    static struct model model;
    struct schedule *schedule = model_schedule(&model, 2, 1, 1, 1, (double[]){1, 1});
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

/* Two tasks of 10 s of one core each, for two workers on two cores, each able to use three: 10 s
 * each beside each other, but the second has both cores when the first has ended. */
static void
who_is_left_has_the_cores(void **state)
{
    static const struct schedule_part parts[] = {{10, 3}, {10, 3}, {20, 1}};
    static const struct schedule_task tasks[] = {{parts, 1}, {parts, 2}, {parts + 2, 1}};
    struct schedule *schedule = schedule_new(2, 2, 2, tasks);
    int64_t left_us;

    (void)state;
    schedule_begin(schedule, 0, 0);
    schedule_begin(schedule, 1, 0);
    schedule_note(schedule, 0, 5 * SECOND, 0, 0.5);
    schedule_note(schedule, 1, 5 * SECOND, 0, 0.5);
    schedule_look(schedule, 5 * SECOND);
    assert_true(schedule_left_us(schedule, &left_us));
    assert_in_range(left_us, 10 * SECOND - 1000, 10 * SECOND + 1000); /* 5 and then 5 of both */
    schedule_free(schedule);

    /* A part that is narrow leaves the second core to the other. */
    schedule = schedule_new(2, 2, 2, tasks + 1);
    schedule_begin(schedule, 0, 0);
    schedule_begin(schedule, 1, 0);
    schedule_note(schedule, 0, 5 * SECOND, 0, 0.5);
    schedule_note(schedule, 1, 5 * SECOND, 0, 0.25);
    schedule_look(schedule, 5 * SECOND);
    assert_true(schedule_left_us(schedule, &left_us));
    assert_in_range(left_us, 15 * SECOND - 1000, 15 * SECOND + 1000);
    schedule_free(schedule);

    /* More workers than cores: 4 x 10 s on two cores. */
    static const struct schedule_task four[] = {{parts, 1}, {parts, 1}, {parts, 1}, {parts, 1}};
    schedule = schedule_new(4, 4, 2, four);
    for (int i = 0; i < 4; i++)
        schedule_begin(schedule, i, 0);
    for (int i = 0; i < 4; i++)
        schedule_note(schedule, i, 5 * SECOND, 0, 0.25);
    schedule_look(schedule, 5 * SECOND);
    assert_true(schedule_left_us(schedule, &left_us));
    assert_in_range(left_us, 15 * SECOND - 1000, 15 * SECOND + 1000);
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
        cmocka_unit_test(who_is_left_has_the_cores),
        cmocka_unit_test(any_tasks_are_foretold_within_a_fifth),
    };
    return cmocka_run_group_tests_name("schedule", tests, NULL, NULL);
}

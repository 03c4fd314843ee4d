/* Nothing is allocated on the way of a transaction: two million of them through a worker and its
 * scripted sessions, and every input made into every form that is sent. Calls of malloc and its
 * kin from the kit's own code are counted (the linker's --wrap); so is the memory of the process.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "driver/call.h"
#include "driver/direct.h"
#include "driver/worker.h"
#include "tests/scripted/session.h"
#include "tests/unit/simulated.h"

#define SECOND_US INT64_C(1000000)

/* A sanitizer keeps books on memory in memory of its own, which grows with what is touched. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SHADOW_MEMORY true
#else
#define SHADOW_MEMORY false
#endif

/* --- what is counted -------------------------------------------------------------------------- */

static uint64_t allocations;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

void *
__wrap_malloc(size_t size)
{
    allocations++;
    return __real_malloc(size);
}

void *
__wrap_calloc(size_t count, size_t size)
{
    allocations++;
    return __real_calloc(count, size);
}

void *
__wrap_realloc(void *memory, size_t size)
{
    allocations++;
    return __real_realloc(memory, size);
}

static long
resident_pages(void)
{
    long size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    assert_non_null(file);
    assert_int_equal(fscanf(file, "%ld %ld", &size, &resident), 2);
    fclose(file);
    return resident;
}

/* So that a count of none means something. */
static void
allocations_are_counted(void **state)
{
    uint64_t before = allocations;
    (void)state;

    free(must_malloc(1));
    free(must_calloc(1, 1));
    free(must_realloc(NULL, 1));
    assert_int_equal(allocations - before, 3);
}

/* --- a worker --------------------------------------------------------------------------------- */

/* Turns until that time, a flip for each second as the crew asks for them; how many ended. */
static uint64_t
run_until(struct worker *worker, struct meter_half *sum, int64_t end_us)
{
    uint64_t ended = 0;

    for (int64_t at_us = simulated_us + SECOND_US; at_us <= end_us; at_us += SECOND_US) {
        worker_ask(worker, at_us, false);
        while (!meter_answered(worker_meter(worker)))
            worker_turn(worker);
        struct meter_half *half = meter_closed(worker_meter(worker));
        for (int type = 0; type < TXN_TYPES; type++)
            ended += half->transactions[type].outcomes[OUTCOME_COMMITTED];
        meter_half_merge(sum, half);
        meter_half_clear(half);
    }
    return ended;
}

/* Records of deferred deliveries are taken as the crew does. */
static void
take_records(struct worker *worker)
{
    struct deferred_record record;

    while (worker_deferred(worker) && deferred_take(worker_deferred(worker), INT64_MAX, &record))
        ;
}

static void
run_worker(const struct desk_rules *desk, int sessions, int deliverers, uint64_t transactions,
           long pages_max)
{
    struct err err;
    struct session_rules of_sessions = {0};
    struct meter_half *sum = must_calloc(1, sizeof *sum);
    uint64_t ended = 0;

    simulated_us = 0;
    session_script = (struct session_script){0};
    struct loop *wake = loop_new(&simulated_clock, &err);
    struct worker_rules rules = {.desk = desk,
                                 .sessions = &of_sessions,
                                 .sessions_count = sessions,
                                 .deliverers_count = deliverers,
                                 .clock = &simulated_clock,
                                 .wake = wake};
    struct worker *worker = worker_new(&rules, 0, 1, &err);
    assert_non_null(worker);
    (void)run_until(worker, sum, 20 * SECOND_US); /* connects; touches every page */
    take_records(worker);
    uint64_t before = allocations;
    long pages = resident_pages();
    while (ended < transactions) {
        ended += run_until(worker, sum, simulated_us + 10 * SECOND_US);
        take_records(worker);
    }
    /* resident_pages itself opened a file, which is not the kit's doing. */
    assert_int_equal(allocations - before, 0);
    assert_true(SHADOW_MEMORY || resident_pages() - pages < pages_max);
    worker_join(worker);
    worker_free(worker);
    loop_free(wake);
    free(sum);
}

static void
two_million_transactions_of_virtual_users_allocate_nothing(void **state)
{
    struct terminal_rules terminals = {.warehouses = 10, .constants = {100, 500, 5000}};
    struct desk_rules desk = {.terminals = &terminals, .count = 16, .seed = 42};
    (void)state;

    memcpy(terminals.mix, mix_standard, sizeof terminals.mix);
    run_worker(&desk, 16, 0, 2000000, 64);
}

/* A ring's pages count from the day on which its end is first reached. */
#define RING_PAGES                                                                                 \
    (64 + (long)(DEFERRED_RECORDS_MAX * sizeof(struct deferred_record) +                           \
                 DEFERRED_QUEUE_MAX * sizeof(struct deferred_delivery)) /                          \
              4096)

static void
nor_do_paced_terminals_an_open_load_and_deferred_deliveries(void **state)
{
    struct terminal_rules terminals = {.warehouses = 100, .constants = {100, 500, 5000}};
    struct desk_rules desk = {
        .terminals = &terminals, .count = 1000, .seed = 42, .pacing = 0.05, .defers = true};
    (void)state;

    memcpy(terminals.mix, mix_deck, sizeof terminals.mix);
    run_worker(&desk, 50, 2, 200000, RING_PAGES);
    desk.pacing = 0;
    desk.arrivals = ARRIVALS_POISSON;
    desk.rate_per_minute = 60000;
    run_worker(&desk, 50, 2, 200000, RING_PAGES);
}

/* --- what is sent ----------------------------------------------------------------------------- */

static void
encode_all(const struct call_rules *rules, enum request_format format, uint64_t seed)
{
    static struct call call;
    static char sql[REQUEST_SQL_MAX];
    struct terminal_rules terminals = {.warehouses = 10, .constants = {100, 500, 5000}};
    struct terminal terminal;
    struct txn_input input;

    memcpy(terminals.mix, mix_standard, sizeof terminals.mix);
    terminal_init(&terminal, &terminals, seed, 0);
    for (int i = 0; i < 10000; i++) {
        input.type = terminal_deal(&terminal, &terminals);
        terminal_enter(&terminal, &terminals, &input);
        call_begin(&call, rules, &input);
        if (rules->mode == CALL_STATEMENTS) {
            for (int trips = 0; trips < 2; trips++)
                while (statements_next(&call.cursor, &input, rules->statements, &call.request,
                                       format) != STATEMENTS)
                    ;
            continue;
        }
        request_begin(&call.request, format, &rules->statements[input.type]);
        txn_encode(&call.request, &input);
        if (format == REQUEST_LITERALS)
            request_write_sql(&call.request, sql);
    }
}

static void
no_form_of_a_call_allocates(void **state)
{
    static const char *const calls[] = {"functions", "procedures", "statements"};
    struct arena arena = {0};
    (void)state;

    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        struct driver_options options = {
            .call = calls[i], .protocol = "prepared", .schema = "ordermill"};
        struct call_rules *rules = must_calloc(1, sizeof *rules);
        call_rules_init(rules, &arena, &options);
        uint64_t before = allocations;
        encode_all(rules, REQUEST_NAMED, i);
        encode_all(rules, REQUEST_CARRIED, i);
        if (rules->mode != CALL_STATEMENTS)
            encode_all(rules, REQUEST_LITERALS, i);
        assert_int_equal(allocations - before, 0);
        free(rules);
    }
    arena_free(&arena);
}

/* Whole, and in two pieces, so that something has to be kept. */
static void
nor_does_a_call_past_libpq(void **state)
{
    static const char answer[] = "2\0\0\0\4D\0\0\0\x0e\0\1\0\0\0\4\0\0\0\7"
                                 "C\0\0\0\x0dSELECT 1\0Z\0\0\0\5I";
    const size_t size = sizeof answer - 1;
    const struct driver_options options = {
        .call = "functions", .protocol = "prepared", .schema = "ordermill"};
    struct txn_input input = {.type = TXN_NULL, .of.probe.warehouse = 7};
    static struct call_rules rules;
    static struct call call;
    static struct direct direct;
    struct arena arena = {0};
    const char *from;
    struct err err;
    (void)state;

    call_rules_init(&rules, &arena, &options);
    direct_begin(&direct);
    uint64_t before = allocations;
    for (size_t i = 0; i < 100000; i++) {
        size_t cut = 1 + i % size;
        call_begin(&call, &rules, &input);
        direct_ask(&direct, call_encode(&call));
        direct_was_sent(&direct, direct_unsent(&direct, &from));
        enum direct_state last = direct_take(&direct, answer, cut, &err);
        if (cut < size)
            last = direct_take(&direct, answer + cut, size - cut, &err);
        assert_int_equal(last, DIRECT_ANSWERED);
        call_take_answer(&call, &direct.answer);
        assert_int_equal(call.end.outcome, OUTCOME_COMMITTED);
    }
    assert_int_equal(allocations - before, 0);
    arena_free(&arena);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_are_counted),
        cmocka_unit_test(two_million_transactions_of_virtual_users_allocate_nothing),
        cmocka_unit_test(nor_do_paced_terminals_an_open_load_and_deferred_deliveries),
        cmocka_unit_test(no_form_of_a_call_allocates),
        cmocka_unit_test(nor_does_a_call_past_libpq),
    };

    return cmocka_run_group_tests_name("allocations", tests, NULL, NULL);
}

/* The documents that scripts rely on, word for word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/result_json.h"

static const char *const no_times =
    "{\"mean\":0.0,\"p50\":0,\"p90\":0,\"p95\":0,\"p99\":0,\"p999\":0,\"max\":0}";

/* Blanks outside strings are the writer's own affair. */
static void
squeeze(struct buf *buf)
{
    size_t out = 0;
    bool quoted = false;

    for (size_t i = 0; i < buf->length; i++) {
        char c = buf->data[i];
        if (c == '"' && (i == 0 || buf->data[i - 1] != '\\'))
            quoted = !quoted;
        if (quoted || (c != ' ' && c != '\n'))
            buf->data[out++] = c;
    }
    buf->length = out;
    buf->data[out] = '\0';
}

static void
document(struct buf *out, const struct step *step, const struct check_result *check)
{
    struct json json;

    json_begin(&json, out);
    if (step)
        result_json_step(&json, NULL, NULL, step);
    else
        result_json_check(&json, NULL, check);
    json_end(&json);
    squeeze(out);
}

static void
idle_type(struct buf *expected, const char *name)
{
    buf_printf(expected,
               ",\"%s\":{\"committed\":0,\"rolled_back\":0,\"failed\":0,\"lost\":0,\"retries\":0,"
               "\"response_us\":%s,\"service_us\":%s,"
               "\"response_distribution\":{\"interval_us\":0,\"counts\":[],\"beyond\":0}}",
               name, no_times, no_times);
}

#define LOAD_JSON                                                                                  \
    "\"load\":{\"sessions\":4,\"pacing\":0.000,"                                                   \
    "\"home\":\"any\",\"arrivals\":\"regular\",\"rate_per_minute\":7,"                             \
    "\"efficiency\":null,\"queue_us\":{\"mean\":25.0,\"p50\":25,\"p90\":25,"                       \
    "\"p95\":25,\"p99\":25,\"p999\":25,\"max\":25},\"waiting\":2,"                                 \
    "\"waiting_most\":5,\"skipped\":1,\"home_new_orders\":{\"least\":3,\"median\":0,\"most\":9,"   \
    "\"even\":true},"                                                                              \
    "\"keying_s_mean\":{\"new_order\":18.000,\"payment\":0.000,"                                   \
    "\"order_status\":0.000,\"delivery\":0.000,\"stock_level\":0.000},"                            \
    "\"think_s_mean\":{\"new_order\":0.000,\"payment\":0.000,"                                     \
    "\"order_status\":0.000,\"delivery\":0.000,\"stock_level\":2.500},"                            \
    "\"think_distribution\":{\"stock_level\":{\"interval_us\":250000,\"counts\":["                 \
    "0,0,0,0,0,0,0,0,0,1,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0],"            \
    "\"beyond\":0}}},\"deferred_delivery\":null,"

static void
fill_load(struct step *step)
{
    step->sessions = 4;
    step->home = HOME_ANY;
    step->arrivals = ARRIVALS_REGULAR;
    step->rate_per_minute = 7;
    step->pace.keyings[TXN_NEW_ORDER] = 2;
    step->pace.keying_us[TXN_NEW_ORDER] = 36000000;
    step->pace.thinks[TXN_STOCK_LEVEL] = 2;
    step->pace.think_us[TXN_STOCK_LEVEL] = 5000000;
    hist_record(&step->pace.think[TXN_STOCK_LEVEL], 2400000);
    hist_record(&step->pace.think[TXN_STOCK_LEVEL], 2600000);
    step->waiting = 2;
    step->waiting_most = 5;
    step->skipped = 1;
    step->home_new_orders_least = 3;
    step->home_new_orders_most = 9;
}

/* 120 new-orders committed and one rolled back in 60.000412 s: 119.999 a minute. */
static void
fill_small_step(struct step *step)
{
    *step = (struct step){.number = 1,
                          .virtual_users = 8,
                          .threads = 2,
                          .warehouses = 10,
                          .repeat = 1,
                          .seed = 42,
                          .transactions = {{.outcomes = {120, 1}, .retries = 6}},
                          .mix = {100, 0, 0, 0, 0},
                          .mix_name = "100,0,0,0,0",
                          .procedures = "default",
                          .call = "functions",
                          .protocol = "prepared",
                          .isolation = "read committed",
                          .reason = "",
                          .started_wall_us = INT64_C(1772366400000000),
                          .ramp_up_us = 10000000,
                          .measure_us = 60000000,
                          .elapsed_us = 60000412,
                          .failed_share_max = 0.01,
                          .unfinished = 8,
                          .counted[GROWTH_NEW_ORDERS] = 150,
                          .grown[GROWTH_NEW_ORDERS] = 150,
                          .counted[GROWTH_ORDER_LINES] = 1500,
                          .uncertain[GROWTH_ORDER_LINES] = 15,
                          .grown[GROWTH_ORDER_LINES] = 1510,
                          .grown[GROWTH_REMOTE_LINES] = -1,
                          .stock_quantity_min = 10,
                          .stock_quantity_max = 100,
                          .client_user_us = 1000,
                          .client_system_us = 210,
                          .client_cores = 4,
                          .client_wait_us = 125000,
                          .client_busy_percent = 55.5,
                          .client_steal_percent = -1,
                          .rtt_before_us = 71,
                          .rtt_after_us = -1,
                          .sessions_left_named = "",
                          .errors = {{"40P01", "deadlock detected", 2},
                                     {"40001", "could not serialize", 1},
                                     {"40P01", "deadlock \"again\"", 3}},
                          .errors_count = 3};
}

static void
small_step(void **state)
{
    static struct step step;
    struct buf found = {0}, expected = {0};
    (void)state;

    fill_small_step(&step);
    fill_load(&step);
    struct txn_stats *stats = &step.transactions[TXN_NEW_ORDER];
    for (int i = 0; i < 121; i++) {
        hist_record(&stats->response, 100);
        hist_record(&stats->service, 90);
        hist_record(&step.lag, 10);
        hist_record(&step.queue, 25);
    }
    document(&found, &step, NULL);
    buf_puts(&expected,
             "{\"nopm\":120.0,\"tpm\":121.0,\"elapsed_s\":60.000412,\"virtual_users\":8,"
             "\"warehouses\":10,\"threads\":2,\"seed\":42,\"mix\":[100,0,0,0,0],"
             "\"mix_name\":\"100,0,0,0,0\","
             "\"procedures\":\"default\",\"call\":\"functions\",\"protocol\":\"prepared\","
             "\"isolation\":\"read committed\",\"status\":\"complete\",\"reason\":\"\","
             "\"started_at\":\"2026-03-01T12:00:00Z\",\"ramp_up_s\":10.000000,"
             "\"measure_s\":60.000000,\"max_error_share\":0.01000,\"transactions_max\":null,"
             "\"cut_by_transactions\":false," LOAD_JSON
             "\"transactions\":{\"new_order\":{\"committed\":120,"
             "\"rolled_back\":1,\"failed\":0,\"lost\":0,\"retries\":6,\"response_us\":{"
             "\"mean\":100.0,\"p50\":100,\"p90\":100,\"p95\":100,\"p99\":100,\"p999\":100,"
             "\"max\":100},\"service_us\":{\"mean\":90.0,\"p50\":90,\"p90\":90,\"p95\":90,"
             "\"p99\":90,\"p999\":90,\"max\":90},\"response_distribution\":{\"interval_us\":10,"
             "\"counts\":[0,0,0,0,0,0,0,0,0,0,121,0,0,0,0,0,0,0,0,0," /* 100 to 109 us */
             "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0],\"beyond\":0}}");
    idle_type(&expected, "payment");
    idle_type(&expected, "order_status");
    idle_type(&expected, "delivery");
    idle_type(&expected, "stock_level");
    buf_puts(&expected,
             "},\"inputs\":{\"new_orders\":0,\"rollbacks_intended\":0,\"order_lines\":0,"
             "\"remote_lines\":0,\"lines_per_order\":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0],"
             "\"payments\":0,\"payments_remote\":0,\"payments_by_name\":0,\"order_status\":0,"
             "\"order_status_by_name\":0,\"deliveries\":0,\"districts_skipped\":0,"
             "\"deliveries_skipping\":0},"
             "\"errors\":{\"40P01\":5,\"40001\":1},\"unfinished\":8,\"virtual_users_lost\":0,"
             "\"connections_lost\":0,\"outages\":[],"
             "\"sessions_left\":0,\"sessions_left_named\":\"\","
             "\"new_orders_driver\":150,\"new_orders_database\":150,\"growth\":{"
             "\"new_orders\":{\"driver\":150,\"uncertain\":0,\"database\":150},"
             "\"order_lines\":{\"driver\":1500,\"uncertain\":15,\"database\":1510},"
             "\"remote_lines\":{\"driver\":0,\"uncertain\":0,\"database\":null},"
             "\"quantity\":{\"driver\":0,\"uncertain\":0,\"database\":0},"
             "\"payments\":{\"driver\":0,\"uncertain\":0,\"database\":0},"
             "\"paid_cents\":{\"driver\":0,\"uncertain\":0,\"database\":0}},"
             "\"stock_quantity_min\":10,\"stock_quantity_max\":100,"
             "\"client\":{\"cpu_us_per_transaction\":10.0,\"lag_us_p99\":10,"
             "\"cpu_user_s\":0.001000,\"cpu_system_s\":0.000210,"
             "\"cores\":4,\"wait_s\":0.125,\"host_busy_percent\":55.5,\"host_steal_percent\":null,"
             "\"rtt_us_before\":71,\"rtt_us_after\":null},"
             "\"steady\":{\"state\":\"TOO SHORT\",\"seconds\":0,\"warm_up_s\":null,"
             "\"ramp_up_s\":0,\"checkpoints\":null,\"autovacuums\":null,"
             "\"checkpoint_cycle_s\":300},"
             "\"verdicts\":{\"consistency\":\"PASS\",\"mix\":\"NOT TESTED\",\"errors\":\"PASS\","
             "\"client\":\"PASS\",\"steady\":\"NOT TESTED\",\"repeatable\":\"NOT TESTED\","
             "\"latency\":\"PASS\",\"comparable\":\"NOT TESTED\"},"
             "\"verdict_figures\":{\"consistency\":");
    assert_memory_equal(found.data, expected.data, expected.length);
    buf_free(&found);
    buf_free(&expected);
}

static void
sessions_left_are_named(void **state)
{
    static struct step step = {.isolation = "", .reason = "", .configuration = ""};
    struct buf found = {0};
    (void)state;

    step.sessions_left = 2;
    step.sessions_left_named = "4711 (active for 12 s), 4712 (idle for 3 s)";
    document(&found, &step, NULL);
    assert_non_null(strstr(found.data,
                           ",\"sessions_left\":2,\"sessions_left_named\":\"4711 (active "
                           "for 12 s), 4712 (idle for 3 s)\","));
    found.length = 0;
    step.sessions_left = -1;
    step.sessions_left_named = "";
    document(&found, &step, NULL);
    assert_non_null(strstr(found.data, ",\"sessions_left\":null,\"sessions_left_named\":\"\","));
    buf_free(&found);
}

static void
outages_are_listed(void **state)
{
    static struct step step = {.isolation = "", .reason = "", .configuration = ""};
    struct buf found = {0};
    (void)state;

    step.connections_lost = 3;
    step.outages_count = 2;
    step.outages[0] = (struct outage){4500000, 7250000, 2, 3, 5500000};
    step.outages[1] = (struct outage){20000000, OUTAGE_OPEN, 1, 0, OUTAGE_NOT_SEEN};
    document(&found, &step, NULL);
    assert_non_null(strstr(
        found.data, "\"connections_lost\":3,\"outages\":[{\"start_s\":4.500,\"end_s\":7.250,"
                    "\"connections_lost\":2,\"zero_s\":3,\"recovery_s\":5.500},{\"start_s\":20.000,"
                    "\"end_s\":null,\"connections_lost\":1,\"zero_s\":0,\"recovery_s\":null}],"));
    buf_free(&found);
}

static void
deferred_deliveries_have_a_place_of_their_own(void **state)
{
    static struct step step = {.isolation = "", .reason = "", .configuration = ""};
    struct buf found = {0};
    (void)state;

    step.procedures = step.call = step.protocol = "";
    step.delivery_sessions = 3;
    step.deferred = (struct deferred_stats){.queued = 21,
                                            .done = 15,
                                            .failed = 1,
                                            .lost = 2,
                                            .left = 3,
                                            .in_time = 14,
                                            .waiting_most = 8};
    for (int i = 0; i < 15; i++)
        hist_record(&step.deferred.latency, 100);
    document(&found, &step, NULL);
    assert_non_null(strstr(found.data,
                           "\"deferred_delivery\":{\"sessions\":3,\"queued\":21,\"done\":15,"
                           "\"failed\":1,\"lost\":2,\"left\":3,\"limit_s\":80,\"in_time\":14,"
                           "\"waiting_most\":8,\"latency_us\":{\"mean\":100.0,"));
    buf_free(&found);
}

static void
unknown_growth_is_null(void **state)
{
    static struct step step = {.procedures = "",
                               .mix_name = "null",
                               .call = "",
                               .protocol = "",
                               .isolation = "",
                               .reason = "",
                               .configuration = "",
                               .grown[GROWTH_NEW_ORDERS] = -1};
    struct buf found = {0};
    (void)state;

    document(&found, &step, NULL);
    assert_non_null(strstr(found.data, "\"new_orders_database\":null"));
    /* Nor has a mix without new-orders any NOPM. */
    assert_non_null(strstr(found.data, "\"nopm\":null"));
    buf_free(&found);
}

static void
check_with_one_violation(void **state)
{
    static struct check_result check;
    struct buf found = {0}, expected = {0};
    (void)state;

    check = (struct check_result){.done = true, .moment = "after load"};
    for (int i = 0; i < CHECK_CONDITIONS; i++)
        check.conditions[i] = (struct check_condition){.name = "rule", .tested = true};
    check.conditions[2].violations = 1;
    check.conditions[2].examples_count = 1;
    check.conditions[2].examples[0] =
        (struct check_example){3, 7, "no_o_id \"2101\"", "900", "899"};
    check.conditions[11].tested = false;
    check.conditions[CHECK_COUNTS - 1] = (struct check_condition){.name = "rows", .tested = true};
    document(&found, NULL, &check);
    buf_puts(&expected, "{\"conditions\":{");
    for (int i = 1; i <= CHECK_CONDITIONS; i++)
        buf_printf(&expected,
                   "%s\"%d\":{\"name\":\"rule\",\"verdict\":\"%s\",\"violations\":%d,"
                   "\"examples\":[%s],\"elapsed_s\":0.000}",
                   i > 1 ? "," : "", i,
                   i == 3    ? "FAIL"
                   : i == 12 ? "NOT TESTED"
                             : "PASS",
                   i == 3,
                   i == 3 ? "{\"warehouse\":3,\"district\":7,\"detail\":\"no_o_id \\\"2101\\\"\","
                            "\"expected\":\"900\",\"found\":\"899\"}"
                          : "");
    buf_puts(&expected, "},\"counts\":{\"name\":\"rows\",\"verdict\":\"PASS\",\"violations\":0,"
                        "\"examples\":[],\"elapsed_s\":0.000},\"scope\":\"fast\","
                        "\"moment\":\"after load\",\"verdict\":\"FAIL\"}");
    assert_string_equal(found.data, expected.data);
    buf_free(&found);
    buf_free(&expected);
}

static void
check_verdict(void **state)
{
    static struct check_result check;
    struct buf found = {0};
    (void)state;

    check = (struct check_result){.done = true, .moment = ""};
    for (int i = 0; i < CHECK_CONDITIONS; i++)
        check.conditions[i] = (struct check_condition){.name = "rule", .tested = true};
    document(&found, NULL, &check);
    assert_non_null(strstr(found.data, "\"scope\":\"full\",\"moment\":\"\",\"verdict\":\"PASS\"}"));
    check.conditions[CHECK_COUNTS - 1].violations = 1;
    buf_clear(&found);
    document(&found, NULL, &check);
    assert_non_null(strstr(found.data, "\"moment\":\"\",\"verdict\":\"FAIL\"}"));
    check = (struct check_result){.moment = ""};
    for (int i = 0; i < CHECK_TESTS; i++)
        check.conditions[i].name = "rule";
    buf_clear(&found);
    document(&found, NULL, &check);
    assert_non_null(
        strstr(found.data, "\"scope\":\"none\",\"moment\":\"\",\"verdict\":\"NOT TESTED\"}"));
    buf_free(&found);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_step),
        cmocka_unit_test(outages_are_listed),
        cmocka_unit_test(sessions_left_are_named),
        cmocka_unit_test(deferred_deliveries_have_a_place_of_their_own),
        cmocka_unit_test(unknown_growth_is_null),
        cmocka_unit_test(check_with_one_violation),
        cmocka_unit_test(check_verdict),
    };
    return cmocka_run_group_tests_name("result_json", tests, NULL, NULL);
}

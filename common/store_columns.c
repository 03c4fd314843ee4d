/* The columns, table by table; docs/run-store.md says what each means, and a test proves that it
 * names them all. Columns are only ever added, with a new layout version in store.c. */
#include "common/store_columns.h"

#define INT(s, f)                                                                                  \
    {                                                                                              \
#f, STORE_INT, offsetof(struct s, f), 0, NULL                                              \
    }
#define INT64(s, f)                                                                                \
    {                                                                                              \
#f, STORE_INT64, offsetof(struct s, f), 0, NULL                                            \
    }
#define REAL(s, f)                                                                                 \
    {                                                                                              \
#f, STORE_REAL, offsetof(struct s, f), 0, NULL                                             \
    }
#define BOOL(s, f)                                                                                 \
    {                                                                                              \
#f, STORE_BOOL, offsetof(struct s, f), 0, NULL                                             \
    }
#define TEXT(s, f)                                                                                 \
    {                                                                                              \
#f, STORE_TEXT, offsetof(struct s, f), 0, NULL                                             \
    }
#define CHARS(s, f)                                                                                \
    {                                                                                              \
#f, STORE_CHARS, offsetof(struct s, f), sizeof((struct s *)0)->f, NULL                     \
    }
#define BLOB(s, f)                                                                                 \
    {                                                                                              \
#f, STORE_BLOB, offsetof(struct s, f), 0, NULL                                             \
    }
#define NAMED(t, s, f, c)                                                                          \
    {                                                                                              \
        c, STORE_##t, offsetof(struct s, f), 0, NULL                                               \
    }

#define COUNT(columns) (int)(sizeof(columns) / sizeof *(columns))

#define CHOICE(s, f, list, n)                                                                      \
    {                                                                                              \
#f, STORE_CHOICE, offsetof(struct s, f), (n), list                                         \
    }

static const struct store_column run_columns[] = {
    TEXT(run, name),
    TEXT(run, kit_version),
    TEXT(run, profile),
    TEXT(run, fingerprint),
    TEXT(run, build),
    INT64(run, started_wall_us),
    INT64(run, ended_wall_us),
    CHOICE(run, status, step_status_names, STEP_STATUSES),
    INT(run, steps_planned),
    NAMED(BOOL, run, check.done, "check_done"),
    NAMED(TEXT, run, check.moment, "check_moment"),
};

static const struct store_column environment_columns[] = {
    {"fact_group", STORE_TEXT, offsetof(struct fact, group), 0, NULL},
    TEXT(fact, name),
    TEXT(fact, value),
    TEXT(fact, detail),
};

#define GROWTH_COLUMNS(growth, name)                                                               \
    NAMED(INT64, step, counted[growth], name "_driver"),                                           \
        NAMED(INT64, step, uncertain[growth], name "_uncertain"),                                  \
        NAMED(INT64, step, grown[growth], name "_database")

#define PACE_COLUMNS(type, prefix)                                                                 \
    NAMED(INT64, step, pace.keyings[type], prefix "_keyings"),                                     \
        NAMED(INT64, step, pace.keying_us[type], prefix "_keying_us"),                             \
        NAMED(INT64, step, pace.thinks[type], prefix "_thinks"),                                   \
        NAMED(INT64, step, pace.think_us[type], prefix "_think_us")

static const struct store_column step_columns[] = {
    INT(step, number),
    INT(step, virtual_users),
    INT(step, sessions),
    INT(step, delivery_sessions),
    INT(step, threads),
    INT(step, warehouses),
    INT(step, repeat),
    INT(step, curve),
    TEXT(step, curve_name),
    TEXT(step, server),
    TEXT(step, configuration),
    INT64(step, seed),
    NAMED(INT, step, constants.c_last, "c_last"),
    NAMED(INT, step, constants.customer_id, "c_customer_id"),
    NAMED(INT, step, constants.item_id, "c_item_id"),
    INT(step, c_load),
    NAMED(INT, step, mix[TXN_NEW_ORDER], "mix_new_order_percent"),
    NAMED(INT, step, mix[TXN_PAYMENT], "mix_payment_percent"),
    NAMED(INT, step, mix[TXN_ORDER_STATUS], "mix_order_status_percent"),
    NAMED(INT, step, mix[TXN_DELIVERY], "mix_delivery_percent"),
    NAMED(INT, step, mix[TXN_STOCK_LEVEL], "mix_stock_level_percent"),
    NAMED(INT, step, mix[TXN_LOOKUP], "mix_lookup_percent"),
    NAMED(INT, step, mix[TXN_INSERT], "mix_insert_percent"),
    NAMED(INT, step, mix[TXN_NULL], "mix_null_percent"),
    TEXT(step, mix_name),
    CHOICE(step, home, home_names, HOMES),
    REAL(step, pacing),
    CHOICE(step, arrivals, arrivals_names, ARRIVALS),
    INT64(step, rate_per_minute),
    TEXT(step, procedures),
    TEXT(step, call),
    TEXT(step, protocol),
    TEXT(step, isolation),
    REAL(step, limit_percentile),
    NAMED(INT64, step, limits_us[TXN_NEW_ORDER], "new_order_limit_us"),
    NAMED(INT64, step, limits_us[TXN_PAYMENT], "payment_limit_us"),
    NAMED(INT64, step, limits_us[TXN_ORDER_STATUS], "order_status_limit_us"),
    NAMED(INT64, step, limits_us[TXN_DELIVERY], "delivery_limit_us"),
    NAMED(INT64, step, limits_us[TXN_STOCK_LEVEL], "stock_level_limit_us"),
    CHOICE(step, status, step_status_names, STEP_STATUSES),
    TEXT(step, reason),
    INT64(step, started_wall_us),
    INT64(step, ramp_up_us),
    INT64(step, measure_us),
    REAL(step, precision),
    REAL(step, precision_reached),
    INT64(step, measure_most_us),
    INT64(step, elapsed_us),
    REAL(step, failed_share_max),
    INT64(step, transactions_max),
    BOOL(step, cut),
    NAMED(INT64, step, inputs.new_orders, "input_new_orders"),
    NAMED(INT64, step, inputs.rollbacks_intended, "input_rollbacks_intended"),
    NAMED(INT64, step, inputs.order_lines, "input_order_lines"),
    NAMED(INT64, step, inputs.remote_lines, "input_remote_lines"),
    NAMED(INT64, step, inputs.payments, "input_payments"),
    NAMED(INT64, step, inputs.payments_remote, "input_payments_remote"),
    NAMED(INT64, step, inputs.payments_by_name, "input_payments_by_name"),
    NAMED(INT64, step, inputs.order_status, "input_order_status"),
    NAMED(INT64, step, inputs.order_status_by_name, "input_order_status_by_name"),
    NAMED(INT64, step, inputs.deliveries, "input_deliveries"),
    NAMED(INT64, step, inputs.districts_skipped, "input_districts_skipped"),
    NAMED(INT64, step, inputs.deliveries_skipping, "input_deliveries_skipping"),
    PACE_COLUMNS(TXN_NEW_ORDER, "new_order"),
    PACE_COLUMNS(TXN_PAYMENT, "payment"),
    PACE_COLUMNS(TXN_ORDER_STATUS, "order_status"),
    PACE_COLUMNS(TXN_DELIVERY, "delivery"),
    PACE_COLUMNS(TXN_STOCK_LEVEL, "stock_level"),
    NAMED(INT64, step, deferred.queued, "deferred_queued"),
    NAMED(INT64, step, deferred.done, "deferred_done"),
    NAMED(INT64, step, deferred.failed, "deferred_failed"),
    NAMED(INT64, step, deferred.lost, "deferred_lost"),
    NAMED(INT64, step, deferred.left, "deferred_left"),
    NAMED(INT64, step, deferred.in_time, "deferred_in_time"),
    NAMED(INT64, step, deferred.waiting_most, "deferred_waiting_most"),
    INT64(step, unfinished),
    INT64(step, waiting),
    INT64(step, waiting_most),
    INT64(step, skipped),
    INT(step, virtual_users_lost),
    INT(step, connections_lost),
    INT(step, sessions_left),
    TEXT(step, sessions_left_named),
    GROWTH_COLUMNS(GROWTH_NEW_ORDERS, "new_orders"),
    GROWTH_COLUMNS(GROWTH_ORDER_LINES, "order_lines"),
    GROWTH_COLUMNS(GROWTH_REMOTE_LINES, "remote_lines"),
    GROWTH_COLUMNS(GROWTH_QUANTITY, "quantity"),
    GROWTH_COLUMNS(GROWTH_PAYMENTS, "payments"),
    GROWTH_COLUMNS(GROWTH_PAID_CENTS, "paid_cents"),
    INT(step, stock_quantity_min),
    INT(step, stock_quantity_max),
    INT64(step, home_new_orders_least),
    INT64(step, home_new_orders_median),
    INT64(step, home_new_orders_most),
    INT64(step, client_user_us),
    INT64(step, client_system_us),
    INT(step, client_cores),
    INT64(step, client_wait_us),
    REAL(step, client_busy_percent),
    REAL(step, client_steal_percent),
    INT64(step, rtt_before_us),
    INT64(step, rtt_after_us),
};

#define OUTCOME_COLUMNS(s, field, prefix)                                                          \
    NAMED(INT64, s, field[OUTCOME_COMMITTED], prefix "committed"),                                 \
        NAMED(INT64, s, field[OUTCOME_ROLLED_BACK], prefix "rolled_back"),                         \
        NAMED(INT64, s, field[OUTCOME_FAILED], prefix "failed"),                                   \
        NAMED(INT64, s, field[OUTCOME_LOST], prefix "lost")

static const struct store_column transaction_columns[] = {
    OUTCOME_COLUMNS(txn_stats, outcomes, ""),
    INT64(txn_stats, retries),
};

static const struct store_column order_lines_columns[] = {
    INT64(store_order_lines, new_orders),
};

static const struct store_column histogram_columns[] = {
    INT64(store_histogram, count),  REAL(store_histogram, mean_us),  INT64(store_histogram, min_us),
    INT64(store_histogram, p50_us), INT64(store_histogram, p90_us),  INT64(store_histogram, p95_us),
    INT64(store_histogram, p99_us), INT64(store_histogram, p999_us), INT64(store_histogram, max_us),
    BLOB(store_histogram, buckets),
};

#define SECOND_COLUMNS(type, prefix)                                                               \
    NAMED(INT, second, outcomes[type][OUTCOME_COMMITTED], prefix "_committed"),                    \
        NAMED(INT, second, outcomes[type][OUTCOME_ROLLED_BACK], prefix "_rolled_back"),            \
        NAMED(INT, second, outcomes[type][OUTCOME_FAILED], prefix "_failed"),                      \
        NAMED(INT, second, outcomes[type][OUTCOME_LOST], prefix "_lost")

static const struct store_column second_columns[] = {
    INT(second, at_s),
    CHOICE(second, phase, phase_names, PHASES),
    INT(second, virtual_users),
    INT(second, in_flight),
    INT(second, waiting),
    INT(second, retries),
    INT64(second, new_order_p95_us),
    SECOND_COLUMNS(TXN_NEW_ORDER, "new_order"),
    SECOND_COLUMNS(TXN_PAYMENT, "payment"),
    SECOND_COLUMNS(TXN_ORDER_STATUS, "order_status"),
    SECOND_COLUMNS(TXN_DELIVERY, "delivery"),
    SECOND_COLUMNS(TXN_STOCK_LEVEL, "stock_level"),
    SECOND_COLUMNS(TXN_LOOKUP, "lookup"),
    SECOND_COLUMNS(TXN_INSERT, "insert"),
    SECOND_COLUMNS(TXN_NULL, "null"),
};

static const struct store_column error_columns[] = {
    CHARS(error_count, sqlstate),
    CHARS(error_count, message),
    INT64(error_count, count),
};

static const struct store_column outage_columns[] = {
    INT64(outage, start_us), INT64(outage, end_us),      INT(outage, losses),
    INT(outage, zero_s),     INT64(outage, recovery_us),
};

static const struct store_column finding_columns[] = {
    CHOICE(finding, severity, severity_names, SEVERITIES),
    TEXT(finding, name),
    TEXT(finding, seen),
    TEXT(finding, why),
    TEXT(finding, mend),
};

static const struct store_column metric_columns[] = {
    CHOICE(metric, source, metric_source_names, METRIC_SOURCES),
    TEXT(metric, name),
    TEXT(metric, instance),
    TEXT(metric, unit),
    CHOICE(metric, kind, metric_kind_names, METRIC_KINDS),
    INT(metric, samples),
    REAL(metric, mean),
    REAL(metric, min),
    REAL(metric, max),
    REAL(metric, first),
    REAL(metric, last),
    REAL(metric, total),
    INT(metric, resets),
    TEXT(metric, missing),
    NAMED(INT, metric, points_count, "points"),
};

static const struct store_column sample_columns[] = {
    INT64(metric_point, at_us),
    REAL(metric_point, value),
};

static const struct store_column condition_columns[] = {
    TEXT(check_condition, name),
    BOOL(check_condition, tested),
    INT64(check_condition, violations),
    REAL(check_condition, elapsed_s),
};

static const struct store_column example_columns[] = {
    INT(check_example, warehouse), INT(check_example, district), TEXT(check_example, detail),
    TEXT(check_example, expected), TEXT(check_example, found),
};

static const struct store_column setting_columns[] = {
    TEXT(run_setting, name),
    TEXT(run_setting, value),
    TEXT(run_setting, source),
};

static const struct store_column journal_columns[] = {
    INT64(event, wall_us),    INT(event, step),    TEXT(event, what),
    INT64(event, elapsed_us), INT64(event, bytes), TEXT(event, detail),
};

#define TABLE(name, key, columns, ...)                                                             \
    {                                                                                              \
        name, key, {__VA_ARGS__}, columns, COUNT(columns), false                                   \
    }
#define SLIM_TABLE(name, key, columns, ...)                                                        \
    {                                                                                              \
        name, key, {__VA_ARGS__}, columns, COUNT(columns), true                                    \
    }

const struct store_table store_tables[STORE_TABLES] = {
    [STORE_RUN] = TABLE("run", "name", run_columns, {NULL, false}),
    [STORE_ENVIRONMENT] = TABLE("environment", "ordinal", environment_columns, {"ordinal", false}),
    [STORE_FINDING] = TABLE("finding", "ordinal", finding_columns, {"ordinal", false}),
    [STORE_STEP] = TABLE("step", "number", step_columns, {NULL, false}),
    [STORE_TRANSACTION] = TABLE("step_transaction", "step, type", transaction_columns,
                                {"step", false}, {"type", true}),
    [STORE_ORDER_LINES] = TABLE("step_order_lines", "step, lines", order_lines_columns,
                                {"step", false}, {"lines", false}),
    [STORE_HISTOGRAM] = TABLE("step_histogram", "step, type, kind", histogram_columns,
                              {"step", false}, {"type", true}, {"kind", true}),
    [STORE_SECOND] =
        TABLE("step_second", "step, ordinal", second_columns, {"step", false}, {"ordinal", false}),
    [STORE_ERROR] =
        TABLE("step_error", "step, ordinal", error_columns, {"step", false}, {"ordinal", false}),
    [STORE_OUTAGE] =
        TABLE("step_outage", "step, ordinal", outage_columns, {"step", false}, {"ordinal", false}),
    [STORE_METRIC] =
        TABLE("step_metric", "step, metric", metric_columns, {"step", false}, {"metric", false}),
    [STORE_SAMPLE] = SLIM_TABLE("step_sample", "step, metric, ordinal", sample_columns,
                                {"step", false}, {"metric", false}, {"ordinal", false}),
    [STORE_CONDITION] = TABLE("check_condition", "number", condition_columns, {"number", false}),
    [STORE_EXAMPLE] = TABLE("check_example", "condition, ordinal", example_columns,
                            {"condition", false}, {"ordinal", false}),
    [STORE_SETTING] = TABLE("run_setting", "ordinal", setting_columns, {"ordinal", false}),
    [STORE_JOURNAL] = TABLE("journal", "ordinal", journal_columns, {"ordinal", false}),
};

static const char *
sql_type(enum store_type type)
{
    switch (type) {
    case STORE_INT:
    case STORE_INT64:
    case STORE_BOOL: return "INTEGER";
    case STORE_REAL: return "REAL";
    case STORE_TEXT:
    case STORE_CHARS:
    case STORE_CHOICE: return "TEXT";
    case STORE_BLOB: return "BLOB";
    }
    return "";
}

void
store_columns_ddl(struct buf *out)
{
    for (int i = 0; i < STORE_TABLES; i++) {
        const struct store_table *table = &store_tables[i];
        buf_printf(out, "CREATE TABLE %s (", table->name);
        for (int k = 0; k < STORE_KEYS_MAX && table->keys[k].name; k++)
            buf_printf(out, "%s %s NOT NULL, ", table->keys[k].name,
                       table->keys[k].is_text ? "TEXT" : "INTEGER");
        for (int c = 0; c < table->count; c++)
            buf_printf(out, "%s %s NOT NULL, ", table->columns[c].name,
                       sql_type(table->columns[c].type));
        buf_printf(out, "PRIMARY KEY (%s))%s;\n", table->primary_key,
                   table->slim ? " WITHOUT ROWID" : "");
    }
    buf_puts(out, "CREATE VIEW step_summary AS SELECT s.number AS step, s.curve, s.virtual_users,"
                  " s.repeat,"
                  " s.status, s.elapsed_us / 1e6 AS elapsed_s,"
                  " CASE WHEN s.elapsed_us > 0 THEN t.committed * 60e6 / s.elapsed_us END AS nopm,"
                  " h.p50_us AS new_order_p50_us, h.p95_us AS new_order_p95_us,"
                  " h.p99_us AS new_order_p99_us"
                  " FROM step s JOIN step_transaction t ON t.step = s.number"
                  " AND t.type = 'new_order' JOIN step_histogram h ON h.step = s.number"
                  " AND h.type = 'new_order' AND h.kind = 'response';\n");
    buf_puts(out, "CREATE VIEW metric_summary AS SELECT m.step, s.virtual_users, s.repeat,"
                  " m.source, m.name, m.instance, m.unit, m.kind, m.mean, m.min, m.max, m.total,"
                  " CASE WHEN m.kind <> 'level' THEN m.total / nullif(t.committed, 0) END"
                  " AS per_new_order, m.missing"
                  " FROM step_metric m JOIN step s ON s.number = m.step"
                  " JOIN step_transaction t ON t.step = m.step AND t.type = 'new_order';\n");
}

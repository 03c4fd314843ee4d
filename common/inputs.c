/* Owns the limits on what virtual users ask for. What follows from them for a step is verdict.c's
 * to say. */
#include "common/inputs.h"

#include <math.h>
#include <string.h>

#include "common/stats.h"

/* Spread of one draw from 5..15: sqrt((11 * 11 - 1) / 12). */
#define LINES_SD    3.1622776601683795
#define LINES_KINDS (ORDER_LINES_MAX - ORDER_LINES_MIN + 1)
/* The normal quantile that leaves half of 1 - INPUTS_LEVEL above it. */
#define NORMAL_HALF_WIDTH 3.8905918864131
/* Below five expected in each class the chi-square test does not hold. */
#define CHI_SQUARE_ORDERS_MIN (5 * LINES_KINDS)

static const struct input_check templates[INPUTS] = {
    [INPUT_MIX_PAYMENT] = {"share of Payment", "5.2.3", "%", 43, 100, .reason = ""},
    [INPUT_MIX_ORDER_STATUS] = {"share of Order-Status", "5.2.3", "%", 4, 100, .reason = ""},
    [INPUT_MIX_DELIVERY] = {"share of Delivery", "5.2.3", "%", 4, 100, .reason = ""},
    [INPUT_MIX_STOCK_LEVEL] = {"share of Stock-Level", "5.2.3", "%", 4, 100, .reason = ""},
    [INPUT_ROLLBACKS] = {"intended rollbacks of New-Order", "5.5.1.5", "%", 0.9, 1.1, .reason = ""},
    [INPUT_LINES_MEAN] = {"lines per order, mean", "5.5.1.5", "lines", 9.5, 10.5, .reason = ""},
    [INPUT_LINES_UNIFORM] = {"lines per order, evenly 5 to 15", "5.5.1.5", "p-value",
                             1 - INPUTS_LEVEL, 1, .reason = ""},
    [INPUT_REMOTE_LINES] = {"remote order lines", "5.5.1.5", "%", 0.95, 1.05, .reason = ""},
    [INPUT_REMOTE_PAYMENTS] = {"remote payments", "5.5.1.5", "%", 14, 16, .reason = ""},
    [INPUT_PAYMENTS_BY_NAME] = {"Payment by last name", "5.5.1.5", "%", 57, 63, .reason = ""},
    [INPUT_ORDER_STATUS_BY_NAME] = {"Order-Status by last name", "5.5.1.5", "%", 57, 63,
                                    .reason = ""},
    [INPUT_DELIVERIES_SKIPPING] = {"Delivery with a district skipped", "5.5.1.6", "%", 0, 1,
                                   .reason = ""},
};

static void
not_judged(struct input_check *check, const char *reason)
{
    check->judged = false;
    check->reason = reason;
}

static void
judge_share(struct input_check *check, uint64_t hits, uint64_t trials)
{
    if (trials == 0 || hits > trials) {
        not_judged(check, "none in the window");
        return;
    }
    struct stats_interval interval =
        stats_share_interval((double)hits, (double)trials, INPUTS_LEVEL);
    check->judged = check->has_interval = true;
    check->measured = 100 * (double)hits / (double)trials;
    check->low = 100 * interval.low;
    check->high = 100 * interval.high;
    check->within = check->high >= check->limit_low && check->low <= check->limit_high;
}

/* The share among the transactions that were completed (5.2.3). */
static void
judge_mix(const struct step *step, struct input_check *check, enum txn_type type)
{
    const uint64_t *outcomes = step->transactions[type].outcomes;
    judge_share(check, outcomes[OUTCOME_COMMITTED] + outcomes[OUTCOME_ROLLED_BACK],
                step_outcomes(step, OUTCOME_COMMITTED) + step_outcomes(step, OUTCOME_ROLLED_BACK));
}

static void
judge_lines_mean(struct input_check *check, const struct input_stats *inputs)
{
    if (inputs->new_orders == 0) {
        not_judged(check, "none in the window");
        return;
    }
    double half = NORMAL_HALF_WIDTH * LINES_SD / sqrt((double)inputs->new_orders);
    check->judged = check->has_interval = true;
    check->measured = (double)inputs->order_lines / (double)inputs->new_orders;
    check->low = check->measured - half;
    check->high = check->measured + half;
    check->within = check->high >= check->limit_low && check->low <= check->limit_high;
}

static void
judge_lines_uniform(struct input_check *check, const struct input_stats *inputs)
{
    uint64_t orders = 0;
    double statistic = 0;

    for (int lines = ORDER_LINES_MIN; lines <= ORDER_LINES_MAX; lines++)
        orders += inputs->lines_per_order[lines];
    if (orders < CHI_SQUARE_ORDERS_MIN) {
        not_judged(check, "too few orders for a chi-square test");
        return;
    }
    double expected = (double)orders / LINES_KINDS;
    for (int lines = ORDER_LINES_MIN; lines <= ORDER_LINES_MAX; lines++) {
        double off = (double)inputs->lines_per_order[lines] - expected;
        statistic += off * off / expected;
    }
    check->judged = true;
    check->measured = stats_chi_square_p(statistic, LINES_KINDS - 1);
    check->within = check->measured >= check->limit_low;
}

/* At most 1 % or one, whichever is more: a count, no sample of anything. */
static void
judge_skipped(struct input_check *check, const struct input_stats *inputs)
{
    if (inputs->deliveries == 0) {
        not_judged(check, "none in the window");
        return;
    }
    check->judged = true;
    check->measured = 100 * (double)inputs->deliveries_skipping / (double)inputs->deliveries;
    check->within = inputs->deliveries_skipping <= 1 || check->measured <= check->limit_high;
}

static void
judge_remote(const struct step *step, struct input_check *check, uint64_t hits, uint64_t trials)
{
    if (step->warehouses < 2)
        not_judged(check, "one warehouse: nothing can be remote");
    else
        judge_share(check, hits, trials);
}

void
inputs_check(const struct step *step, struct input_check checks[INPUTS])
{
    const struct input_stats *inputs = &step->inputs;

    for (int i = 0; i < INPUTS; i++)
        checks[i] = templates[i];
    judge_mix(step, &checks[INPUT_MIX_PAYMENT], TXN_PAYMENT);
    judge_mix(step, &checks[INPUT_MIX_ORDER_STATUS], TXN_ORDER_STATUS);
    judge_mix(step, &checks[INPUT_MIX_DELIVERY], TXN_DELIVERY);
    judge_mix(step, &checks[INPUT_MIX_STOCK_LEVEL], TXN_STOCK_LEVEL);
    judge_share(&checks[INPUT_ROLLBACKS], inputs->rollbacks_intended, inputs->new_orders);
    judge_lines_mean(&checks[INPUT_LINES_MEAN], inputs);
    judge_lines_uniform(&checks[INPUT_LINES_UNIFORM], inputs);
    judge_remote(step, &checks[INPUT_REMOTE_LINES], inputs->remote_lines, inputs->order_lines);
    judge_remote(step, &checks[INPUT_REMOTE_PAYMENTS], inputs->payments_remote, inputs->payments);
    judge_share(&checks[INPUT_PAYMENTS_BY_NAME], inputs->payments_by_name, inputs->payments);
    judge_share(&checks[INPUT_ORDER_STATUS_BY_NAME], inputs->order_status_by_name,
                inputs->order_status);
    judge_skipped(&checks[INPUT_DELIVERIES_SKIPPING], inputs);
}

void
inputs_merge(struct input_stats *into, const struct input_stats *from)
{
    into->new_orders += from->new_orders;
    into->rollbacks_intended += from->rollbacks_intended;
    into->order_lines += from->order_lines;
    into->remote_lines += from->remote_lines;
    for (int lines = 0; lines <= ORDER_LINES_MAX; lines++)
        into->lines_per_order[lines] += from->lines_per_order[lines];
    into->payments += from->payments;
    into->payments_remote += from->payments_remote;
    into->payments_by_name += from->payments_by_name;
    into->order_status += from->order_status;
    into->order_status_by_name += from->order_status_by_name;
    into->deliveries += from->deliveries;
    into->districts_skipped += from->districts_skipped;
    into->deliveries_skipping += from->deliveries_skipping;
}

void
inputs_add(struct step *into, const struct step *from)
{
    /* What can be remote with any of them is judged with the fewest warehouses. */
    if (into->warehouses == 0 || from->warehouses < into->warehouses)
        into->warehouses = from->warehouses;
    memcpy(into->mix, from->mix, sizeof into->mix);
    inputs_merge(&into->inputs, &from->inputs);
    for (int type = 0; type < TXN_TYPES; type++)
        for (int outcome = 0; outcome < OUTCOMES; outcome++)
            into->transactions[type].outcomes[outcome] +=
                from->transactions[type].outcomes[outcome];
}

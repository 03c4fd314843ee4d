/* Owns the layout of the text that `run` prints. The figures and verdicts are computed elsewhere.
 */
#include "driver/summary.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/inputs.h"
#include "common/load_text.h"
#include "common/metric_text.h"
#include "common/units.h"
#include "common/verdict.h"

#define COLUMNS 80

/* Text broken at blanks; it begins at column `at`, its further lines at `indent`. */
static void
write_wrapped(struct buf *out, const char *text, int at, int indent)
{
    for (bool first = true; *text; first = false) {
        int length = (int)strcspn(text, " ");
        if (!first && at + 1 + length > COLUMNS) {
            buf_printf(out, "\n%*s", indent, "");
            at = indent;
        } else if (!first) {
            buf_putc(out, ' ');
            at++;
        }
        buf_append(out, text, (size_t)length);
        at += length;
        text += length;
        text += strspn(text, " ");
    }
    buf_putc(out, '\n');
}

static void
write_head(struct buf *out, const struct step *step)
{
    char elapsed[UNITS_TEXT_SIZE], ramp_up[UNITS_TEXT_SIZE] = "no";

    if (step->ramp_up_us > 0)
        units_duration(ramp_up, step->ramp_up_us);
    if (step->status != STEP_COMPLETE) {
        buf_puts(out, step->status == STEP_FAILED ? "FAILED: " : "PARTIAL RESULT: ");
        write_wrapped(out, step->reason, 16, 8);
        buf_putc(out, '\n');
    }
    buf_printf(out, "%d %s%s on %d warehouse%s, %s measured after %s ramp-up\n",
               step->virtual_users, load_who(step), step->virtual_users == 1 ? "" : "s",
               step->warehouses, step->warehouses == 1 ? "" : "s",
               units_duration(elapsed, step->elapsed_us), ramp_up);
    if (step->cut)
        buf_printf(out,
                   "CUT SHORT: the limit of %" PRId64 " transaction%s ended the window of %s\n",
                   step->transactions_max, step->transactions_max == 1 ? "" : "s",
                   units_duration(elapsed, step->measure_us));
    buf_printf(out, "%d worker thread%s, seed %" PRIu64 "\n", step->threads,
               step->threads == 1 ? "" : "s", step->seed);
    struct buf load = {0};
    call_text(&load, step);
    write_wrapped(out, buf_text(&load), 0, 2);
    buf_clear(&load);
    load_text(&load, step);
    write_wrapped(out, buf_text(&load), 0, 2);
    buf_free(&load);
    buf_putc(out, '\n');
}

/* What the network and the server take for a query that does nothing. */
static void
write_round_trip(struct buf *out, const struct step *step)
{
    char before[UNITS_TEXT_SIZE], after[UNITS_TEXT_SIZE];

    if (step->rtt_before_us < 0 || step->rtt_after_us < 0)
        return;
    buf_printf(out, "  RTT  %12s   of an empty query before the load, %s after it\n",
               units_duration(before, step->rtt_before_us),
               units_duration(after, step->rtt_after_us));
    if (step->client_steal_percent >= 0)
        buf_printf(
            out, "  host %10.1f %%   of the driver's host busy, %.1f %% taken by its hypervisor\n",
            step->client_busy_percent, step->client_steal_percent);
}

static void
write_headline(struct buf *out, const struct step *step)
{
    uint64_t ended = step_ended(step);
    char nopm[UNITS_TEXT_SIZE], tpm[UNITS_TEXT_SIZE], low[UNITS_TEXT_SIZE], high[UNITS_TEXT_SIZE];

    struct steady steady = verdict_steady(NULL, step);
    const char *state = steady_names[steady.state];
    bool has_nopm = step_has_nopm(step);
    if (has_nopm)
        buf_printf(out, "  NOPM %12s   new-orders committed per minute; %s\n",
                   units_rate(nopm, step_nopm(step)), state);
    else
        buf_printf(out, "  NOPM not applicable   no new-order in the mix\n");
    if (steady.batches.interval.valid)
        buf_printf(out, "%17s   95 %% interval within this run %s to %s (%d batches)\n", "",
                   units_rate(low, fmax(0, 60 * steady.batches.interval.low)),
                   units_rate(high, 60 * steady.batches.interval.high), steady.batches.batches);
    buf_printf(out, "  TPM  %12s   all transactions per minute%s%s\n",
               units_rate(tpm, step_tpm(step)), has_nopm ? "" : "; ", has_nopm ? "" : state);
    buf_printf(out, "  CPU  %9.1f us   of the driver per transaction", step_client_cpu_us(step));
    if (ended > 0)
        buf_printf(out, " (user %.1f, system %.1f)", (double)step->client_user_us / (double)ended,
                   (double)step->client_system_us / (double)ended);
    buf_putc(out, '\n');
    write_round_trip(out, step);
    if (step_efficiency(step) >= 0)
        buf_printf(out,
                   "  EFF  %9.1f %%    of the %.2f NOPM for each warehouse that the pace allows\n",
                   100 * step_efficiency(step), NOPM_PER_WAREHOUSE);
    buf_putc(out, '\n');
}

/* What sharing and skew did: waits for a session, and the work by home warehouse. */
static void
write_load(struct buf *out, const struct step *step)
{
    const struct hist *queue = &step->queue;
    char p50[UNITS_TEXT_SIZE], p99[UNITS_TEXT_SIZE], max[UNITS_TEXT_SIZE];
    struct buf homes = {0};

    if (step->sessions < step->virtual_users || step->arrivals != ARRIVALS_CLOSED)
        buf_printf(out,
                   "queue         p50 %s, p99 %s, max %s; at most %" PRIu64 " waiting, %" PRIu64
                   " skipped\n",
                   units_duration(p50, hist_percentile_us(queue, 0.50)),
                   units_duration(p99, hist_percentile_us(queue, 0.99)),
                   units_duration(max, queue->count ? queue->max_us : 0), step->waiting_most,
                   step->skipped);
    load_homes_text(&homes, step);
    if (homes.length > 0) {
        buf_puts(out, "warehouses    ");
        write_wrapped(out, buf_text(&homes), 14, 14);
    }
    buf_free(&homes);
    buf_putc(out, '\n');
}

static void
write_counts(struct buf *out, const struct step *step)
{
    uint64_t ended = step_ended(step);

    buf_printf(out, "%-14s%11s%8s%8s%12s%9s%8s%9s\n", "transactions", "committed", "share", "least",
               "rolled back", "failed", "lost", "retries");
    for (int type = 0; type < TXN_TYPES; type++) {
        const struct txn_stats *stats = &step->transactions[type];
        if (!step_shows(step, type))
            continue;
        uint64_t of_type = 0;
        for (int i = 0; i < OUTCOMES; i++)
            of_type += stats->outcomes[i];
        buf_printf(out, "%-14s%11" PRIu64 "%7.2f%%", txn_titles[type],
                   stats->outcomes[OUTCOME_COMMITTED],
                   ended > 0 ? 100.0 * (double)of_type / (double)ended : 0.0);
        if (mix_minimum_percent[type] > 0)
            buf_printf(out, "%7d%%", mix_minimum_percent[type]);
        else
            buf_printf(out, "%8s", "-");
        buf_printf(out, "%12" PRIu64 "%9" PRIu64 "%8" PRIu64 "%9" PRIu64 "\n",
                   stats->outcomes[OUTCOME_ROLLED_BACK], stats->outcomes[OUTCOME_FAILED],
                   stats->outcomes[OUTCOME_LOST], stats->retries);
    }
    buf_putc(out, '\n');
}

static void
write_latencies(struct buf *out, const struct step *step)
{
    static const double fractions[] = {0.50, 0.90, 0.95, 0.99, 1.0};
    char text[UNITS_TEXT_SIZE];

    buf_printf(out, "%-14s%10s%10s%10s%10s%10s%10s\n", "response time", "p50", "p90", "p95", "p99",
               "max", "limit p90");
    for (int type = 0; type < TXN_TYPES; type++) {
        const struct hist *response = &step->transactions[type].response;
        if (!step_shows(step, type))
            continue;
        buf_printf(out, "%-14s", txn_titles[type]);
        for (size_t i = 0; i < sizeof fractions / sizeof *fractions; i++)
            buf_printf(out, "%10s",
                       response->count == 0
                           ? "-"
                           : units_duration(text, hist_percentile_us(response, fractions[i])));
        buf_printf(out, "%10s\n",
                   response_limit_us[type] > 0 ? units_duration(text, response_limit_us[type])
                                               : "-");
    }
    buf_putc(out, '\n');
}

/* The think times that were drawn against those that were asked for: a mean of exponential ones
 * scatters by itself over the root of their number. */
static void
write_thinks(struct buf *out, const struct step *step)
{
    if (step->pacing == 0)
        return;
    buf_printf(out, "%-14s%12s%11s%11s%11s%11s\n", "think time", "drawn", "mean", "asked for",
               "max", "keying");
    for (int type = 0; type < TXN_STANDARD; type++) {
        const struct hist *think = &step->pace.think[type];
        char mean[UNITS_TEXT_SIZE] = "-", asked[UNITS_TEXT_SIZE], max[UNITS_TEXT_SIZE] = "-";
        char keying[UNITS_TEXT_SIZE];
        if (think->count > 0) {
            units_duration(mean, (int64_t)hist_mean_us(think));
            units_duration(max, think->max_us);
        }
        buf_printf(
            out, "%-14s%12" PRIu64 "%11s%11s%11s%11s\n", txn_titles[type], think->count, mean,
            units_duration(asked, (int64_t)(step->pacing * (double)think_time_us[type])), max,
            units_duration(keying, (int64_t)(step->pacing * (double)keying_time_us[type])));
    }
    buf_putc(out, '\n');
}

static void
write_deferred(struct buf *out, const struct step *step)
{
    const struct deferred_stats *deferred = &step->deferred;
    char p50[UNITS_TEXT_SIZE], p90[UNITS_TEXT_SIZE], max[UNITS_TEXT_SIZE];

    if (step->delivery_sessions == 0)
        return;
    buf_printf(out, "%-14s%11s%11s%9s%8s%9s%18s\n", "deferred", "queued", "done", "failed", "lost",
               "left", "done within 80 s");
    buf_printf(out, "%-14s%11" PRIu64 "%11" PRIu64 "%9" PRIu64 "%8" PRIu64 "%9" PRIu64, "Delivery",
               deferred->queued, deferred->done, deferred->failed, deferred->lost, deferred->left);
    if (deferred->queued > 0)
        buf_printf(out, "%16.2f %%", 100 * (double)deferred->in_time / (double)deferred->queued);
    buf_printf(out,
               "\n  from queued to done: p50 %s, p90 %s, max %s; at most %" PRIu64 " at a time\n\n",
               units_duration(p50, hist_percentile_us(&deferred->latency, 0.50)),
               units_duration(p90, hist_percentile_us(&deferred->latency, 0.90)),
               units_duration(max, deferred->latency.count ? deferred->latency.max_us : 0),
               deferred->waiting_most);
}

static void
write_errors(struct buf *out, const struct step *step)
{
    for (int i = 0; i < step->errors_count; i++) {
        buf_printf(out, "%-14s%-6s%9" PRIu64 "  ", i == 0 ? "errors" : "", step->errors[i].sqlstate,
                   step->errors[i].count);
        write_wrapped(out, step->errors[i].message, 31, 31);
    }
    if (step->errors_count > 0)
        buf_putc(out, '\n');
}

/* Seconds with one digit, as all times of an outage. */
static void
write_outages(struct buf *out, const struct step *step)
{
    for (int i = 0; i < step->outages_count; i++) {
        const struct outage *outage = &step->outages[i];
        if (i == 0)
            buf_printf(out, "%-14s%10s%10s%12s%10s%14s\n", "outages", "from", "to", "lost",
                       "at zero", "back at 95 %");
        buf_printf(out, "%-14s%8.1f s", "", (double)outage->start_us / 1e6);
        if (outage->end_us == OUTAGE_OPEN)
            buf_printf(out, "%10s", "not over");
        else
            buf_printf(out, "%8.1f s", (double)outage->end_us / 1e6);
        buf_printf(out, "%12d%8d s", outage->losses, outage->zero_s);
        if (outage->recovery_us == OUTAGE_NOT_SEEN)
            buf_printf(out, "%14s\n", "not seen");
        else
            buf_printf(out, "  after %4.1f s\n", (double)outage->recovery_us / 1e6);
    }
    if (step->outages_count > 0)
        buf_puts(out,
                 "  (from the first connection lost until all are back, counted from the moment\n"
                 "  when the last virtual user ran)\n\n");
}

static void
write_metrics(struct buf *out, const struct step *step)
{
    bool any = false;

    for (int topic = 0; topic < METRIC_TOPICS; topic++) {
        struct buf text = {0};
        metric_text(&text, step, (enum metric_topic)topic);
        if (text.length > 0) {
            buf_printf(out, "%-14s", metric_topic_names[topic]);
            write_wrapped(out, buf_text(&text), 14, 14);
            any = true;
        }
        buf_free(&text);
    }
    if (any)
        buf_putc(out, '\n');
}

static void
write_inputs(struct buf *out, const struct step *step)
{
    struct input_check checks[INPUTS];

    inputs_check(step, checks);
    buf_printf(out, "%-34s%9s%15s%14s%8s\n", "inputs", "measured", "99.99 % limits", "allowed",
               "clause");
    for (int i = 0; i < INPUTS; i++) {
        const struct input_check *check = &checks[i];
        buf_puts(out, check->judged && !check->within ? "! " : "  ");
        if (!check->judged) {
            buf_printf(out, "%-34s", check->name);
            write_wrapped(out, check->reason, 36, 36);
            continue;
        }
        char limits[32] = "-", allowed[32];
        if (check->has_interval)
            snprintf(limits, sizeof limits, "%.3g to %.3g", check->low, check->high);
        snprintf(allowed, sizeof allowed, "%.3g to %.3g", check->limit_low, check->limit_high);
        bool is_share = strcmp(check->unit, "%") == 0;
        buf_printf(out, "%-32s%7.4g %s%15s%14s%8s\n", check->name, check->measured,
                   is_share ? "%" : " ", limits, allowed, check->clause);
    }
    buf_printf(out, "  constant C of last names: %d loaded, %d run, %d apart (2.1.6.1: %s)\n",
               step->c_load, step->constants.c_last, abs(step->c_load - step->constants.c_last),
               workload_c_delta_valid(step->c_load, step->constants.c_last) ? "kept" : "broken");
    buf_puts(out, "  (! outside: so are all values within the 99.99 % confidence limits; evenly:\n"
                  "  the p-value of a chi-square test)\n\n");
}

static void
write_verdicts(struct buf *out, const struct step *step)
{
    struct verdict verdicts[VERDICTS];

    verdict_step(step, verdicts);
    buf_puts(out, "verdicts\n");
    for (int i = 0; i < VERDICTS; i++) {
        buf_printf(out, "  %-12s  %-10s  ", verdict_names[i],
                   verdict_outcome_names[verdicts[i].outcome]);
        write_wrapped(out, verdicts[i].figure, 28, 28);
    }
    buf_putc(out, '\n');
}

static void
write_disclaimer(struct buf *out)
{
    write_wrapped(out,
                  "This workload is derived from the TPC-C Benchmark and is not comparable to "
                  "published TPC-C Benchmark results, as this implementation does not comply with "
                  "all requirements of the TPC-C Benchmark.",
                  0, 0);
}

void
summary_write(struct buf *out, const struct step *step)
{
    write_head(out, step);
    if (step->elapsed_us > 0) {
        write_headline(out, step);
        write_counts(out, step);
        write_latencies(out, step);
        write_deferred(out, step);
        write_thinks(out, step);
        write_load(out, step);
        write_errors(out, step);
        write_outages(out, step);
        write_metrics(out, step);
        if (mix_probe(step->mix) == TXN_TYPES)
            write_inputs(out, step);
    }
    write_verdicts(out, step);
    write_disclaimer(out);
}

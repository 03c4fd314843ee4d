/* The command: ordermill compare RUN RUN... */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/fs.h"
#include "common/log.h"
#include "common/units.h"
#include "reports/compare_forms.h"
#include "reports/open.h"
#include "reports/reports.h"

/* "1.20,0.95": as many positive numbers as there are runs. */
static bool
parse_stated(const struct settings *settings, enum setting_id id, int count, double *values,
             struct err *err)
{
    const char *text = settings_text(settings, id), *name = setting_specs[id].name;
    int given = 0;

    for (int i = 0; i < count; i++)
        values[i] = NAN;
    while (text) {
        char one[64];
        size_t length = strcspn(text, ",");
        snprintf(one, sizeof one, "%.*s", (int)length, text);
        if (given == count)
            return err_set(err, ERR_USAGE, "--%s: more figures than runs (%d)", name, count);
        if (!units_parse_real(one, &values[given], err))
            return err_prefix(err, "--%s", name);
        if (values[given++] <= 0)
            return err_set(err, ERR_USAGE, "--%s: \"%s\" is not above 0", name, one);
        text = text[length] ? text + length + 1 : NULL;
    }
    if (given > 0 && given < count)
        return err_set(err, ERR_USAGE, "--%s: %d figure%s for %d runs", name, given,
                       given == 1 ? "" : "s", count);
    return true;
}

static bool
parse_least(const struct settings *settings, double *least, struct err *err)
{
    const char *text = settings_text(settings, SET_FAIL_UNDER);

    *least = NAN;
    if (!text)
        return true;
    if (!units_parse_real(text, least, err))
        return err_prefix(err, "--fail-under");
    return *least > 0 || err_set(err, ERR_USAGE, "--fail-under: \"%s\" is not above 0", text);
}

static bool
write_one(const char *folder, const char *name, const struct buf *text, struct err *err)
{
    struct arena arena = {0};
    const char *path = fs_join(&arena, folder, name);
    bool ok = fs_write(path, buf_text(text), text->length, err);

    if (ok)
        printf("%s\n", path);
    arena_free(&arena);
    return ok;
}

static bool
write_files(const struct compare *compare, const char *folder, struct err *err)
{
    struct buf html = {0}, text = {0}, json = {0};
    struct err missing;

    compare_html(compare, &html, &missing);
    compare_text(compare, &text);
    compare_json(compare, &json);
    if (missing.code != ERR_NONE)
        log_warning("%s", missing.message);
    bool ok = fs_make_folder(folder, err) && write_one(folder, "comparison.html", &html, err) &&
              write_one(folder, "comparison.txt", &text, err) &&
              write_one(folder, "comparison.json", &json, err);
    buf_free(&html);
    buf_free(&text);
    buf_free(&json);
    return ok;
}

static bool
put_out(const struct compare *compare, const struct settings *settings, struct err *err)
{
    const char *folder = settings_text(settings, SET_OUTPUT);
    bool json = settings_flag(settings, SET_JSON);
    struct buf text = {0};
    bool ok = !folder || write_files(compare, folder, err);

    if (ok && (json || !folder)) {
        (json ? compare_json : compare_text)(compare, &text);
        fwrite(buf_text(&text), 1, text.length, stdout);
    }
    buf_free(&text);
    return ok && cli_finish_output(err);
}

/* Why it is not decided. */
static const char *
undecided(const struct compare *compare)
{
    for (int i = 1; i < compare->count; i++)
        if (!compare_is_comparable(&compare->pairs[i]))
            return "the runs are not comparable";
    for (int i = 1; i < compare->count; i++)
        if (!compare->pairs[i].peak.interval.valid)
            return "a peak was measured once only, so there is no interval";
    return "the interval of a ratio does not lie on one side";
}

/* The status, and a line that says why it is not 0. */
static int
decide(const struct compare *compare, double least)
{
    bool comparable = true;

    for (int i = 1; i < compare->count; i++)
        comparable = comparable && compare_is_comparable(&compare->pairs[i]);
    if (isnan(least))
        return comparable ? 0 : ERR_VERDICT;
    if (comparable)
        switch (compare_decide(compare, least)) {
        case DECISION_HOLDS: return 0;
        case DECISION_UNDER:
            log_warning("the whole interval of a ratio lies under %g", least);
            return ERR_VERDICT;
        case DECISION_UNDECIDED: break;
        }
    log_warning("undecided: %s", undecided(compare));
    return ERR_UNDECIDED;
}

static int
run_compare(struct settings *settings, int operand_count, char **operands)
{
    struct arena arena = {0};
    struct run run[COMPARE_RUNS_MAX];
    struct analysis analysis[COMPARE_RUNS_MAX];
    struct compare_run runs[COMPARE_RUNS_MAX];
    double costs[COMPARE_RUNS_MAX], watts[COMPARE_RUNS_MAX], least;
    struct compare compare;
    struct err err;

    must(operand_count >= 2 && operand_count <= COMPARE_RUNS_MAX);
    bool ok = parse_least(settings, &least, &err) &&
              parse_stated(settings, SET_COST_PER_HOUR, operand_count, costs, &err) &&
              parse_stated(settings, SET_WATTS, operand_count, watts, &err);
    for (int i = 0; ok && i < operand_count; i++) {
        ok = reports_open(operands[i], &arena, &run[i], &analysis[i], &err);
        runs[i] = (struct compare_run){operands[i], &run[i], &analysis[i], costs[i], watts[i]};
    }
    int status = 0;
    if (ok) {
        compare_make(&compare, runs, operand_count, &arena);
        ok = put_out(&compare, settings, &err);
        status = ok ? decide(&compare, least) : 0;
    }
    arena_free(&arena);
    return ok ? status : log_error(&err);
}

const struct command compare_command = {
    .name = "compare",
    .operands = "RUN RUN...",
    .operands_min = 2,
    .operands_max = COMPARE_RUNS_MAX,
    .bit = CMD_COMPARE,
    .summary = "compare finished runs: ratios with intervals, and what differs",
    .description =
        "Sets each run against the first: the ratio of the peaks, of the highest levels within the "
        "latency limits and of every load that both measured, with 95 % intervals over repeats; "
        "what a new-order costs; and every difference in version, settings, hosts, schema, "
        "workload and kit. Where an interval holds 1 it says that no difference is shown, and how "
        "large one would have been shown. Runs with another mix, pacing, arrivals or warehouses, "
        "and invalid ones, are refused: the reasons are printed in place of ratios, and the exit "
        "status is 1.\n"
        "Prints text, or JSON with --json; --output writes comparison.html, .txt and .json into a "
        "folder. With --fail-under the exit status is 0 when every interval of the peaks lies at "
        "or "
        "over the ratio, 1 when a whole one lies under it, and 8 when that is not decided.",
    .examples = "ordermill compare ordermill-runs/before ordermill-runs/after\n"
                "ordermill compare before after --fail-under 0.97\n"
                "ordermill compare a b --cost-per-hour 3.20,4.10 -o /tmp/comparison",
    .run = run_compare,
};

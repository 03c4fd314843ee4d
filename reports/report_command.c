/* The command: ordermill report RUN. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/log.h"
#include "common/store.h"
#include "reports/files.h"
#include "reports/json.h"
#include "reports/list.h"
#include "reports/merge.h"
#include "reports/open.h"
#include "reports/reports.h"

static bool
render(const struct run *run, const struct analysis *analysis, const char *format,
       const char *output, struct err *err)
{
    struct files files = {.run = run, .analysis = analysis, .folder = output};

    if (strcmp(format, "json") == 0) {
        struct buf text = {0};
        json_report(run, analysis, &text);
        fwrite(buf_text(&text), 1, text.length, stdout);
        buf_free(&text);
        return true;
    }
    bool ok = files_write(&files, format, err);
    if (ok && files.missing.code != ERR_NONE)
        log_warning("%s", files.missing.message);
    if (ok)
        fputs(buf_text(&files.paths), stdout);
    buf_free(&files.paths);
    return ok;
}

/* A folder alone gets every form. */
static const char *
format_of(const struct settings *settings)
{
    bool chosen = settings->values[SET_FORMAT].source != SETTING_DEFAULT;

    if (settings_flag(settings, SET_JSON))
        return "json";
    return !chosen && settings_is_set(settings, SET_OUTPUT) ? "all"
                                                            : settings_choice(settings, SET_FORMAT);
}

static int
report_one(const struct settings *settings, const char *folder)
{
    const char *output = settings_text(settings, SET_OUTPUT);
    struct arena arena = {0};
    struct run run;
    struct analysis analysis;
    struct err err;

    bool ok = reports_open(folder, &arena, &run, &analysis, &err) &&
              render(&run, &analysis, format_of(settings), output ? output : folder, &err) &&
              cli_finish_output(&err);
    int status = !ok ? log_error(&err) : verdict_any_failed(analysis.verdicts) ? ERR_VERDICT : 0;
    arena_free(&arena);
    return status;
}

static int
report_list(const struct settings *settings, const char *folder)
{
    struct buf text = {0};
    struct err err;
    bool ok = list_runs(folder, settings_flag(settings, SET_JSON), &text, &err);

    if (ok) {
        fwrite(buf_text(&text), 1, text.length, stdout);
        ok = cli_finish_output(&err);
    }
    buf_free(&text);
    return ok ? 0 : log_error(&err);
}

static bool
store_merged(const struct run *merged, const char *folder, struct err *err)
{
    struct store *store = store_create(folder, merged, err);
    bool ok = store && store_put_environment(store, &merged->environment, err);

    for (int i = 0; ok && i < merged->steps_count; i++)
        ok = store_put_step(store, &merged->steps[i], err);
    ok = ok && (!merged->check.done || store_put_check(store, &merged->check, err)) &&
         store_end(store, merged->status, merged->ended_wall_us, err);
    store_close(store);
    return ok;
}

/* Beside, and moved when it is whole: a run of which a part is missing would look like one that was
 * broken off. */
static bool
put_merged(const struct run *merged, const char *output, struct err *err)
{
    struct arena arena = {0};
    const char *store = fs_join(&arena, output, STORE_FILE);
    const char *beside = fs_join(&arena, output, arena_printf(&arena, ".merging-%d", getpid()));
    struct err ignored;

    bool ok = !fs_exists(store) ||
              err_set(err, ERR_LOCAL, "\"%s\" holds the results of another run", output);
    if (ok) {
        ok = fs_make_folder(beside, err) && store_merged(merged, beside, err) &&
             fs_move(fs_join(&arena, beside, STORE_FILE), store, err);
        if (!fs_remove_tree(beside, ok ? err : &ignored))
            ok = false;
    }
    arena_free(&arena);
    return ok;
}

/* Reads them all, and stores the one that they make. */
static bool
merge(char *const *folders, int count, const char *output, struct err *err)
{
    struct arena arena = {0};
    struct run runs[MERGE_RUNS_MAX], merged;
    bool ok = true;

    for (int i = 0; ok && i < count; i++) {
        struct store *store = store_open(folders[i], err);
        ok = store && store_read(store, &arena, &runs[i], err);
        store_close(store);
    }
    ok = ok && merge_runs(runs, (const char *const *)folders, count, &merged, &arena, err) &&
         put_merged(&merged, output, err);
    arena_free(&arena);
    return ok;
}

static int
usage(const char *message)
{
    struct err err;

    err_set(&err, ERR_USAGE, "%s", message);
    return log_error(&err);
}

static int
report_merged(const struct settings *settings, int count, char **folders)
{
    const char *output = settings_text(settings, SET_OUTPUT);
    struct err err;

    if (count < 2)
        return usage("--merge needs the folders of two load hosts or more");
    if (!output)
        return usage("--merge needs a new folder: --output DIR");
    return merge(folders, count, output, &err) ? report_one(settings, output) : log_error(&err);
}

static int
run_report(struct settings *settings, int operand_count, char **operands)
{
    bool list = settings_flag(settings, SET_LIST);

    if (settings_flag(settings, SET_MERGE))
        return list ? usage("--list and --merge exclude each other")
                    : report_merged(settings, operand_count, operands);
    if (operand_count > 1)
        return usage("report takes one folder, unless --merge says what to do with more");
    return list ? report_list(settings, operands[0]) : report_one(settings, operands[0]);
}

const struct command report_command = {
    .name = "report",
    .operands = "RUN...",
    .operands_min = 1,
    .operands_max = MERGE_RUNS_MAX,
    .bit = CMD_REPORT,
    .summary = "write the report of a finished run, in any of eight forms",
    .description =
        "Reads the folder of a run and writes its report into that folder, or into the one given "
        "by --output, and prints the path of each file. The same run gives the same bytes every "
        "time, whatever the locale, the time zone and the day. The exit status is 1 when a verdict "
        "of the run is FAIL.\n"
        "html is report.html, one file that needs no network and no JavaScript; text is "
        "report.txt, 80 columns; json prints one document; xml is result.xml with result.xsd "
        "beside it; csv is every table and every second; hgrm is the histogram of each level and "
        "transaction in HdrHistogram's percentile format; svg and png are the charts, for slides. "
        "Charts are drawn by gnuplot; without it the report has its tables and says what is "
        "missing.\n"
        "--list DIR prints the runs under a folder instead. --merge makes one run of the folders "
        "of "
        "several load hosts that worked together: histograms are pooled and NOPM added, and what "
        "does not belong together is refused.",
    .examples = "ordermill report ordermill-runs/demo\n"
                "ordermill report ordermill-runs/demo --format json\n"
                "ordermill report ordermill-runs/demo -o /tmp/report\n"
                "ordermill report --list ordermill-runs",
    .run = run_report,
};

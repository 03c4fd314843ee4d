/* The command: ordermill report RUN. */
#include <stdio.h>
#include <string.h>

#include "common/log.h"
#include "reports/files.h"
#include "reports/json.h"
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

    return !chosen && settings_is_set(settings, SET_OUTPUT) ? "all"
                                                            : settings_choice(settings, SET_FORMAT);
}

static int
run_report(struct settings *settings, int operand_count, char **operands)
{
    const char *output = settings_text(settings, SET_OUTPUT);
    struct arena arena = {0};
    struct run run;
    struct analysis analysis;
    struct err err;

    must(operand_count == 1);
    bool ok = reports_open(operands[0], &arena, &run, &analysis, &err) &&
              render(&run, &analysis, format_of(settings), output ? output : operands[0], &err) &&
              cli_finish_output(&err);
    int status = !ok ? log_error(&err) : verdict_any_failed(analysis.verdicts) ? ERR_VERDICT : 0;
    arena_free(&arena);
    return status;
}

const struct command report_command = {
    .name = "report",
    .operands = "RUN",
    .operands_min = 1,
    .operands_max = 1,
    .bit = CMD_REPORT,
    .summary = "write the report of a finished run",
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
        "missing.",
    .examples = "ordermill report ordermill-runs/demo\n"
                "ordermill report ordermill-runs/demo --format json\n"
                "ordermill report ordermill-runs/demo -o /tmp/report",
    .run = run_report,
};

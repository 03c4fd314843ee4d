/* The command: ordermill report RUN. */
#include <stdio.h>
#include <string.h>

#include "common/fs.h"
#include "common/log.h"
#include "reports/json.h"
#include "reports/open.h"
#include "reports/reports.h"

static bool
render(const struct run *run, const struct analysis *analysis, const char *format,
       const char *output, struct err *err)
{
    if (strcmp(format, "json") == 0) {
        struct buf text = {0};
        json_report(run, analysis, &text);
        fwrite(buf_text(&text), 1, text.length, stdout);
        buf_free(&text);
        return true;
    }
    if (!fs_make_folder(output, err))
        return false;
    bool html = strcmp(format, "html") == 0;
    if (html ? !reports_write_html(run, analysis, output, err)
             : !reports_write_text(run, analysis, output, err))
        return false;
    printf("%s/%s\n", output, html ? "report.html" : "report.txt");
    return true;
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
              render(&run, &analysis, settings_choice(settings, SET_FORMAT),
                     output ? output : operands[0], &err) &&
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
        "Reads the folder of a run and writes its report: html and text as report.html and "
        "report.txt into that folder or the one given by --output, whose path is printed; json "
        "prints one document. The same run gives the same bytes every time. The exit status is 1 "
        "when a verdict of the run is FAIL.\n"
        "report.html is one file that needs no network and no JavaScript. Its charts are drawn by "
        "gnuplot; without it the report has its tables and says what is missing.",
    .examples = "ordermill report ordermill-runs/demo\n"
                "ordermill report ordermill-runs/demo --format json\n"
                "ordermill report ordermill-runs/demo --format text -o /tmp/report",
    .run = run_report,
};

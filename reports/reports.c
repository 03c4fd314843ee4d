/* From the folder of a run to the files of its report. */
#include "reports/reports.h"

#include "common/fs.h"
#include "common/log.h"
#include "common/store.h"
#include "reports/html.h"
#include "reports/json.h"
#include "reports/open.h"
#include "reports/text.h"

bool
reports_open(const char *folder, struct arena *arena, struct run *run, struct analysis *analysis,
             struct err *err)
{
    struct store *store = store_open(folder, err);
    bool ok = store && store_read(store, arena, run, err);

    store_close(store);
    if (ok)
        analysis_make(analysis, run, arena);
    return ok;
}

static bool
write_file(const char *folder, const char *name, const struct buf *text, struct err *err)
{
    struct arena arena = {0};
    bool ok = fs_write(fs_join(&arena, folder, name), buf_text(text), text->length, err);

    arena_free(&arena);
    return ok;
}

bool
reports_write_html(const struct run *run, const struct analysis *analysis, const char *folder,
                   struct err *err)
{
    struct buf text = {0};
    struct err missing;

    html_report(run, analysis, &text, &missing);
    if (missing.code != ERR_NONE)
        log_warning("%s", missing.message);
    bool ok = write_file(folder, "report.html", &text, err);
    buf_free(&text);
    return ok;
}

bool
reports_write_text(const struct run *run, const struct analysis *analysis, const char *folder,
                   struct err *err)
{
    struct buf text = {0};

    text_report(run, analysis, &text);
    bool ok = write_file(folder, "report.txt", &text, err);
    buf_free(&text);
    return ok;
}

bool
reports_write(const char *folder, const char *output, struct err *err)
{
    struct arena arena = {0};
    struct run run;
    struct analysis analysis;

    if (!output)
        output = folder;
    bool ok = reports_open(folder, &arena, &run, &analysis, err) && fs_make_folder(output, err) &&
              reports_write_html(&run, &analysis, output, err) &&
              reports_write_text(&run, &analysis, output, err);
    arena_free(&arena);
    return ok;
}

bool
reports_text(const char *folder, struct buf *out, struct err *err)
{
    struct arena arena = {0};
    struct run run;
    struct analysis analysis;

    bool ok = reports_open(folder, &arena, &run, &analysis, err);
    if (ok)
        text_report(&run, &analysis, out);
    arena_free(&arena);
    return ok;
}

bool
reports_json(const char *folder, struct buf *out, struct err *err)
{
    struct arena arena = {0};
    struct run run;
    struct analysis analysis;

    bool ok = reports_open(folder, &arena, &run, &analysis, err);
    if (ok)
        json_report(&run, &analysis, out);
    arena_free(&arena);
    return ok;
}

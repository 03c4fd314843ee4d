/* From the folder of a run to the files of its report. */
#include "reports/reports.h"

#include "common/log.h"
#include "common/store.h"
#include "reports/analyse.h"
#include "reports/files.h"
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

bool
reports_write(const char *folder, const char *output, struct err *err)
{
    struct arena arena = {0};
    struct run run;
    struct analysis analysis;
    struct files files = {.run = &run, .analysis = &analysis, .folder = output ? output : folder};

    bool ok =
        reports_open(folder, &arena, &run, &analysis, err) && files_write(&files, "html", err);
    if (ok && files.missing.code != ERR_NONE)
        log_warning("%s", files.missing.message);
    ok = ok && files_write(&files, "text", err);
    buf_free(&files.paths);
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

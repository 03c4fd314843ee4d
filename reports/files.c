/* Owns the names of the files. What stands in them is each form's own. */
#include "reports/files.h"

#include <stdio.h>
#include <string.h>

#include "common/embedded.h"
#include "common/fs.h"
#include "reports/charts.h"
#include "reports/hgrm.h"
#include "reports/html.h"
#include "reports/json.h"
#include "reports/result_xml.h"
#include "reports/tables.h"
#include "reports/text.h"

static bool
write_file(struct files *files, const char *name, const struct buf *text, struct err *err)
{
    struct arena arena = {0};
    const char *path = fs_join(&arena, files->folder, name);
    bool ok = fs_write(path, buf_text(text), text->length, err);

    if (ok)
        buf_printf(&files->paths, "%s\n", path);
    arena_free(&arena);
    return ok;
}

static bool
make_folder(struct files *files, const char *name, struct err *err)
{
    struct arena arena = {0};
    bool ok = fs_make_folder(fs_join(&arena, files->folder, name), err);

    arena_free(&arena);
    return ok;
}

static bool
write_html(struct files *files, struct err *err)
{
    struct buf text = {0};

    html_report(files->run, files->analysis, &text, &files->missing);
    bool ok = write_file(files, "report.html", &text, err);
    buf_free(&text);
    return ok;
}

static bool
write_text(struct files *files, struct err *err)
{
    struct buf text = {0};

    text_report(files->run, files->analysis, &text);
    bool ok = write_file(files, "report.txt", &text, err);
    buf_free(&text);
    return ok;
}

static bool
write_json(struct files *files, struct err *err)
{
    struct buf text = {0};

    json_report(files->run, files->analysis, &text);
    bool ok = write_file(files, "result.json", &text, err);
    buf_free(&text);
    return ok;
}

static bool
write_xml(struct files *files, struct err *err)
{
    const char *schema = embedded_text("reports/result.xsd");
    struct buf text = {0}, xsd = {0};

    must(schema);
    result_xml(files->run, files->analysis, &text);
    buf_puts(&xsd, schema);
    bool ok =
        write_file(files, "result.xml", &text, err) && write_file(files, "result.xsd", &xsd, err);
    buf_free(&text);
    buf_free(&xsd);
    return ok;
}

/* Too many rows for a table. */
static void
put_seconds(const struct run *run, struct buf *out)
{
    buf_puts(out, "step,at_s,phase,virtual_users,in_flight,waiting,retries,new_order_p95_us");
    for (int type = 0; type < TXN_TYPES; type++)
        for (int outcome = 0; outcome < OUTCOMES; outcome++)
            buf_printf(out, ",%s_%s", txn_names[type], outcome_names[outcome]);
    buf_puts(out, "\r\n");
    for (int i = 0; i < run->steps_count; i++)
        for (int k = 0; k < run->steps[i].seconds_count; k++) {
            const struct second *second = &run->steps[i].seconds[k];
            buf_printf(out, "%d,%d,%s,%u,%u,%u,%u,%lld", run->steps[i].number, second->at_s,
                       phase_names[second->phase], second->virtual_users, second->in_flight,
                       second->waiting, second->retries, (long long)second->new_order_p95_us);
            for (int type = 0; type < TXN_TYPES; type++)
                for (int outcome = 0; outcome < OUTCOMES; outcome++)
                    buf_printf(out, ",%u", second->outcomes[type][outcome]);
            buf_puts(out, "\r\n");
        }
}

static void
put_metrics(const struct run *run, struct arena *arena, struct buf *out)
{
    static const struct table_column columns[] = {
        {"step", "", 0, 0, NULL},     {"source", "", 0, 0, NULL}, {"name", "", 0, 0, NULL},
        {"instance", "", 0, 0, NULL}, {"unit", "", 0, 0, NULL},   {"kind", "", 0, 0, NULL},
        {"samples", "", 0, 0, NULL},  {"mean", "", 0, 6, NULL},   {"min", "", 0, 6, NULL},
        {"max", "", 0, 6, NULL},      {"first", "", 0, 6, NULL},  {"last", "", 0, 6, NULL},
        {"total", "", 0, 6, NULL},    {"missing", "", 0, 0, NULL}};
    size_t count = 0;

    for (int i = 0; i < run->steps_count; i++)
        count += (size_t)run->steps[i].metrics_count;
    struct table *table =
        table_make(arena, "metrics", "metric", columns, sizeof columns / sizeof columns[0], count);
    for (int i = 0; i < run->steps_count; i++)
        for (int k = 0; k < run->steps[i].metrics_count; k++) {
            const struct metric *metric = &run->steps[i].metrics[k];
            const double values[] = {metric->mean,  metric->min,  metric->max,
                                     metric->first, metric->last, metric->total};
            table_row(table, NULL);
            table_count(table, run->steps[i].number);
            table_word(table, metric_source_names[metric->source]);
            table_word(table, metric->name);
            table_text(table, metric->instance);
            table_word(table, metric->unit);
            table_word(table, metric_kind_names[metric->kind]);
            table_count(table, metric->samples);
            for (size_t v = 0; v < sizeof values / sizeof values[0]; v++)
                if (metric->samples > 0)
                    table_real(table, values[v]);
                else
                    table_none(table, "");
            table_text(table, metric->missing);
        }
    table_csv(table, out);
}

static bool
write_csv(struct files *files, struct err *err)
{
    struct arena arena = {0};
    struct buf text = {0};
    bool ok = make_folder(files, "csv", err);

    for (int i = 0; ok && tables_all[i]; i++) {
        const struct table *table = tables_all[i](files->run, files->analysis, &arena);
        buf_clear(&text);
        table_csv(table, &text);
        ok = write_file(files, arena_printf(&arena, "csv/%s.csv", table->id), &text, err);
    }
    buf_clear(&text);
    put_metrics(files->run, &arena, &text);
    ok = ok && write_file(files, "csv/metrics.csv", &text, err);
    buf_clear(&text);
    put_seconds(files->run, &text);
    ok = ok && write_file(files, "csv/seconds.csv", &text, err);
    buf_free(&text);
    arena_free(&arena);
    return ok;
}

/* Levels are numbered as in the table of levels: names of configurations are foreign text. */
static bool
write_hgrm(struct files *files, struct err *err)
{
    struct buf text = {0};
    bool ok = make_folder(files, "hgrm", err);

    for (int i = 0; ok && i < files->analysis->levels_count; i++) {
        const struct analysis_level *level = &files->analysis->levels[i];
        for (int type = 0; ok && type < TXN_TYPES; type++) {
            char name[96];
            if (!step_shows(level->steps[0], type))
                continue;
            snprintf(name, sizeof name, "hgrm/%02d-%dw-%du-%s.hgrm", i + 1, level->warehouses,
                     level->virtual_users, txn_names[type]);
            buf_clear(&text);
            hgrm_write(&level->transactions[type].response, &text);
            ok = write_file(files, name, &text, err);
        }
    }
    buf_free(&text);
    return ok;
}

static bool
write_chart(struct files *files, const struct plot *plot, bool png, struct err *err)
{
    struct buf bytes = {0};
    char name[96];
    bool ok = true;

    snprintf(name, sizeof name, "charts/%s.%s", plot->id, png ? "png" : "svg");
    if (png)
        ok = plot_png(plot, &bytes, err);
    else
        plot_svg(plot, &bytes);
    ok = ok && write_file(files, name, &bytes, err);
    buf_free(&bytes);
    return ok;
}

static bool
write_charts(struct files *files, bool png, struct err *err)
{
    struct arena arena = {0};
    struct charts charts;

    charts_make(&charts, files->run, files->analysis, &arena);
    bool ok = (png || charts_draw(&charts, err)) && make_folder(files, "charts", err);
    for (int i = 0; ok && i < charts.count; i++)
        if (!charts.charts[i].absent)
            ok = write_chart(files, &charts.charts[i].plot, png, err);
    charts_free(&charts);
    arena_free(&arena);
    return ok;
}

static bool
write_svg(struct files *files, struct err *err)
{
    return write_charts(files, false, err);
}

static bool
write_png(struct files *files, struct err *err)
{
    return write_charts(files, true, err);
}

static const struct {
    const char *name;
    bool (*write)(struct files *files, struct err *err);
} forms[] = {
    {"html", write_html}, {"text", write_text}, {"json", write_json}, {"xml", write_xml},
    {"csv", write_csv},   {"hgrm", write_hgrm}, {"svg", write_svg},   {"png", write_png},
};

bool
files_write(struct files *files, const char *format, struct err *err)
{
    bool all = strcmp(format, "all") == 0;
    bool ok = fs_make_folder(files->folder, err);

    files->missing.code = ERR_NONE;
    for (size_t i = 0; ok && i < sizeof forms / sizeof forms[0]; i++) {
        bool is_chart = forms[i].write == write_svg || forms[i].write == write_png;
        if (all ? is_chart && files->missing.code != ERR_NONE : strcmp(forms[i].name, format) != 0)
            continue;
        ok = forms[i].write(files, err);
    }
    return ok;
}

/* The rules of the plan and its two forms. */
#include "profiles/forecast.h"

#include <inttypes.h>

#include "common/json.h"
#include "common/units.h"
#include "reports/analysis.h"

static double
ratio(int64_t a, int64_t b)
{
    return (double)a / (double)b;
}

int64_t
forecast_disk_bytes(const struct forecast *f)
{
    int64_t total = size_total(&f->size);

    return (f->built_bytes > 0 ? 0 : total) + (f->copied ? total : 0);
}

const char *
forecast_disk_warning(struct arena *arena, int64_t bytes, int64_t free_bytes, const char *what)
{
    char size[UNITS_TEXT_SIZE], other[UNITS_TEXT_SIZE];

    if (free_bytes <= 0 || bytes <= free_bytes / 2)
        return NULL;
    units_size(size, bytes);
    units_size(other, free_bytes);
    if (bytes > free_bytes)
        return arena_printf(arena, "%s%s do not fit into the %s that are free", size, what, other);
    return arena_printf(arena, "%s%s fill over half of the %s that are free: runs add rows and log",
                        size, what, other);
}

/* Against all the memory there is, or what the server was told of it. */
static const char *
memory_warning(const struct forecast *f, struct arena *arena)
{
    int64_t total = size_total(&f->size);
    int64_t cache = f->memory_bytes > 0 ? f->memory_bytes : f->effective_cache_bytes;

    if (cache > 0 && total > 4 * cache)
        return arena_printf(arena, "the data are %.1f times the memory: this measures the disk",
                            ratio(total, cache));
    if (f->shared_buffers_bytes > 0 && total < f->shared_buffers_bytes / 2)
        return arena_printf(arena,
                            "the data fill %.0f %% of shared_buffers: reads never reach the disk",
                            100 * ratio(total, f->shared_buffers_bytes));
    if (cache > 0 && total < cache / 4)
        return arena_printf(arena,
                            "the data fill %.0f %% of the memory: reads hardly reach the disk",
                            100 * ratio(total, cache));
    return NULL;
}

int
forecast_warnings(const struct forecast *f, struct arena *arena,
                  const char *warnings[FORECAST_WARNINGS_MAX])
{
    const char *disk = forecast_disk_warning(arena, forecast_disk_bytes(f), f->disk_free_bytes,
                                             f->copied ? ", with the copy that steps run in," : "");
    const char *memory = memory_warning(f, arena);
    char size[UNITS_TEXT_SIZE], other[UNITS_TEXT_SIZE];
    int count = 0;

    if (disk)
        warnings[count++] = disk;
    if (memory)
        warnings[count++] = memory;
    if (f->virtual_users > f->warehouses)
        warnings[count++] = arena_printf(
            arena,
            "%d virtual users share %" PRId64 " warehouse%s, %.0f %% of them a home with another: "
            "they wait for each other's rows",
            f->virtual_users, f->warehouses, f->warehouses == 1 ? "" : "s",
            100 * analysis_collisions(f->virtual_users, (int)f->warehouses));
    if (f->window_us > 0 && f->window_us < f->checkpoint_cycle_us)
        warnings[count++] = arena_printf(
            arena, "a window of %s is shorter than the %s from one checkpoint to the next",
            units_exact_duration(size, f->window_us),
            units_exact_duration(other, f->checkpoint_cycle_us));
    return count;
}

/* --- for people ------------------------------------------------------------------------------- */

static void
put_row(struct buf *out, const char *name, const char *rows, int64_t bytes)
{
    char size[UNITS_TEXT_SIZE];

    buf_printf(out, "  %-22s %18s %12s\n", name, rows, units_size(size, bytes));
}

static void
put_sizes(const struct forecast *f, struct buf *out)
{
    char rows[UNITS_TEXT_SIZE];

    buf_printf(out, "  %-22s %18s %12s\n", "table, index", "rows", "size");
    for (int i = 0; i < OPTIONS_TABLES; i++) {
        const struct size_table *table = &f->size.tables[i];

        put_row(out, table->name, units_count(rows, table->rows), table->heap_bytes);
        for (int k = 0; k < SIZE_INDEXES_MAX && table->indexes[k].name; k++) {
            buf_puts(out, "  ");
            put_row(out, table->indexes[k].name, "", table->indexes[k].bytes);
        }
    }
    put_row(out, "all", units_count(rows, f->size.rows), size_total(&f->size));
}

static void
put_against(struct buf *out, const char *name, int64_t bytes, int64_t total)
{
    char size[UNITS_TEXT_SIZE];

    if (bytes <= 0)
        buf_printf(out, "  %-22s %18s\n", name, "not available");
    else if (total < 10 * bytes)
        buf_printf(out, "  %-22s %18s  the data are %.0f %% of it\n", name, units_size(size, bytes),
                   100 * ratio(total, bytes));
    else
        buf_printf(out, "  %-22s %18s  the data are %.0f times as much\n", name,
                   units_size(size, bytes), ratio(total, bytes));
}

static void
put_server(const struct forecast *f, struct buf *out)
{
    int64_t total = size_total(&f->size);
    char text[UNITS_TEXT_SIZE], jobs[UNITS_TEXT_SIZE];

    buf_printf(out, "\n%.79s\n", f->server ? f->server : "server: not available");
    put_against(out, "shared_buffers", f->shared_buffers_bytes, total);
    put_against(out, "effective_cache_size", f->effective_cache_bytes, total);
    put_against(out, "memory", f->memory_bytes, total);
    put_against(out, "free disk", f->disk_free_bytes, total);
    if (f->built_bytes > 0) {
        buf_printf(out, "  %-22s %18s  nothing has to be loaded\n", "built already",
                   units_size(text, f->built_bytes));
        return;
    }
    if (f->probe.bytes == 0) {
        buf_printf(out, "  %-22s %18s  %.30s\n", "load", "not available", f->no_probe);
        return;
    }
    buf_printf(out, "  %-22s %18s  with %s job%s; %s/s in the probe\n", "load, roughly",
               units_duration(text, (int64_t)(probe_load_s(&f->probe, &f->size) * 1e6)),
               units_exact_int(jobs, f->probe.jobs), f->probe.jobs == 1 ? "" : "s",
               units_size((char[UNITS_TEXT_SIZE]){0},
                          (int64_t)((double)f->probe.bytes / f->probe.elapsed_s)));
}

void
forecast_text(const struct forecast *f, struct buf *out)
{
    const char *warnings[FORECAST_WARNINGS_MAX];
    struct arena arena = {0};
    char count[UNITS_TEXT_SIZE];
    int warnings_count = forecast_warnings(f, &arena, warnings);

    buf_printf(out, "%s warehouse%s, freshly loaded\n\n", units_count(count, f->warehouses),
               f->warehouses == 1 ? "" : "s");
    put_sizes(f, out);
    put_server(f, out);
    buf_puts(out, "\n");
    for (int i = 0; i < warnings_count; i++)
        buf_printf(out, "warning: %s\n", warnings[i]);
    buf_printf(out,
               "Up to %s virtual user%s a home warehouse each; more than that wait for\n"
               "each other's rows. Five to ten warehouses for each are ample.\n",
               count, f->warehouses == 1 ? " has" : "s have");
    arena_free(&arena);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void
put_known(struct json *json, const char *key, int64_t bytes)
{
    if (bytes > 0)
        json_int(json, key, bytes);
    else
        json_null(json, key);
}

static void
put_table(struct json *json, const struct size_table *table)
{
    json_object(json, table->name);
    json_int(json, "rows", table->rows);
    json_int(json, "heap_bytes", table->heap_bytes);
    json_object(json, "indexes");
    for (int i = 0; i < SIZE_INDEXES_MAX && table->indexes[i].name; i++)
        json_int(json, table->indexes[i].name, table->indexes[i].bytes);
    json_object_end(json);
    json_object_end(json);
}

static void
put_probe(struct json *json, const struct forecast *f)
{
    if (f->probe.bytes == 0) {
        json_null(json, "load");
        return;
    }
    json_object(json, "load");
    json_real(json, "expected_s", probe_load_s(&f->probe, &f->size), 1);
    json_int(json, "jobs", f->probe.jobs);
    json_int(json, "probe_bytes", f->probe.bytes);
    json_real(json, "probe_s", f->probe.elapsed_s, 3);
    json_object_end(json);
}

void
forecast_put(const struct forecast *f, struct json *json)
{
    const char *warnings[FORECAST_WARNINGS_MAX];
    struct arena arena = {0};
    int warnings_count = forecast_warnings(f, &arena, warnings);

    json_int(json, "warehouses", f->warehouses);
    json_int(json, "rows", f->size.rows);
    json_int(json, "heap_bytes", f->size.heap_bytes);
    json_int(json, "index_bytes", f->size.index_bytes);
    json_int(json, "bytes", size_total(&f->size));
    json_int(json, "copy_bytes", f->size.copy_bytes);
    json_object(json, "tables");
    for (int i = 0; i < OPTIONS_TABLES; i++)
        put_table(json, &f->size.tables[i]);
    json_object_end(json);
    json_string(json, "server", f->server);
    json_string(json, "server_problem", f->server ? NULL : f->unavailable);
    put_known(json, "shared_buffers_bytes", f->shared_buffers_bytes);
    put_known(json, "effective_cache_size_bytes", f->effective_cache_bytes);
    put_known(json, "memory_bytes", f->memory_bytes);
    put_known(json, "disk_free_bytes", f->disk_free_bytes);
    put_known(json, "built_bytes", f->built_bytes);
    put_probe(json, f);
    json_array(json, "warnings");
    for (int i = 0; i < warnings_count; i++)
        json_string(json, NULL, warnings[i]);
    json_array_end(json);
    arena_free(&arena);
}

void
forecast_json(const struct forecast *f, struct buf *out)
{
    struct json json;

    json_begin(&json, out);
    json_object(&json, NULL);
    forecast_put(f, &json);
    json_object_end(&json);
    json_end(&json);
}

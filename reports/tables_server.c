/* The tables of what was seen beside the load. */
#include "reports/level_metrics.h"
#include "reports/tables.h"

#include <math.h>
#include <string.h>

#define COLUMNS(array) (array), sizeof(array) / sizeof(array)[0]
#define WAITS_MAX      32 /* of a level; the rarest are one row together */

static void
put(struct table *table, double value)
{
    if (isnan(value))
        table_none(table, "not available");
    else
        table_real(table, value);
}

static void
put_resources(struct table *table, const struct analysis_level *level, enum metric_source host,
              const char *curve)
{
    table_row(table, NULL);
    table_word(table, level->configuration);
    table_count(table, level->warehouses);
    table_count(table, level->virtual_users);
    put(table, level_metrics_mean(level, host, "cpu_busy", "all"));
    put(table, level_metrics_mean(level, host, "cpu_iowait", "all"));
    put(table, level_metrics_cpu_us(level, host));
    put(table, level_metrics_mean(level, METRIC_DRIVER_HOST, "cpu_busy", "all"));
    put(table, level_metrics_mean(level, METRIC_SERVER, "hit_ratio", NULL));
    put(table, level_metrics_per_new_order(level, METRIC_SERVER, "wal_bytes"));
    put(table, level_metrics_per_new_order(level, METRIC_SERVER, "wal_full_page_images"));
    put(table, level_metrics_mean(level, host, "disk_written", NULL) / 1e6);
    put(table, level_metrics_mean(level, host, "disk_read", NULL) / 1e6);
    put(table, level_metrics_total(level, METRIC_SERVER, "checkpoints_timed") +
                   level_metrics_total(level, METRIC_SERVER, "checkpoints_requested"));
    put(table, level_metrics_total(level, METRIC_SERVER, "deadlocks"));
    table_word(table, curve);
}

struct table *
tables_resources(const struct run *run, const struct analysis *analysis, struct arena *arena)
{
    static const struct table_column columns[] = {
        {"configuration", "configuration", COLUMN_LEFT | COLUMN_RAW, 0, NULL},
        {"warehouses", "warehouses", COLUMN_RAW | COLUMN_PLAIN, 0, NULL},
        {"virtual_users", "virtual users", COLUMN_PLAIN, 0, NULL},
        {"server_cpu_percent", "server\xe2\x80\x99s host busy", 0, 1, "%"},
        {"server_iowait_percent", "waits for disks", 0, 1, "%"},
        {"server_cpu_us_per_new_order", "host CPU per new-order", 0, 0, "\xc2\xb5s"},
        {"driver_cpu_percent", "driver\xe2\x80\x99s host busy", 0, 1, "%"},
        {"hit_percent", "found in buffers", 0, 2, "%"},
        {"wal_bytes_per_new_order", "log per new-order", 0, 0, "B"},
        {"full_page_images_per_new_order", "page images per new-order", 0, 3, NULL},
        {"disk_written_mb_per_s", "written", 0, 2, "MB/s"},
        {"disk_read_mb_per_s", "read", 0, 2, "MB/s"},
        {"checkpoints", "checkpoints", 0, 0, NULL},
        {"deadlocks", "deadlocks", 0, 0, NULL},
        {"curve", "curve", COLUMN_RAW | COLUMN_LEFT, 0, NULL},
    };
    struct table *table = table_make(arena, "resources", "resource", COLUMNS(columns),
                                     (size_t)analysis->levels_count);
    enum metric_source host = level_metrics_server_host(run);

    for (int i = 0; i < analysis->levels_count; i++)
        put_resources(table, &analysis->levels[i], host,
                      analysis->curves[analysis->levels[i].curve].title);
    return table;
}

struct table *
tables_waits(const struct run *run, const struct analysis *analysis, struct arena *arena)
{
    static const struct table_column columns[] = {
        {"configuration", "configuration", COLUMN_LEFT | COLUMN_RAW, 0, NULL},
        {"warehouses", "warehouses", COLUMN_PLAIN, 0, NULL},
        {"virtual_users", "virtual users", COLUMN_PLAIN, 0, NULL},
        {"wait", "what sessions did", COLUMN_LEFT, 0, NULL},
        {"sessions", "sessions, mean", 0, 3, NULL},
        {"share_percent", "of the database time", 0, 1, "%"},
        {"curve", "curve", COLUMN_RAW | COLUMN_LEFT, 0, NULL},
    };
    const char *names[WAITS_MAX];
    int count = level_metrics_waits(analysis, names, WAITS_MAX);
    struct table *table = table_make(arena, "waits", "wait", COLUMNS(columns),
                                     (size_t)(count * analysis->levels_count));
    (void)run;

    for (int i = 0; i < analysis->levels_count; i++) {
        const struct analysis_level *level = &analysis->levels[i];
        double sessions[WAITS_MAX];
        double all = level_metrics_in_waits(level, names, count, sessions);
        bool first = true;
        for (int k = 0; k < count; k++) {
            if (!(sessions[k] > 0) || !(all > 0))
                continue;
            table_row(table, first ? "first" : NULL);
            first = false;
            table_word(table, level->configuration);
            table_count(table, level->warehouses);
            table_count(table, level->virtual_users);
            table_word(table, names[k]);
            table_real(table, sessions[k]);
            table_real(table, 100 * sessions[k] / all);
            table_word(table, analysis->curves[level->curve].title);
        }
    }
    return table;
}

struct table *
tables_findings(const struct run *run, const struct analysis *analysis, struct arena *arena)
{
    static const struct table_column columns[] = {
        {"severity", "severity", COLUMN_LEFT, 0, NULL},
        {"name", "check", COLUMN_LEFT, 0, NULL},
        {"seen", "what was seen", COLUMN_LEFT, 0, NULL},
        {"why", "why it matters", COLUMN_LEFT, 0, NULL},
        {"mend", "what mends it", COLUMN_LEFT, 0, NULL},
    };
    const struct environment *environment = &run->environment;
    struct table *table = table_make(arena, "findings", "finding", COLUMNS(columns),
                                     (size_t)environment->findings_count);
    (void)analysis;

    for (int i = 0; i < environment->findings_count; i++) {
        const struct finding *finding = &environment->findings[i];
        table_row(table, finding->severity == SEVERITY_SPOILS ? "void" : NULL);
        table_word(table, severity_names[finding->severity]);
        table_word(table, finding->name);
        table_text(table, finding->seen);
        table_text(table, finding->why);
        table_text(table, finding->mend);
    }
    return table;
}

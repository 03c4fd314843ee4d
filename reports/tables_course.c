/* The tables of how a run went: what the kit was told to do, and what it did beside the steps. */
#include "reports/tables.h"

#include "common/clock.h"

#define COLUMNS(array) (array), sizeof(array) / sizeof(array)[0]

struct table *
tables_options(const struct run *run, const struct analysis *analysis, struct arena *arena)
{
    static const struct table_column columns[] = {
        {"name", "setting", COLUMN_LEFT, 0, NULL},
        {"value", "value", COLUMN_LEFT, 0, NULL},
        {"source", "from", COLUMN_LEFT, 0, NULL},
    };
    struct table *table =
        table_make(arena, "options", "option", COLUMNS(columns), (size_t)run->settings_count);
    (void)analysis;

    for (int i = 0; i < run->settings_count; i++) {
        table_row(table, NULL);
        table_word(table, run->settings[i].name);
        table_text(table, run->settings[i].value);
        table_word(table, run->settings[i].source);
    }
    return table;
}

static void
put_event(struct table *table, const struct event *event, struct arena *arena)
{
    char at[CLOCK_TEXT_SIZE];

    table_row(table, NULL);
    table_word(table, arena_strdup(arena, clock_iso(at, event->wall_us)));
    if (event->step > 0)
        table_count(table, event->step);
    else
        table_none(table, "");
    table_word(table, event->what);
    if (event->elapsed_us >= 0)
        table_us(table, event->elapsed_us);
    else
        table_none(table, "");
    if (event->bytes >= 0)
        table_real(table, (double)event->bytes / 1e6);
    else
        table_none(table, "");
    table_text(table, event->detail);
}

struct table *
tables_journal(const struct run *run, const struct analysis *analysis, struct arena *arena)
{
    static const struct table_column columns[] = {
        {"at", "at", COLUMN_LEFT, 0, NULL},
        {"step", "step", COLUMN_PLAIN, 0, NULL},
        {"what", "what", COLUMN_LEFT, 0, NULL},
        {"elapsed_us", "took", 0, 0, NULL},
        {"size_mb", "tables and indexes then", 0, 1, "MB"},
        {"detail", "detail", COLUMN_LEFT, 0, NULL},
    };
    struct table *table =
        table_make(arena, "journal", "event", COLUMNS(columns), (size_t)run->journal_count);
    (void)analysis;

    for (int i = 0; i < run->journal_count; i++)
        put_event(table, &run->journal[i], arena);
    return table;
}

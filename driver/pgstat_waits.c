/* Owns the sampling of wait events: what each active session of the kit stood at, weighted with the
 * time since the look before. Their sum is the database time; a session that stands at nothing is
 * on a processor, or in code that does not say. */
#include "driver/pgstat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[PGSTAT_KINDS] = {
    "active", "idle", "idle in transaction", "other active", "hidden", "autovacuum"};

/* What a role may not see has neither state nor type. Background processes that it may not see have
 * no role either, and are nobody's sessions. */
const char pgstat_waits_sql[] =
    "SELECT kind, event, count(*)::text FROM (SELECT CASE"
    " WHEN backend_type IS NULL THEN 'hidden'"
    " WHEN backend_type = 'autovacuum worker' THEN 'autovacuum'"
    " WHEN state = 'active' AND application_name LIKE 'ordermill %' THEN 'active'"
    " WHEN state = 'active' THEN 'other active'"
    " WHEN state LIKE 'idle in%' THEN 'idle in transaction'"
    " ELSE 'idle' END AS kind,"
    " CASE WHEN state = 'active'"
    "  THEN coalesce(wait_event_type || ':' || wait_event, 'CPU') ELSE '' END AS event"
    " FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
    " AND (backend_type IN ('client backend', 'parallel worker', 'autovacuum worker')"
    "  OR backend_type IS NULL AND usesysid IS NOT NULL AND datid IS NOT NULL)) AS s"
    " GROUP BY kind, event";

/* The place of the event; the last one is everybody's who comes too late. */
static int
place_of(struct pgstat_waits *waits, const char *event)
{
    for (int i = 0; i < waits->count; i++)
        if (strcmp(waits->events[i], event) == 0)
            return i;
    if (waits->count == PGSTAT_EVENTS_MAX)
        return PGSTAT_EVENTS_MAX - 1;
    int at = waits->count++;
    snprintf(waits->events[at], sizeof waits->events[at], "%s",
             at == PGSTAT_EVENTS_MAX - 1 ? "other" : event);
    return at;
}

void
pgstat_waits_look(struct pgstat_waits *waits, int64_t at_us, const void *rows, int count,
                  pgstat_value_fn *value)
{
    double span_s = waits->looked_us > 0 ? (double)(at_us - waits->looked_us) / 1e6 : 0;

    for (int row = 0; row < count; row++) {
        const char *kind = value(rows, row, 0), *event = value(rows, row, 1);
        const char *number = value(rows, row, 2);
        double sessions = number ? strtod(number, NULL) : 0;
        for (int i = 0; kind && i < PGSTAT_KINDS; i++)
            if (strcmp(kind, kind_names[i]) == 0)
                waits->sessions[i] += sessions;
        if (kind && event && strcmp(kind, kind_names[PGSTAT_ACTIVE]) == 0)
            waits->session_s[place_of(waits, event)] += sessions * span_s;
    }
    waits->looked_us = at_us;
    waits->looks++;
}

void
pgstat_waits_feed(struct pgstat_waits *waits, struct series_set *set, int64_t at_us)
{
    if (waits->looks == 0)
        return;
    for (int i = 0; i < PGSTAT_KINDS; i++) {
        struct series_key key = {METRIC_SERVER, "sessions",   kind_names[i],
                                 "sessions",    METRIC_LEVEL, 1};
        series_feed(set, &key, at_us,
                    &(struct series_reading){.top = waits->sessions[i] / waits->looks});
    }
    for (int i = 0; i < waits->count; i++) {
        struct series_key key = {METRIC_SERVER, "wait",      waits->events[i],
                                 "sessions",    METRIC_RATE, 1};
        series_feed(
            set, &key, at_us,
            &(struct series_reading){.top = waits->session_s[i], .since_us = waits->fed_us});
    }
    memset(waits->sessions, 0, sizeof waits->sessions);
    waits->looks = 0;
    waits->fed_us = at_us;
}

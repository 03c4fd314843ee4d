/* Owns how the views become SQL and readings. Sending it is the sampler's. */
#include "driver/pgstat.h"

#include <stdlib.h>
#include <string.h>

#include "common/buf.h"
#include "common/pg.h"

struct view {
    const char *relation;
    enum pgstat_level level;
    const char *from, *instance;
    const char *tail, *reset;
};

struct field {
    enum pgstat_view_id view;
    const char *metric;
    enum metric_kind kind;
    const char *unit;
    double scale;
    const char *top, *bottom, *needs;
};

static const struct view views[PGSTAT_VIEWS] = {
#define PGSTAT_VIEW(id, relation, level, from, instance, tail, reset)                              \
    [PGSTAT_##id] = {relation, PGSTAT_##level, from, instance, tail, reset},
#define PGSTAT_FIELD(...)
#include "driver/pgstat.def"
};

static const struct field fields[] = {
#define PGSTAT_VIEW(...)
#define PGSTAT_FIELD(view, metric, kind, unit, scale, top, bottom, needs)                          \
    {PGSTAT_##view, metric, METRIC_##kind, unit, scale, top, bottom, needs},
#include "driver/pgstat.def"
};
#define FIELDS (int)(sizeof fields / sizeof *fields)

const char pgstat_columns_sql[] =
    "SELECT c.relname::text, a.attname::text, n.nspname::text"
    " FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace"
    " JOIN pg_attribute AS a ON a.attrelid = c.oid"
    " LEFT JOIN pg_extension AS e ON e.extname = 'pg_stat_statements'"
    " WHERE a.attnum > 0 AND NOT a.attisdropped"
    " AND (n.nspname = 'pg_catalog' AND (c.relname LIKE 'pg_stat%' OR c.relname = 'pg_database')"
    "  OR n.oid = e.extnamespace AND c.relname = 'pg_stat_statements')";

const char *
pgstat_metric(int i)
{
    return i < FIELDS ? fields[i].metric : NULL;
}

static struct series_key
key_of(const struct field *field, const char *instance)
{
    return (struct series_key){METRIC_SERVER, field->metric, instance,
                               field->unit,   field->kind,   field->scale};
}

/* --- what this server has --------------------------------------------------------------------- */

struct columns {
    const struct pgstat_column *list;
    int count;
};

static const struct pgstat_column *
find_column(const struct columns *columns, const char *relation, const char *name, size_t length)
{
    for (int i = 0; i < columns->count; i++) {
        const struct pgstat_column *column = &columns->list[i];
        if (strcmp(column->relation, relation) == 0 && strlen(column->column) == length &&
            strncmp(column->column, name, length) == 0)
            return column;
    }
    return NULL;
}

/* The first column that the field needs and the server lacks: its length, *name where it begins; 0
 * when all are there. */
static size_t
lacks(const struct columns *columns, const struct field *field, const char **name)
{
    const char *relation = views[field->view].relation;

    for (const char *word = field->needs; *word; word += strspn(word, " ")) {
        size_t length = strcspn(word, " ");
        *name = word;
        if (relation && !find_column(columns, relation, word, length))
            return length;
        word += length;
    }
    return 0;
}

static const char *
place_of(const struct columns *columns, const char *relation)
{
    for (int i = 0; i < columns->count; i++)
        if (strcmp(columns->list[i].relation, relation) == 0)
            return columns->list[i].schema;
    return NULL;
}

static bool
is_taken(const struct pgstat_query queries[PGSTAT_VIEWS], const char *metric)
{
    for (int view = 0; view < PGSTAT_VIEWS; view++)
        for (int i = 0; i < queries[view].count; i++)
            if (strcmp(fields[queries[view].fields[i]].metric, metric) == 0)
                return true;
    return false;
}

static void
choose_fields(struct pgstat_query queries[PGSTAT_VIEWS], const struct columns *columns)
{
    const char *name;

    for (int i = 0; i < FIELDS; i++) {
        struct pgstat_query *query = &queries[fields[i].view];
        if (lacks(columns, &fields[i], &name) > 0 || is_taken(queries, fields[i].metric))
            continue;
        must(query->count < PGSTAT_FIELDS_MAX);
        query->fields[query->count++] = i;
    }
}

static void
tell_missing(const struct pgstat_query queries[PGSTAT_VIEWS], struct arena *arena,
             const struct columns *columns, struct series_set *set)
{
    for (int i = 0; i < FIELDS; i++) {
        const struct field *field = &fields[i];
        const char *relation = views[field->view].relation, *name;
        size_t length = lacks(columns, field, &name);
        struct series_key key = key_of(field, "");

        if (length == 0 || is_taken(queries, field->metric))
            continue;
        if (!place_of(columns, relation))
            series_missing(set, &key, arena_printf(arena, "the server has no %s", relation));
        else
            series_missing(
                set, &key,
                arena_printf(arena, "%s has no column %.*s", relation, (int)length, name));
    }
}

/* --- SQL -------------------------------------------------------------------------------------- */

/* Appends text with each mark replaced. */
static void
put_replaced(struct buf *out, const char *text, const char *mark, const char *by)
{
    for (const char *at; (at = strstr(text, mark)); text = at + strlen(mark)) {
        buf_append(out, text, (size_t)(at - text));
        buf_puts(out, by);
    }
    buf_puts(out, text);
}

static void
put_from(struct buf *out, struct arena *arena, const char *from, const char *schema,
         const char *place)
{
    struct buf half = {0};

    put_replaced(&half, from, "@schema@", pg_quote_literal(arena, schema));
    put_replaced(out, buf_text(&half), "@place@", place ? pg_quote_identifier(arena, place) : "");
    buf_free(&half);
}

static const char *
sql_of(struct pgstat_query *query, const struct view *view, struct arena *arena, const char *schema,
       const char *place)
{
    struct buf sql = {0};

    buf_puts(&sql, "SELECT");
    if (query->has_instance)
        buf_printf(&sql, " (%s)::text,", view->instance);
    if (query->has_epoch)
        buf_printf(&sql, " (extract(epoch FROM %s) * 1000000)::bigint::text,", view->reset);
    for (int i = 0; i < query->count; i++) {
        const struct field *field = &fields[query->fields[i]];
        buf_printf(&sql, "%s (%s)::text", i ? "," : "", field->top);
        if (field->kind == METRIC_SHARE)
            buf_printf(&sql, ", (%s)::text", field->bottom);
    }
    buf_puts(&sql, " FROM ");
    put_from(&sql, arena, view->from, schema, place);
    if (view->tail[0])
        buf_printf(&sql, " %s", view->tail);
    const char *text = arena_strdup(arena, buf_text(&sql));
    buf_free(&sql);
    return text;
}

void
pgstat_plan(struct pgstat_query queries[PGSTAT_VIEWS], struct arena *arena,
            const struct pgstat_column *list, int count, const char *schema, struct series_set *set)
{
    const struct columns columns = {list, count};

    memset(queries, 0, PGSTAT_VIEWS * sizeof *queries);
    choose_fields(queries, &columns);
    tell_missing(queries, arena, &columns, set);
    for (int i = 0; i < PGSTAT_VIEWS; i++) {
        const struct view *view = &views[i];
        struct pgstat_query *query = &queries[i];
        query->level = view->level;
        query->has_instance = view->instance != NULL;
        query->has_epoch = view->reset && find_column(&columns, view->relation, "stats_reset",
                                                      strlen("stats_reset"));
        if (query->count > 0)
            query->sql = sql_of(query, view, arena, schema,
                                view->relation ? place_of(&columns, view->relation) : NULL);
    }
}

/* --- readings --------------------------------------------------------------------------------- */

/* False for null and for what is no number. */
static bool
number(const char *text, double *value)
{
    char *end;

    if (!text || !*text)
        return false;
    *value = strtod(text, &end);
    return *end == '\0';
}

static void
feed_row(const struct pgstat_query *query, struct series_set *set, int64_t at_us, int64_t since_us,
         const void *rows, int row, pgstat_value_fn *value)
{
    int column = 0;
    const char *instance = query->has_instance ? value(rows, row, column++) : "";
    const char *epoch = query->has_epoch ? value(rows, row, column++) : NULL;
    struct series_reading reading = {.epoch = epoch ? strtoll(epoch, NULL, 10) : 0,
                                     .since_us = since_us};

    for (int i = 0; i < query->count; i++) {
        const struct field *field = &fields[query->fields[i]];
        struct series_key key = key_of(field, instance ? instance : "");
        bool known = number(value(rows, row, column++), &reading.top);
        reading.bottom = 0;
        if (field->kind == METRIC_SHARE)
            known = number(value(rows, row, column++), &reading.bottom) && known;
        if (known)
            series_feed(set, &key, at_us, &reading);
    }
}

/* A statement that was not among the answers before may have been at work for long: only it is not
 * taken for one that has just begun. */
void
pgstat_feed(const struct pgstat_query *query, struct series_set *set, int64_t at_us,
            int64_t since_us, const void *rows, int count, pgstat_value_fn *value)
{
    int64_t born_us = query->level == PGSTAT_EDGES ? 0 : since_us;

    for (int row = 0; row < count; row++)
        feed_row(query, set, at_us, born_us, rows, row, value);
}

void
pgstat_failed(const struct pgstat_query *query, struct series_set *set, const char *reason)
{
    for (int i = 0; i < query->count; i++) {
        struct series_key key = key_of(&fields[query->fields[i]], "");
        series_missing(set, &key, reason);
    }
}

/* --- afterwards ------------------------------------------------------------------------------- */

static bool
begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* How many statements took more time than this one. */
static int
rank(const struct metric *metrics, int count, double time)
{
    int better = 0;

    for (int i = 0; i < count; i++)
        better += strcmp(metrics[i].name, "statement_time") == 0 && metrics[i].total > time;
    return better;
}

static double
time_of(const struct metric *metrics, int count, const char *statement)
{
    const struct metric *time =
        metric_find(metrics, count, METRIC_SERVER, "statement_time", statement);

    return time ? time->total : 0;
}

/* A kind of I/O that occurred; or, of what no kind did, the first, so that a zero which was
 * measured does not look like what was not. */
static bool
tells_of_io(const struct metric *metrics, int count, const struct metric *metric)
{
    const struct metric *first = NULL;

    for (int i = 0; i < count; i++) {
        const struct metric *other = &metrics[i];

        if (other->source != METRIC_SERVER || strcmp(other->name, metric->name) != 0)
            continue;
        if (other->total > 0)
            return metric->total > 0;
        first = first ? first : other;
    }
    return metric == first;
}

static bool
is_worth_keeping(const struct metric *metrics, int count, const struct metric *metric)
{
    if (metric->source != METRIC_SERVER || !metric->instance[0])
        return true;
    if (begins_with(metric->name, "io_"))
        return tells_of_io(metrics, count, metric);
    if (!begins_with(metric->name, "statement_"))
        return true;
    double time = time_of(metrics, count, metric->instance);
    return time > 0 && rank(metrics, count, time) < PGSTAT_STATEMENTS_MAX;
}

int
pgstat_prune(struct metric *metrics, int count)
{
    bool *keep = must_calloc((size_t)count + 1, sizeof *keep);
    int kept = 0;

    for (int i = 0; i < count; i++)
        keep[i] = is_worth_keeping(metrics, count, &metrics[i]);
    for (int i = 0; i < count; i++)
        if (keep[i])
            metrics[kept++] = metrics[i];
    free(keep);
    return kept;
}

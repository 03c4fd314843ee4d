/* The server's statistics views: which of them, and which of their columns, this server has decides
 * what is asked of it, never its version. Pure: columns in, SQL out; rows in, readings out. What is
 * read stands in pgstat.def. */
#ifndef ORDERMILL_DRIVER_PGSTAT_H
#define ORDERMILL_DRIVER_PGSTAT_H

#include "driver/series.h"

enum pgstat_view_id {
#define PGSTAT_VIEW(id, ...) PGSTAT_##id,
#define PGSTAT_FIELD(...)
#include "driver/pgstat.def"
    PGSTAT_VIEWS
};

enum pgstat_level { PGSTAT_EVERY, PGSTAT_SELDOM, PGSTAT_EDGES };

/* Gives the columns of all views that pgstat.def names: relation, column, schema. */
extern const char pgstat_columns_sql[];
struct pgstat_column {
    const char *relation, *column, *schema;
};

#define PGSTAT_FIELDS_MAX 24
struct pgstat_query {
    const char *sql; /* NULL: nothing of this view can be read. All its values are texts. */
    enum pgstat_level level;
    bool has_instance, has_epoch; /* the first columns of the result */
    int fields[PGSTAT_FIELDS_MAX], count;
};

/* What to ask of a server with these columns. Fields that it lacks are said to be missing. */
void pgstat_plan(struct pgstat_query queries[PGSTAT_VIEWS], struct arena *arena,
                 const struct pgstat_column *columns, int count, const char *schema,
                 struct series_set *set);
/* The value of a result, NULL for null. */
typedef const char *pgstat_value_fn(const void *rows, int row, int column);
/* since_us: when this query was answered before; 0: never. */
void pgstat_feed(const struct pgstat_query *query, struct series_set *set, int64_t at_us,
                 int64_t since_us, const void *rows, int count, pgstat_value_fn *value);
/* All that the query should have given is missing for this reason. */
void pgstat_failed(const struct pgstat_query *query, struct series_set *set, const char *reason);

/* Takes out what says nothing: statements that took no time in the window, all but the
 * PGSTAT_STATEMENTS_MAX that took most, and kinds of I/O that did not occur where others did.
 * Returns how many are left. */
#define PGSTAT_STATEMENTS_MAX 20
int pgstat_prune(struct metric *metrics, int count);

/* The i-th metric of the table, NULL past the last; with repetitions. */
const char *pgstat_metric(int i);

/* --- wait events ------------------------------------------------------------------------------ */

/* One look at what the sessions stand at: rows of kind, event, number of sessions. */
extern const char pgstat_waits_sql[];

#define PGSTAT_EVENTS_MAX 64
enum pgstat_kind {
    PGSTAT_ACTIVE, /* of this kit; their events are those that count */
    PGSTAT_IDLE,
    PGSTAT_IDLE_IN_TRANSACTION,
    PGSTAT_OTHER_ACTIVE,
    PGSTAT_HIDDEN, /* of roles that this one may not see */
    PGSTAT_AUTOVACUUM,
    PGSTAT_KINDS
};

struct pgstat_waits {
    char events[PGSTAT_EVENTS_MAX][72]; /* the last possible one is "other" */
    double session_s[PGSTAT_EVENTS_MAX];
    int count;
    int64_t looked_us, fed_us; /* last; 0: never */
    double sessions[PGSTAT_KINDS];
    int looks; /* since fed */
};

void pgstat_waits_look(struct pgstat_waits *waits, int64_t at_us, const void *rows, int count,
                       pgstat_value_fn *value);
void pgstat_waits_feed(struct pgstat_waits *waits, struct series_set *set, int64_t at_us);

#endif

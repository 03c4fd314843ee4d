/* A table of figures, made once and shown in every form: HTML and text for people, CSV and XML with
 * raw numbers for programs. Pure.
 *
 * A cell keeps its number, not the text of it. Where there is none it says why ("one run"); such a
 * cell is empty in CSV and its attribute absent in XML. */
#ifndef ORDERMILL_REPORTS_TABLE_H
#define ORDERMILL_REPORTS_TABLE_H

#include "common/arena.h"
#include "common/buf.h"
#include "common/verdict.h"

enum cell_kind {
    CELL_NONE,    /* `text` says why */
    CELL_TEXT,    /* foreign text as it came; may wrap */
    CELL_WORD,    /* the same, on one line */
    CELL_COUNT,   /* 1,234 for people */
    CELL_RATE,    /* per minute, kept with a decimal, cut to a whole number for people */
    CELL_BOUND,   /* of an interval of such: rounded for people */
    CELL_REAL,    /* with the decimals of its column */
    CELL_US,      /* microseconds; 12.3ms for people */
    CELL_OUTCOME, /* a verdict */
};

struct cell {
    enum cell_kind kind;
    const char *text;
    int64_t count; /* COUNT, US; an enum verdict_outcome */
    double real;   /* RATE, BOUND, REAL */
};

enum column_flags {
    COLUMN_LEFT = 1,  /* text, set to the left */
    COLUMN_RAW = 2,   /* only where all tables of a kind stand together: CSV and XML */
    COLUMN_UPPER = 4, /* for people joined with the column before it, as "low - high" */
    COLUMN_PLAIN = 8, /* a count that is a number of something: no separators */
};

struct table_column {
    const char *name;  /* for programs, unit last: "p95_us" */
    const char *title; /* for people */
    unsigned flags;
    int decimals;     /* of CELL_REAL */
    const char *unit; /* after a CELL_REAL for people, or NULL */
};

struct table {
    const char *id;  /* of its file and its element: "levels" */
    const char *row; /* the element of a row: "level" */
    const struct table_column *columns;
    int columns_count;
    struct cell *cells;        /* rows_count times columns_count */
    const char **row_classes;  /* "best", "void", "first" or NULL, of each row */
    int rows_count, rows_room; /* rows_room: how many there may be */
    int at;                    /* the column of the next cell */
};

/* An empty table with room for `rows`, in memory of the arena, as everything put into it. */
struct table *table_make(struct arena *arena, const char *id, const char *row,
                         const struct table_column *columns, size_t columns_count, size_t rows);
/* Cells are put in the order of the columns; a row must be filled before the next one begins. */
void table_row(struct table *table, const char *row_class);
void table_none(struct table *table, const char *why);
void table_text(struct table *table, const char *text); /* not copied */
void table_word(struct table *table, const char *text);
void table_count(struct table *table, int64_t count);
void table_rate(struct table *table, double per_minute);
void table_bound(struct table *table, double per_minute);
void table_real(struct table *table, double value);
void table_us(struct table *table, int64_t us);
void table_outcome(struct table *table, enum verdict_outcome outcome);
const struct cell *table_cell(const struct table *table, int row, int column);

/* What people read: not escaped, "5.1 %", "1,234", "12.3ms". */
void table_cell_text(const struct table *table, int row, int column, struct buf *out);

/* Appends as RFC 4180 has it: a line of names, then the rows; lines end with CR LF. A text that a
 * spreadsheet would take for a formula gets an apostrophe before it. */
void table_csv(const struct table *table, struct buf *out);
/* Appends <ID><ROW name="value" .../>...</ID>, indented by two. */
void table_xml(const struct table *table, struct buf *out);

#endif

/* Owns what a cell is in each form. What stands in which table is tables*.c's, how a table looks on
 * a page html.c's and text.c's. */
#include "reports/table.h"

#include <math.h>
#include <string.h>

#include "common/units.h"
#include "reports/escape.h"

struct table *
table_make(struct arena *arena, const char *id, const char *row, const struct table_column *columns,
           size_t columns_count, size_t rows)
{
    struct table *table = arena_alloc(arena, sizeof *table);

    *table = (struct table){.id = id,
                            .row = row,
                            .columns = columns,
                            .columns_count = (int)columns_count,
                            .rows_room = (int)rows};
    table->cells = arena_array(arena, rows * columns_count + 1, sizeof *table->cells);
    table->row_classes = arena_array(arena, rows + 1, sizeof *table->row_classes);
    return table;
}

void
table_row(struct table *table, const char *row_class)
{
    must(table->at == 0 || table->at == table->columns_count);
    must(table->rows_count < table->rows_room);
    table->row_classes[table->rows_count++] = row_class;
    table->at = 0;
}

static void
put(struct table *table, struct cell cell)
{
    must(table->rows_count > 0 && table->at < table->columns_count);
    table->cells[(table->rows_count - 1) * table->columns_count + table->at++] = cell;
}

void
table_none(struct table *table, const char *why)
{
    put(table, (struct cell){.kind = CELL_NONE, .text = why});
}

void
table_text(struct table *table, const char *text)
{
    put(table, (struct cell){.kind = CELL_TEXT, .text = text ? text : ""});
}

void
table_word(struct table *table, const char *text)
{
    put(table, (struct cell){.kind = CELL_WORD, .text = text ? text : ""});
}

void
table_count(struct table *table, int64_t count)
{
    put(table, (struct cell){.kind = CELL_COUNT, .count = count});
}

void
table_rate(struct table *table, double per_minute)
{
    put(table, (struct cell){.kind = CELL_RATE, .real = per_minute});
}

void
table_bound(struct table *table, double per_minute)
{
    put(table, (struct cell){.kind = CELL_BOUND, .real = per_minute});
}

void
table_real(struct table *table, double value)
{
    must(table->at < table->columns_count);
    /* What rounds to nothing has no sign: no "-0.0". */
    if (isfinite(value) && fabs(value) < 0.5 * pow(10, -table->columns[table->at].decimals))
        value = 0;
    if (isfinite(value))
        put(table, (struct cell){.kind = CELL_REAL, .real = value});
    else
        table_none(table, "not available");
}

void
table_us(struct table *table, int64_t us)
{
    put(table, (struct cell){.kind = CELL_US, .count = us});
}

void
table_outcome(struct table *table, enum verdict_outcome outcome)
{
    put(table, (struct cell){.kind = CELL_OUTCOME, .count = outcome});
}

const struct cell *
table_cell(const struct table *table, int row, int column)
{
    must(row < table->rows_count && column < table->columns_count);
    return &table->cells[row * table->columns_count + column];
}

void
table_cell_text(const struct table *table, int row, int column, struct buf *out)
{
    const struct cell *cell = table_cell(table, row, column);
    const struct table_column *kind = &table->columns[column];
    char text[UNITS_TEXT_SIZE];

    switch (cell->kind) {
    case CELL_NONE:
    case CELL_TEXT:
    case CELL_WORD: buf_puts(out, cell->text); break;
    case CELL_COUNT:
        if (kind->flags & COLUMN_PLAIN)
            buf_printf(out, "%lld", (long long)cell->count);
        else
            buf_puts(out, units_count(text, cell->count));
        break;
    case CELL_RATE: buf_puts(out, units_rate(text, cell->real)); break;
    case CELL_BOUND: buf_puts(out, units_count(text, llround(cell->real))); break;
    case CELL_REAL:
        buf_printf(out, "%.*f%s%s", kind->decimals, cell->real, kind->unit ? " " : "",
                   kind->unit ? kind->unit : "");
        break;
    case CELL_US: buf_puts(out, units_duration(text, cell->count)); break;
    case CELL_OUTCOME: buf_puts(out, verdict_outcome_names[cell->count]); break;
    }
}

/* What programs read: "5.1", "1234", "12345"; nothing for CELL_NONE. */
static void
put_raw(const struct table *table, int row, int column, struct buf *out)
{
    const struct cell *cell = table_cell(table, row, column);

    switch (cell->kind) {
    case CELL_NONE: break;
    case CELL_TEXT:
    case CELL_WORD: buf_puts(out, cell->text); break;
    case CELL_COUNT:
    case CELL_US: buf_printf(out, "%lld", (long long)cell->count); break;
    case CELL_RATE:
    case CELL_BOUND: buf_printf(out, "%.1f", cell->real); break;
    case CELL_REAL: buf_printf(out, "%.*f", table->columns[column].decimals, cell->real); break;
    case CELL_OUTCOME: buf_puts(out, verdict_outcome_names[cell->count]); break;
    }
}

static void
put_field(const struct cell *cell, const char *raw, struct buf *out)
{
    bool is_text = cell->kind == CELL_TEXT || cell->kind == CELL_WORD;
    bool formula = is_text && raw[0] != '\0' && strchr("=+-@\t\r", raw[0]);

    if (!formula && !raw[strcspn(raw, "\",\r\n")]) {
        buf_puts(out, raw);
        return;
    }
    buf_puts(out, formula ? "\"'" : "\"");
    for (; *raw; raw++) {
        if (*raw == '"')
            buf_putc(out, '"');
        buf_putc(out, *raw);
    }
    buf_putc(out, '"');
}

void
table_csv(const struct table *table, struct buf *out)
{
    struct buf raw = {0};

    for (int column = 0; column < table->columns_count; column++)
        buf_printf(out, "%s%s", column ? "," : "", table->columns[column].name);
    buf_puts(out, "\r\n");
    for (int row = 0; row < table->rows_count; row++) {
        for (int column = 0; column < table->columns_count; column++) {
            buf_clear(&raw);
            put_raw(table, row, column, &raw);
            buf_puts(out, column ? "," : "");
            put_field(table_cell(table, row, column), buf_text(&raw), out);
        }
        buf_puts(out, "\r\n");
    }
    buf_free(&raw);
}

void
table_xml(const struct table *table, struct buf *out)
{
    struct buf raw = {0};

    buf_printf(out, "  <%s>\n", table->id);
    for (int row = 0; row < table->rows_count; row++) {
        buf_printf(out, "    <%s", table->row);
        for (int column = 0; column < table->columns_count; column++) {
            if (table_cell(table, row, column)->kind == CELL_NONE)
                continue;
            buf_clear(&raw);
            put_raw(table, row, column, &raw);
            buf_printf(out, " %s=\"", table->columns[column].name);
            escape_html(out, buf_text(&raw));
            buf_putc(out, '"');
        }
        buf_puts(out, "/>\n");
    }
    buf_printf(out, "  </%s>\n", table->id);
    buf_free(&raw);
}

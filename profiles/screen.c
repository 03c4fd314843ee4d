/* Owns the layout of the screen. Lines are cut, never wrapped. */
#include "profiles/screen.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/units.h"

#define BAR_COLUMNS   30 /* of the bars of time, where there is room */
#define BAR_LEAST     4
#define WORD_COLUMNS  10 /* before them */
#define FIXED_LINES   6  /* head, load, phase, profile, now, a blank one */
#define ROOM_LEAST    4  /* a level and the last step, with their heads; else no blank one */
#define CURVE_COLUMNS 28 /* that a line of the curve needs beside its bar */

struct page {
    struct buf *out;
    int columns, lines_left;
    bool begun;
};

/* One line, cut to the page; UTF-8 sequences count as one column. */
static void
put_line(struct page *page, const char *text)
{
    int columns = 0;

    if (page->lines_left-- <= 0)
        return;
    if (page->begun)
        buf_putc(page->out, '\n');
    page->begun = true;
    for (; *text; text++) {
        bool begins = ((unsigned char)*text & 0xC0) != 0x80;
        if (begins && ++columns > page->columns)
            return;
        buf_putc(page->out, (unsigned char)*text < ' ' ? '?' : *text);
    }
}

static void PRINTF_LIKE(2, 3) line(struct page *page, const char *format, ...)
{
    struct buf text = {0};
    va_list ap;

    va_start(ap, format);
    buf_printfv(&text, format, ap);
    va_end(ap);
    put_line(page, buf_text(&text));
    buf_free(&text);
}

/* A word, a bar as long as the times leave room for, and these: on a narrow terminal they matter.
 */
static void
put_bar(struct page *page, const char *word, double share, const char *times)
{
    int columns = page->columns - WORD_COLUMNS - (int)strlen(" [] ") - (int)strlen(times);
    struct buf bar = {0};

    columns = columns > BAR_COLUMNS ? BAR_COLUMNS : columns;
    int full = share > 0 ? (int)(columns * fmin(share, 1)) : 0;
    if (columns >= BAR_LEAST) {
        buf_puts(&bar, "[");
        for (int i = 0; i < columns; i++)
            buf_putc(&bar, i < full ? '#' : '-');
        buf_puts(&bar, "] ");
    }
    line(page, "%-*s %s%s", WORD_COLUMNS, word, buf_text(&bar), times);
    buf_free(&bar);
}

static void
put_times(struct page *page, const struct screen *s)
{
    char in[UNITS_TEXT_SIZE], left[UNITS_TEXT_SIZE], times[2 * UNITS_TEXT_SIZE + 32];
    int64_t total_us = s->done_us + s->left_us;

    if (s->phase_us > 0) {
        int64_t left_us = s->phase_us > s->in_phase_us ? s->phase_us - s->in_phase_us : 0;
        snprintf(times, sizeof times, "%s, %s left", units_clock(in, s->in_phase_us),
                 units_clock(left, left_us));
        put_bar(page, s->phase, (double)s->in_phase_us / (double)s->phase_us, times);
    } else {
        line(page, "%-*s %s", WORD_COLUMNS, s->phase, units_clock(in, s->in_phase_us));
    }
    snprintf(times, sizeof times, "%s, %s%s left", units_clock(in, s->done_us),
             s->at_most ? "at most " : "", units_clock(left, s->left_us));
    put_bar(page, "profile", total_us > 0 ? (double)s->done_us / (double)total_us : 0, times);
}

static void
put_now(struct page *page, const struct screen *s)
{
    char rate[UNITS_TEXT_SIZE], failed[UNITS_TEXT_SIZE], p95[UNITS_TEXT_SIZE] = "-";
    struct buf text = {0};

    if (s->new_order_p95_us > 0)
        units_duration(p95, s->new_order_p95_us);
    buf_printf(&text, "now: %s %s, ", units_rate(rate, s->rate), s->unit);
    if (s->new_order_p95_us >= 0)
        buf_printf(&text, "new-order p95 %s, ", p95);
    buf_printf(&text, "%s failed", units_count(failed, (int64_t)s->failed));
    put_line(page, buf_text(&text));
    buf_free(&text);
}

/* The first of the `rows` levels around the current one. */
static int
first_level(const struct screen *s, int rows)
{
    int at = 0;

    while (at < s->levels_count && s->levels[at].virtual_users < s->virtual_users)
        at++;
    int first = at - rows / 2;
    if (first > s->levels_count - rows)
        first = s->levels_count - rows;
    return first > 0 ? first : 0;
}

static void
put_curve(struct page *page, const struct screen *s, int rows)
{
    int width = page->columns - CURVE_COLUMNS;
    double most = 0;

    if (s->levels_count == 0 || rows < 2)
        return;
    for (int i = 0; i < s->levels_count; i++)
        most = fmax(most, s->levels[i].rate);
    rows--;
    if (rows < s->levels_count)
        line(page, "%7s %s so far, %d of %d levels", "users", s->unit, rows, s->levels_count);
    else
        line(page, "%7s %s so far", "users", s->unit);
    int first = first_level(s, rows);
    for (int i = first; i < s->levels_count && i < first + rows; i++) {
        const struct screen_level *level = &s->levels[i];
        struct buf text = {0};
        char rate[UNITS_TEXT_SIZE];
        int columns = most > 0 && width > 0 ? (int)lround(width * level->rate / most) : 0;
        buf_printf(&text, "%c%6d |", level->virtual_users == s->virtual_users ? '>' : ' ',
                   level->virtual_users);
        for (int k = 0; k < columns; k++)
            buf_putc(&text, '#');
        buf_printf(&text, " %s", units_rate(rate, level->rate));
        put_line(page, buf_text(&text));
        buf_free(&text);
    }
}

void
screen_render(const struct screen *s, int width, int height, struct buf *out)
{
    struct page page = {.out = out, .columns = width - 1, .lines_left = height - 1};
    int last = s->last_count > 0 ? s->last_count + 1 : 0;
    int curve = s->levels_count > 0 ? s->levels_count + 1 : 0;
    int room = page.lines_left - FIXED_LINES;
    bool blank = room >= ROOM_LEAST || curve + last <= room;

    room += !blank;
    /* The curve has the room; the last steps get what it leaves, but one line at least. */
    if (curve + last > room)
        last = room - curve > 2 ? room - curve : last > 0 ? 2 : 0;
    if (curve > room - last)
        curve = room - last;
    line(&page, "ordermill: %s, step %d of %s%d", s->name, s->step, s->at_most ? "at most " : "",
         s->steps);
    put_line(&page, s->load);
    put_times(&page, s);
    put_now(&page, s);
    if (blank && (curve > 0 || last > 0))
        put_line(&page, "");
    put_curve(&page, s, curve);
    for (int i = 0; i < s->last_count && i < last - 1; i++) {
        if (i == 0)
            put_line(&page, "last steps");
        line(&page, "  %s", s->last[i]);
    }
}

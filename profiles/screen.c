/* Owns the layout of the screen. Lines are cut, never wrapped. */
#include "profiles/screen.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/units.h"

#define BAR_COLUMNS   30 /* of the bars of time */
#define FIXED_LINES   6  /* head, load, phase, profile, now, a blank one */
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

static const char *
bar(char text[BAR_COLUMNS + 1], double share)
{
    int full = share > 0 ? (int)(BAR_COLUMNS * fmin(share, 1)) : 0;

    for (int i = 0; i < BAR_COLUMNS; i++)
        text[i] = i < full ? '#' : '-';
    text[BAR_COLUMNS] = '\0';
    return text;
}

static void
put_times(struct page *page, const struct screen *s)
{
    char text[BAR_COLUMNS + 1], in[UNITS_TEXT_SIZE], left[UNITS_TEXT_SIZE];
    int64_t total_us = s->done_us + s->left_us;

    if (s->phase_us > 0) {
        int64_t left_us = s->phase_us > s->in_phase_us ? s->phase_us - s->in_phase_us : 0;
        line(page, "%-10s [%s] %s, %s left", s->phase,
             bar(text, (double)s->in_phase_us / (double)s->phase_us),
             units_clock(in, s->in_phase_us), units_clock(left, left_us));
    } else {
        line(page, "%-10s %s", s->phase, units_clock(in, s->in_phase_us));
    }
    line(page, "%-10s [%s] %s, %s left", "profile",
         bar(text, total_us > 0 ? (double)s->done_us / (double)total_us : 0),
         units_clock(in, s->done_us), units_clock(left, s->left_us));
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

    /* The curve has the room; the last steps get what it leaves, but one line at least. */
    if (curve + last > room)
        last = room - curve > 2 ? room - curve : last > 0 ? 2 : 0;
    if (curve > room - last)
        curve = room - last;
    line(&page, "ordermill: %s, step %d of %d", s->name, s->step, s->steps);
    put_line(&page, s->load);
    put_times(&page, s);
    put_now(&page, s);
    if (curve > 0 || last > 0)
        put_line(&page, "");
    put_curve(&page, s, curve);
    for (int i = 0; i < s->last_count && i < last - 1; i++) {
        if (i == 0)
            put_line(&page, "last steps");
        line(&page, "  %s", s->last[i]);
    }
}

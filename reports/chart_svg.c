/* Works line by line on what gnuplot 5.4 writes; what it does not know it leaves as it is. */
#include "reports/chart_svg.h"

#include <stdlib.h>
#include <string.h>

#include "common/arena.h"
#include "reports/escape.h"

struct reader {
    const char *at;
};

/* The next line without its end, in memory of the arena; NULL after the last. */
static char *
next_line(struct reader *reader, struct arena *arena)
{
    size_t length = strcspn(reader->at, "\n");

    if (*reader->at == '\0')
        return NULL;
    char *line = arena_printf(arena, "%.*s", (int)length, reader->at);
    reader->at += length + (reader->at[length] == '\n');
    return line;
}

/* rgb(  1,   2,   N) at text: N, and where the text goes on. */
static int
role(const char *text, const char **end)
{
    char *stop;
    long first, second, third;

    if (strncmp(text, "rgb(", 4) != 0)
        return 0;
    first = strtol(text + 4, &stop, 10);
    if (*stop != ',')
        return 0;
    second = strtol(stop + 1, &stop, 10);
    if (*stop != ',')
        return 0;
    third = strtol(stop + 1, &stop, 10);
    if (*stop != ')' || first != 1 || second != 2)
        return 0;
    *end = stop + 1;
    return (int)third;
}

struct replacement {
    const char *from, *to; /* %s in `to` stands for the id */
};

static const struct replacement replacements[] = {
    {" id='", " id='%s-"},
    {" id=\"", " id=\"%s-"},
    {"xlink:href='#", "href='#%s-"},
    {"color='white'", "color='var(--plate)'"},
    {"font-family=\"sans-serif\" ", ""},
    {" color=\"black\"", ""},
    {" color=\"gray\"", ""},
    {" color=\"white\"", ""},
};

static void
rewrite(const char *line, const char *id, struct buf *out)
{
    while (*line) {
        const char *end;
        int variable = role(line, &end);
        size_t i = 0;

        if (variable > 0) {
            buf_printf(out, "var(--chart-%d)", variable);
            line = end;
            continue;
        }
        while (i < sizeof replacements / sizeof replacements[0] &&
               strncmp(line, replacements[i].from, strlen(replacements[i].from)) != 0)
            i++;
        if (i == sizeof replacements / sizeof replacements[0]) {
            buf_putc(out, *line++);
            continue;
        }
        const char *hole = strstr(replacements[i].to, "%s");
        if (hole) {
            buf_append(out, replacements[i].to, (size_t)(hole - replacements[i].to));
            buf_puts(out, id);
            buf_puts(out, hole + 2);
        } else {
            buf_puts(out, replacements[i].to);
        }
        line += strlen(replacements[i].from);
    }
    buf_putc(out, '\n');
}

/* <g onmousemove="...showHypertext(evt,'TEXT')" ...><title> </title> gives <g><title>TEXT</title>:
 * a tooltip that needs no script. */
static char *
hover(const char *line, struct arena *arena)
{
    static const char before[] = "<g onmousemove=\"gnuplot_svg.showHypertext(evt,'";
    const char *start = strstr(line, before);
    const char *text = start ? start + strlen(before) : NULL;
    const char *stop = text ? strstr(text, "')\"") : NULL;

    return stop ? arena_printf(arena, "<g><title>%.*s</title>", (int)(stop - text), text) : NULL;
}

/* Names of plots are no tooltips; in a legend they stand as text. */
static char *
plot_group(const char *line, struct arena *arena)
{
    const char *group = strstr(line, "<g id=\"gnuplot_plot_");
    const char *title = group ? strstr(group, "<title>") : NULL;

    return title ? arena_printf(arena, "%.*s", (int)(title - group), group) : NULL;
}

static bool
opens_group(const char *line)
{
    return strncmp(line, "<g fill=\"none\"", 14) == 0 && line[strlen(line) - 1] == '>';
}

static bool
header(struct reader *reader, const char *id, const char *label, struct buf *out)
{
    const char *box = strstr(reader->at, "viewBox=\"");
    const char *body = strstr(reader->at, "<g id=\"gnuplot_canvas\">");

    if (!box || !body || !strstr(body, "</svg>"))
        return false;
    box += strlen("viewBox=\"");
    buf_printf(out, "<svg class=\"chart\" id=\"%s\" viewBox=\"%.*s\" role=\"img\" aria-label=\"",
               id, (int)strcspn(box, "\""), box);
    escape_html(out, label);
    buf_puts(out, "\">\n");
    reader->at = body;
    return true;
}

bool
chart_svg_adopt(const char *svg, const char *id, const char *label, struct buf *out,
                struct err *err)
{
    struct reader reader = {svg};
    struct arena arena = {0};
    const char *held = NULL; /* a group that was opened and may be empty */
    char *line;

    if (!header(&reader, id, label, out))
        return err_set(err, ERR_LOCAL, "gnuplot wrote something that is not a chart");
    while ((line = next_line(&reader, &arena))) {
        if (held && strcmp(line, "</g>") == 0) {
            held = NULL;
            continue;
        }
        if (held)
            rewrite(held, id, out);
        held = NULL;
        if (opens_group(line)) {
            held = line;
            continue;
        }
        char *other = hover(line, &arena);
        if (!other)
            other = plot_group(line, &arena);
        if (line[strspn(line, " \t")] != '\0')
            rewrite(other ? other : line, id, out);
    }
    arena_free(&arena);
    return true;
}

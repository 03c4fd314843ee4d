/* Runs gnuplot; chart_svg.c turns its SVG into ours. What a chart shows is charts*.c's. */
#include "reports/plot.h"

#include <stdlib.h>
#include <string.h>

#include "common/embedded.h"
#include "common/fs.h"
#include "reports/chart_svg.h"

#define GNUPLOT_OUTPUT_MAX ((size_t)64 << 20)
#define GNUPLOT_TIMEOUT_US INT64_C(60000000)
#define PNG_SCALE          2 /* pixels for each unit: sharp on a projector */

static bool
run_gnuplot(const struct buf *script, struct buf *out, struct err *err)
{
    static const char *const argv[] = {"env", "LC_ALL=C", "gnuplot", "-d", "-", NULL};
    struct arena arena = {0};
    bool found = fs_find_program(&arena, "gnuplot") != NULL;

    arena_free(&arena);
    if (!found) {
        err_set(err, ERR_LOCAL, "gnuplot is not installed: the report has no charts");
        err_hint(err, "install it (Debian: gnuplot-nox) and run: ordermill report RUN");
        return false;
    }
    return fs_run_program(argv, script, GNUPLOT_OUTPUT_MAX, GNUPLOT_TIMEOUT_US, out, err);
}

bool
plot_draw(struct plot *const *plots, int count, struct arena *arena, struct err *err)
{
    struct buf script = {0}, documents = {0}, svg = {0};

    for (int i = 0; i < count; i++) {
        buf_printf(&script,
                   "reset\nundefine $*\n"
                   "set terminal svg size %d,%d dynamic font 'sans-serif,13'\n",
                   plots[i]->width, plots[i]->height);
        buf_append(&script, buf_text(&plots[i]->script), plots[i]->script.length);
    }
    bool ok = count == 0 || run_gnuplot(&script, &documents, err);
    const char *at = buf_text(&documents);
    for (int i = 0; ok && i < count; i++) {
        static const char last[] = "</svg>";
        const char *end = strstr(at, last);
        const char *stop = end ? end + strlen(last) : at + strlen(at);
        char *document = must_malloc((size_t)(stop - at) + 2);

        memcpy(document, at, (size_t)(stop - at));
        memcpy(document + (stop - at), "\n", 2);
        buf_clear(&svg);
        ok = chart_svg_adopt(document, plots[i]->id, plots[i]->label, &svg, err);
        if (ok)
            plots[i]->svg = arena_strdup(arena, buf_text(&svg));
        free(document);
        at = stop;
    }
    for (int i = 0; !ok && i < count; i++)
        plots[i]->svg = NULL;
    buf_free(&script);
    buf_free(&documents);
    buf_free(&svg);
    return ok;
}

/* The light colour of a role, "#rrggbb", from the style sheet: its first mention there. */
static const char *
light_colour(long role)
{
    const char *css = embedded_text("reports/report.css");
    struct arena arena = {0};

    must(css);
    const char *name = arena_printf(&arena, "--chart-%ld: #", role);
    const char *found = strstr(css, name);
    must(found);
    found += strlen(name) - 1;
    arena_free(&arena);
    return found;
}

/* Replaces each `mark` with two hexadecimal or any decimal digits by its colour. */
static void
paint(const char *text, const char *mark, int base, const char *after, struct buf *out)
{
    size_t length = strlen(mark);

    while (*text) {
        if (strncmp(text, mark, length) != 0) {
            buf_putc(out, *text++);
            continue;
        }
        char digits[3] = {0};
        text += length;
        for (int i = 0; i < 2 && *text && strncmp(text, after, strlen(after) + !*after) != 0; i++)
            digits[i] = *text++;
        buf_append(out, light_colour(strtol(digits, NULL, base)), 7);
        text += strlen(after);
    }
}

bool
plot_png(const struct plot *plot, struct buf *out, struct err *err)
{
    struct buf script = {0};

    buf_printf(&script,
               "set terminal pngcairo size %d,%d fontscale %d linewidth %d pointscale %d "
               "font 'sans-serif,10' background '#ffffff'\n",
               PNG_SCALE * plot->width, PNG_SCALE * plot->height, PNG_SCALE, PNG_SCALE, PNG_SCALE);
    paint(buf_text(&plot->script), "#0102", 16, "", &script);
    bool ok = run_gnuplot(&script, out, err);
    buf_free(&script);
    return ok;
}

void
plot_svg(const struct plot *plot, struct buf *out)
{
    static const char head[] = "<svg class=\"chart\"", plate[] = "var(--plate)",
                      link[] = " href='#";
    struct buf painted = {0};

    must(plot->svg && strncmp(plot->svg, head, strlen(head)) == 0);
    paint(plot->svg + strlen(head), "var(--chart-", 10, ")", &painted);
    buf_printf(out,
               "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
               "<svg xmlns=\"http://www.w3.org/2000/svg\" "
               "xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"%d\" height=\"%d\" "
               "style=\"background: #ffffff; font-family: sans-serif\"",
               plot->width, plot->height);
    for (const char *at = buf_text(&painted); *at;) {
        if (strncmp(at, plate, strlen(plate)) == 0) {
            buf_puts(out, "#ffffff");
            at += strlen(plate);
        } else if (strncmp(at, link, strlen(link)) == 0) {
            buf_puts(out, " xlink:href='#");
            at += strlen(link);
        } else {
            buf_putc(out, *at++);
        }
    }
    buf_free(&painted);
}

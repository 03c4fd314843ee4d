/* The frame of report.html: which sections there are, and their order. */
#include "reports/html.h"

#include "reports/html_parts.h"

static const struct {
    const char *id, *title;
    void (*put)(struct html *html);
} sections[] = {
    {"profile", "Performance profile", html_levels},
    {"warehouses", "Curves by warehouses", html_warehouses},
    {"latency", "Response times", html_latency},
    {"distribution", "Distributions", html_distribution},
    {"time", "Throughput over time", html_time},
    {"waits", "What sessions waited for", html_waits},
    {"cores", "Cores", html_cores},
    {"io", "Disks and log", html_io},
    {"errors", "Errors and retries", html_errors},
    {"inputs", "Mix and inputs", html_inputs},
    {"consistency", "Consistency", html_consistency},
    {"steps", "Every step", html_steps},
    {"findings", "What the doctor found", html_findings},
    {"environment", "Environment", html_environment},
    {"settings", "Server settings", html_settings},
    {"again", "How to run it again", html_again},
    {"departures", "Departures from the standard", html_departures},
    {"glossary", "Words", html_glossary},
};
#define SECTIONS (sizeof sections / sizeof sections[0])

static void
put_contents(struct html *html)
{
    buf_puts(html->out, "<nav aria-label=\"Contents\"><ol>\n");
    for (size_t i = 0; i < SECTIONS; i++)
        buf_printf(html->out, "<li><a href='#%s'>%s</a></li>\n", sections[i].id, sections[i].title);
    buf_puts(html->out, "</ol></nav>\n");
}

void
html_report(const struct run *run, const struct analysis *analysis, struct buf *out,
            struct err *missing)
{
    struct arena arena = {0};
    struct charts charts;
    struct err why = {.code = ERR_NONE};
    struct html html = {.out = out,
                        .run = run,
                        .analysis = analysis,
                        .charts = &charts,
                        .arena = &arena,
                        .missing = &why};

    charts_make(&charts, run, analysis, &arena);
    if (!charts_draw(&charts, &why))
        must(why.code != ERR_NONE);
    html_head(out, arena_printf(&arena, "Ordermill report: %s", run->name));
    html_summary(&html);
    put_contents(&html);
    buf_puts(out, "<main>\n");
    for (size_t i = 0; i < SECTIONS; i++)
        sections[i].put(&html);
    buf_puts(out, "</main>\n</body>\n</html>\n");
    if (missing)
        *missing = why;
    charts_free(&charts);
    arena_free(&arena);
}

/* The frame of result.xml; its tables write themselves. */
#include "reports/result_xml.h"

#include <math.h>

#include "common/clock.h"
#include "reports/departures.h"
#include "reports/escape.h"
#include "reports/tables.h"

static void
attribute(struct buf *out, const char *name, const char *value)
{
    buf_printf(out, " %s=\"", name);
    escape_html(out, value);
    buf_putc(out, '"');
}

static void
put_run(const struct run *run, struct buf *out)
{
    char text[CLOCK_TEXT_SIZE];

    buf_puts(out, "  <run");
    attribute(out, "name", run->name);
    attribute(out, "kit_version", run->kit_version);
    attribute(out, "started_at", clock_iso(text, run->started_wall_us));
    if (run->ended_wall_us > 0)
        attribute(out, "ended_at", clock_iso(text, run->ended_wall_us));
    attribute(out, "status", step_status_names[run->status]);
    buf_printf(out, " steps_planned=\"%d\"/>\n", run->steps_planned);
}

static void
put_headline(const char *name, const struct analysis *analysis, bool within_limits, struct buf *out)
{
    int index = within_limits ? analysis->within_limits : analysis->peak;

    if (index < 0)
        return;
    const struct analysis_level *level = &analysis->levels[index];
    const char *rate = step_has_nopm(level->steps[0]) ? "nopm" : "tpm";
    buf_printf(out, "  <%s warehouses=\"%d\" virtual_users=\"%d\" %s_mean=\"%.1f\"", name,
               level->warehouses, level->virtual_users, rate, level->nopm_mean);
    struct analysis_headline headline = analysis_headline(analysis, within_limits);
    if (headline.interval.valid)
        buf_printf(out, " %s_low=\"%.1f\" %s_high=\"%.1f\"", rate, headline.interval.low, rate,
                   headline.interval.high);
    buf_printf(out, " rivals=\"%zu\"/>\n", headline.rivals - 1);
}

static void
real(struct buf *out, const char *name, double value, int decimals)
{
    if (isfinite(value))
        buf_printf(out, " %s=\"%.*f\"", name, decimals, value);
}

static void
put_usl(const struct stats_usl *usl, bool nopm, struct buf *out)
{
    buf_printf(out, "  <scalability fitted=\"%s\" claimed=\"%s\"", usl->fitted ? "true" : "false",
               usl->claimed ? "true" : "false");
    if (usl->fitted) {
        real(out, "lambda", usl->lambda, 3);
        real(out, "sigma", usl->sigma, 8);
        real(out, "kappa", usl->kappa, 10);
        real(out, "lambda_se", usl->lambda_se, 3);
        real(out, "sigma_se", usl->sigma > 0 ? usl->sigma_se : NAN, 8);
        real(out, "kappa_se", usl->kappa > 0 ? usl->kappa_se : NAN, 10);
        real(out, "residual_rms", usl->residual_rms, 5);
    }
    if (usl->claimed) {
        real(out, "peak_virtual_users", usl->n_star, 2);
        real(out, "peak_virtual_users_low", usl->n_star_interval.low, 2);
        real(out, "peak_virtual_users_high", usl->n_star_interval.high, 2);
        real(out, nopm ? "peak_nopm" : "peak_tpm", usl->x_star, 1);
        real(out, nopm ? "peak_nopm_low" : "peak_tpm_low", usl->x_star_interval.low, 1);
        real(out, nopm ? "peak_nopm_high" : "peak_tpm_high", usl->x_star_interval.high, 1);
    } else
        attribute(out, "reason", usl->reason);
    buf_puts(out, "/>\n");
}

void
result_xml(const struct run *run, const struct analysis *analysis, struct buf *out)
{
    struct arena arena = {0};

    buf_printf(out,
               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
               "<ordermill-result schema_version=\"%d\">\n  <disclaimer>%s</disclaimer>\n",
               RESULT_SCHEMA_VERSION, departures_disclaimer);
    put_run(run, out);
    put_headline("within_latency_limits", analysis, true, out);
    put_headline("peak", analysis, false, out);
    put_usl(&analysis->usl,
            analysis->peak < 0 || step_has_nopm(analysis->levels[analysis->peak].steps[0]), out);
    buf_puts(out, "  <warnings>\n");
    for (int i = 0; i < analysis->warnings_count; i++) {
        buf_puts(out, "    <warning>");
        escape_html(out, analysis->warnings[i]);
        buf_puts(out, "</warning>\n");
    }
    buf_puts(out, "  </warnings>\n");
    for (int i = 0; tables_all[i]; i++)
        table_xml(tables_all[i](run, analysis, &arena), out);
    buf_puts(out, "</ordermill-result>\n");
    arena_free(&arena);
}

/* Owns what report.txt says of the machines and the server: metrics and findings. */
#include "common/metric_text.h"
#include "reports/text_parts.h"

#define TOPIC_COLUMN 10

static void
put_step(struct buf *out, const struct step *step)
{
    buf_printf(out, "step %d, %d virtual user%s\n", step->number, step->virtual_users,
               step->virtual_users == 1 ? "" : "s");
    for (int topic = 0; topic < METRIC_TOPICS; topic++) {
        struct buf text = {0};
        metric_text(&text, step, (enum metric_topic)topic);
        if (text.length > 0) {
            buf_printf(out, "  %-*s", TOPIC_COLUMN - 2, metric_topic_names[topic]);
            text_wrap(out, TOPIC_COLUMN, TOPIC_COLUMN, buf_text(&text));
        }
        buf_free(&text);
    }
}

void
text_metrics(const struct run *run, struct buf *out)
{
    bool any = false;

    for (int i = 0; i < run->steps_count; i++) {
        if (run->steps[i].metrics_count == 0)
            continue;
        if (!any)
            text_heading(out, "Beside the load");
        any = true;
        put_step(out, &run->steps[i]);
    }
}

void
text_findings(const struct run *run, struct buf *out)
{
    const struct environment *environment = &run->environment;

    if (environment->findings_count > 0)
        text_heading(out, "What the doctor found");
    for (int i = 0; i < environment->findings_count; i++) {
        const struct finding *finding = &environment->findings[i];
        struct buf text = {0};
        buf_printf(&text, "%s: %s: %s.", finding->name, finding->seen, finding->why);
        if (finding->mend[0])
            buf_printf(&text, " Mend: %s", finding->mend);
        buf_printf(out, "%-9s", severity_names[finding->severity]);
        text_wrap(out, 9, 9, buf_text(&text));
        buf_free(&text);
    }
}

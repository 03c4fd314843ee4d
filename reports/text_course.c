/* What the journal of a run tells in report.txt: what was done between the steps, and what came
 * between. That a state or a hook began is for those who resume, and left to the other forms. */
#include <string.h>

#include "common/units.h"
#include "reports/text_parts.h"

static bool
is_told(const struct event *event)
{
    static const char *const begun[] = {"build",       "environment", "reset",    "step",
                                        "check",       "report",      "complete", "before-run",
                                        "before-step", "after-step",  "after-run"};

    if (event->elapsed_us >= 0 || event->detail[0])
        return true;
    for (size_t i = 0; i < sizeof begun / sizeof *begun; i++)
        if (strcmp(event->what, begun[i]) == 0)
            return false;
    return true;
}

static void
put_event(const struct event *event, struct buf *out)
{
    char took[UNITS_TEXT_SIZE], size[UNITS_TEXT_SIZE];
    struct buf line = {0};

    if (event->step > 0)
        buf_printf(&line, "step %d: ", event->step);
    buf_puts(&line, event->what);
    if (event->elapsed_us >= 0)
        buf_printf(&line, ", %s", units_duration(took, event->elapsed_us));
    if (event->bytes >= 0)
        buf_printf(&line, ", %s", units_size(size, event->bytes));
    if (event->detail[0])
        buf_printf(&line, ": %s", event->detail);
    text_wrap(out, 0, 2, buf_text(&line));
    buf_free(&line);
}

void
text_course(const struct run *run, struct buf *out)
{
    bool any = false;

    for (int i = 0; i < run->journal_count; i++) {
        if (!is_told(&run->journal[i]))
            continue;
        if (!any)
            text_heading(out, "Course of the run");
        any = true;
        put_event(&run->journal[i], out);
    }
}

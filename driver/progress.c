/* Owns the words of the live line and the keys of its JSON form; how often the line is drawn is
 * log_progress's. */
#include "driver/progress.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/clock.h"
#include "common/json.h"
#include "common/log.h"
#include "common/units.h"

static const char *const phase_titles[PHASES] = {"connecting", "ramp-up", "measuring", "draining"};

void
progress_show(void *context, const struct driver_progress *progress)
{
    char now[UNITS_TEXT_SIZE], all[UNITS_TEXT_SIZE + 1] = "", nopm[UNITS_TEXT_SIZE];
    char p95[UNITS_TEXT_SIZE] = "-", planned[UNITS_TEXT_SIZE];

    (void)context;
    if (progress->planned_us > 0)
        snprintf(all, sizeof all, "/%s", units_clock(planned, progress->planned_us));
    if (progress->new_order_p95_us > 0)
        units_duration(p95, progress->new_order_p95_us);
    log_progress("%-10s %s%s  %d %s%s  %s %s  p95 %s  errors %" PRIu64,
                 phase_titles[progress->phase], units_clock(now, progress->elapsed_us), all,
                 progress->virtual_users, progress->who, progress->virtual_users == 1 ? "" : "s",
                 progress->nopm < 0 ? "TPM" : "NOPM",
                 units_rate(nopm, progress->nopm < 0 ? progress->tpm : progress->nopm), p95,
                 progress->failed);
}

void
progress_json(void *context, const struct driver_progress *progress)
{
    char now[CLOCK_TEXT_SIZE];
    struct buf line = {0};
    struct json json;

    (void)context;
    json_begin(&json, &line);
    json_object(&json, NULL);
    json_string(&json, "time", clock_iso(now, clock_wall_us()));
    json_string(&json, "phase", phase_names[progress->phase]);
    json_real(&json, "elapsed_s", (double)progress->elapsed_us / 1e6, 3);
    json_int(&json, "virtual_users", progress->virtual_users);
    if (progress->nopm < 0)
        json_null(&json, "nopm");
    else
        json_real(&json, "nopm", progress->nopm, 1);
    json_real(&json, "tpm", progress->tpm, 1);
    if (progress->new_order_p95_us > 0)
        json_int(&json, "new_order_p95_us", progress->new_order_p95_us);
    else
        json_null(&json, "new_order_p95_us");
    json_int(&json, "errors", (int64_t)progress->failed);
    json_object_end(&json);
    json_end(&json);
    fputs(buf_text(&line), stdout);
    fflush(stdout);
    buf_free(&line);
}

/* `ordermill autopilot PROFILE.xml`. */
#include <stdio.h>

#include "common/log.h"

#include "profiles/autopilot.h"
#include "profiles/plan.h"

static int
print_plan(const struct settings *settings, const struct profile *profile)
{
    struct arena arena = {0};
    struct buf text = {0};
    struct plan plan;
    struct err err = {0};

    plan_make(&plan, &arena, settings);
    if (settings_flag(settings, SET_JSON))
        plan_json(&plan, profile->name, &text);
    else
        plan_text(&plan, profile->name, &text);
    fputs(buf_text(&text), stdout);
    buf_free(&text);
    arena_free(&arena);
    return cli_finish_output(&err) ? 0 : log_error(&err);
}

static int
run(struct settings *settings, int operand_count, char **operands)
{
    struct profile profile;
    struct err err = {0};

    (void)operand_count;
    if (!profile_read(&profile, operands[0], settings, &err))
        return log_error(&err);
    if (settings_flag(settings, SET_DRY_RUN))
        return print_plan(settings, &profile);
    return autopilot_run(settings, &profile);
}

const struct command autopilot_command = {
    .name = "autopilot",
    .operands = "PROFILE.xml",
    .operands_min = 1,
    .operands_max = 1,
    .bit = CMD_AUTOPILOT,
    .summary = "run a whole profile unattended and write its report",
    .description =
        "Reads a profile, builds the warehouses unless the schema holds them already, measures "
        "every step of the ladder, tests the twelve consistency conditions, and writes report.html "
        "and report.txt into the run folder, beside run.sqlite with everything that was measured. "
        "The summary is printed on stdout.\n"
        "\n"
        "Each step is on disk before the next one begins, and a step begins only when no session "
        "of the kit is left. A step that fails is recorded with its reason, and the ladder goes "
        "on. Ctrl-C ends the current step and reports what there is, labelled as partial; a second "
        "Ctrl-C ends the program at once.\n"
        "\n"
        "A profile is an XML file; profiles/ramp.xml is one with comments. Options win over the "
        "profile, and --set overrides any value of it by its name. Each level and repeat "
        "draws inputs of its own from the seed. The exit status is 1 when a verdict is FAIL, 3 "
        "when the profile "
        "is wrong, 6 when the data are inconsistent.",
    .examples = "ordermill autopilot ramp.xml --dry-run\n"
                "ordermill autopilot ramp.xml -o results/ramp\n"
                "ordermill autopilot ramp.xml -h db1 --set measure=5m --set ladder='1 2 4 8'",
    .run = run,
};

/* `ordermill autopilot PROFILE.xml`. */
#include <stdio.h>
#include <unistd.h>

#include "common/log.h"

#include "profiles/autopilot.h"
#include "profiles/outline.h"
#include "profiles/shipped.h"

static int
print_plan(const struct settings *settings, const struct profile *profile)
{
    struct arena arena = {0};
    struct buf text = {0};
    struct outline outline;
    struct err err = {0};

    outline_make(&outline, &arena, settings, profile);
    if (settings_flag(settings, SET_JSON))
        plan_json(&outline.plan, profile->name, &text);
    else
        outline_text(&outline, profile->name, &text);
    fputs(buf_text(&text), stdout);
    buf_free(&text);
    arena_free(&arena);
    return cli_finish_output(&err) ? 0 : log_error(&err);
}

/* Neither of the two takes what would make another run of it. */
static bool
check_stored(const struct settings *settings, const char *option, int operand_count,
             struct err *err)
{
    bool resume = settings_is_set(settings, SET_RESUME_RUN);

    if (settings_flag(settings, SET_DRY_RUN))
        return err_set(err, ERR_USAGE, "%s and --dry-run exclude each other", option);
    if (resume && settings_is_set(settings, SET_OUTPUT))
        return err_set(err, ERR_USAGE,
                       "--resume: the results stay in their folder, --output does not go with it");
    if (!resume && (operand_count > 0 || settings->overrides_count > 0))
        return err_set(err, ERR_USAGE,
                       "--again: profile and settings are those of the run, %s does not go with it",
                       operand_count > 0 ? "a profile" : "--set");
    return true;
}

/* The list, or the profile that is named. */
static int
print_shipped(const char *name)
{
    struct buf out = {0};
    struct err err = {0};
    const char *text = name ? shipped_text(name) : NULL;

    if (name && !text) {
        err_set(&err, ERR_USAGE, "no profile \"%s\" comes with the program", name);
        err_hint(&err, "\"ordermill autopilot --shipped\" lists them");
        return log_error(&err);
    }
    if (text)
        buf_puts(&out, text);
    else
        shipped_list(&out);
    fputs(buf_text(&out), stdout);
    buf_free(&out);
    return cli_finish_output(&err) ? 0 : log_error(&err);
}

/* What the options ask for together. */
static bool
check_request(const struct settings *settings, int operand_count, struct err *err)
{
    bool resume = settings_is_set(settings, SET_RESUME_RUN);
    bool again = settings_is_set(settings, SET_AGAIN);

    if (resume && again)
        return err_set(err, ERR_USAGE, "--resume and --again exclude each other");
    if (resume || again)
        return check_stored(settings, resume ? "--resume" : "--again", operand_count, err);
    if (operand_count > 0)
        return true;
    err_set(err, ERR_USAGE, "autopilot: a profile is missing");
    err_hint(err, "usage: ordermill autopilot [OPTION]... PROFILE.xml");
    return false;
}

/* Said where results were written. Not by the demo, whose server leaves root by itself. */
static int
say_who(int status)
{
    if (geteuid() == 0 && (status == ERR_NONE || status == ERR_VERDICT))
        log_warning("this ran as root, and its files belong to root; any account will do");
    return status;
}

static int
run(struct settings *settings, int operand_count, char **operands)
{
    const char *resume = settings_text(settings, SET_RESUME_RUN);
    struct profile profile;
    struct err err = {0};

    if (settings_flag(settings, SET_SHIPPED))
        return print_shipped(operand_count > 0 ? operands[0] : NULL);
    if (!check_request(settings, operand_count, &err))
        return log_error(&err);
    if (resume)
        return say_who(autopilot_resume(settings, resume, operand_count > 0 ? operands[0] : NULL));
    if (settings_is_set(settings, SET_AGAIN))
        return say_who(autopilot_again(settings, settings_text(settings, SET_AGAIN)));
    if (!shipped_read(&profile, operands[0], settings, &err))
        return log_error(&err);
    if (settings_flag(settings, SET_DRY_RUN))
        return print_plan(settings, &profile);
    return say_who(autopilot_run(settings, &profile, true));
}

const struct command autopilot_command = {
    .name = "autopilot",
    .operands = "[PROFILE.xml]",
    .operands_min = 0,
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
        "on, until three have failed in a row. Ctrl-C ends the current step and reports what there "
        "is, labelled as partial; a second "
        "Ctrl-C ends the program at once.\n"
        "\n"
        "--resume goes on with a run that was broken off, by a signal, kill -9 or a reboot, with "
        "the "
        "step after the last one stored; what was interrupted is measured anew. Profile and "
        "settings "
        "come from the store in that folder, only where to connect may be said anew; a profile "
        "that "
        "is named besides must be the same. No two autopilots get into one folder.\n"
        "\n"
        "--again repeats a run, with its profile, settings, seed and steps, in a new folder, and "
        "says "
        "in the end whether the result was reproduced: that is said only where at every level the "
        "interval of the ratio holds 1 and is narrow enough to mean something.\n"
        "\n"
        "A profile is an XML file; its language is explained in ordermill-profile(5). Some come "
        "with "
        "the program and are known by their names alone: --shipped lists them, and prints the one "
        "that is named, to begin with. A profile may hold shell commands, which run only with "
        "--allow-hooks. Options win over the "
        "profile, and --set overrides any value of it by its name. Each level and repeat "
        "draws inputs of its own from the seed. The exit status is 1 when a verdict is FAIL, 3 "
        "when the profile "
        "is wrong, 6 when the data are inconsistent.",
    .examples = "ordermill autopilot --shipped ramp >ramp.xml\n"
                "ordermill autopilot ramp.xml --dry-run\n"
                "ordermill autopilot ramp.xml -o results/ramp\n"
                "ordermill autopilot --resume results/ramp\n"
                "ordermill autopilot --again results/ramp -o results/ramp-2\n"
                "ordermill autopilot ramp.xml -h db1 --set measure=5m --set ladder='1 2 4 8'",
    .run = run,
};

/* Owns the reading of the command line: which command, which options, which operands, and what to
 * say when they make no sense. What the options are stands in settings.def, what the commands are
 * in main.c. */
#include "common/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cli_help.h"
#include "common/interrupt.h"
#include "common/log.h"
#include "common/nearest.h"
#include "common/version.h"

/* What getopt_long returns for an option: OPTION_BASE + id of the setting, or one of these. */
enum { OPTION_HELP = 1000, OPTION_MAN, OPTION_BASE };

#define NAME_MAX_LENGTH 64
#define OPTIONS_MAX     (SETTINGS_COUNT + 3)

/* ---- the nearest name ---- */

static bool
unknown_command(const struct command *const *commands, const char *given, struct err *err)
{
    const char *nearest = NULL;
    size_t distance = SIZE_MAX;

    for (size_t i = 0; commands[i]; i++)
        nearest_suggest(given, commands[i]->name, &nearest, &distance);
    err_set(err, ERR_USAGE, "unknown command \"%s\"", given);
    if (nearest)
        err_hint(err, "did you mean \"%s\"?", nearest);
    else
        err_hint(err, "\"ordermill --help\" lists the commands");
    return false;
}

static bool
unknown_option(const struct command *command, const char *given, struct err *err)
{
    char name[NAME_MAX_LENGTH];
    const char *nearest = NULL;
    size_t distance = SIZE_MAX;

    snprintf(name, sizeof name, "%.*s", (int)strcspn(given, "="), given);
    for (int id = 0; id < SETTINGS_COUNT && strncmp(name, "--", 2) == 0; id++) {
        if (setting_specs[id].commands & command->bit)
            nearest_suggest(name + 2, setting_specs[id].name, &nearest, &distance);
    }
    err_set(err, ERR_USAGE, "%s: unknown option \"%s\"", command->name, name);
    if (nearest)
        err_hint(err, "did you mean \"--%s\"?", nearest);
    else
        err_hint(err, "\"ordermill %s --help\" lists the options", command->name);
    return false;
}

/* ---- options ---- */

struct option_table {
    struct option longs[OPTIONS_MAX];
    char shorts[2 * SETTINGS_COUNT + 3];
};

static void
add_long(struct option_table *table, size_t *count, const char *name, bool takes_value, int code)
{
    must(*count + 1 < OPTIONS_MAX);
    table->longs[(*count)++] = (struct option){
        .name = name,
        .has_arg = takes_value ? required_argument : no_argument,
        .val = code,
    };
}

static void
build_table(struct option_table *table, const struct command *command)
{
    size_t count = 0;
    char *letter = table->shorts;

    memset(table, 0, sizeof *table);
    if (command->stops_at_operand)
        *letter++ = '+';
    *letter++ = ':'; /* tells a missing value from an unknown option */
    for (int id = 0; id < SETTINGS_COUNT; id++) {
        const struct setting_spec *spec = &setting_specs[id];
        bool takes_value = spec->type != SETTING_FLAG;
        if (!(spec->commands & command->bit))
            continue;
        add_long(table, &count, spec->name, takes_value, OPTION_BASE + id);
        if (spec->short_option) {
            *letter++ = spec->short_option;
            if (takes_value)
                *letter++ = ':';
        }
    }
    add_long(table, &count, "help", false, OPTION_HELP);
    add_long(table, &count, "man", false, OPTION_MAN);
}

static int
find_short(const struct command *command, int letter)
{
    for (int id = 0; id < SETTINGS_COUNT; id++) {
        if ((setting_specs[id].commands & command->bit) && setting_specs[id].short_option == letter)
            return id;
    }
    return -1;
}

/* What getopt_long reported as ':' (no value) or '?' (unknown, ambiguous, or a value too many). */
static bool
bad_option(const struct command *command, int kind, char **argv, struct err *err)
{
    bool is_long = optopt == 0 || optopt >= OPTION_HELP;
    char letter[3] = {'-', (char)optopt, '\0'};
    const char *given = is_long ? argv[optind - 1] : letter;

    if (kind == ':')
        return err_set(err, ERR_USAGE, "%s: needs a value", given);
    if (optopt >= OPTION_HELP)
        return err_set(err, ERR_USAGE, "%.*s: takes no value", (int)strcspn(given, "="), given);
    return unknown_option(command, given, err);
}

/* A connection string may hold a password, which ps would show to everybody on this machine: once
 * it is read it goes from there. */
static void
hide_connection_string(enum setting_id id, char *value)
{
    bool is_one = id == SET_DBNAME && (strchr(value, '=') || strstr(value, "://"));
    bool sets_one = id == SET_SET && strncmp(value, "dbname=", strlen("dbname=")) == 0;

    if (is_one || sets_one)
        memset(value, '*', strlen(value));
}

enum wish { WISH_RUN, WISH_HELP, WISH_MAN };

static bool
parse_options(const struct command *command, int argc, char **argv, struct settings *settings,
              enum wish *wish, struct err *err)
{
    struct option_table table;
    int code;

    build_table(&table, command);
    *wish = WISH_RUN;
    opterr = 0;
    optind = 0; /* begins anew, in glibc and musl */
    while ((code = getopt_long(argc, argv, table.shorts, table.longs, NULL)) != -1) {
        if (code == OPTION_HELP || code == OPTION_MAN) {
            *wish = code == OPTION_HELP ? WISH_HELP : WISH_MAN;
            return true;
        }
        if (code == ':' || code == '?')
            return bad_option(command, code, argv, err);
        int id = code >= OPTION_BASE ? code - OPTION_BASE : find_short(command, code);
        must(id >= 0);
        if (!settings_set(settings, (enum setting_id)id, optarg ? optarg : "true", SETTING_OPTION,
                          err))
            return false;
        if (optarg)
            hide_connection_string((enum setting_id)id, optarg);
    }
    return true;
}

static bool
check_operands(const struct command *command, int count, char **operands, struct err *err)
{
    struct buf usage = {0};

    if (count >= command->operands_min && count <= command->operands_max)
        return true;
    if (count < command->operands_min)
        err_set(err, ERR_USAGE, "%s: an operand is missing: %s", command->name, command->operands);
    else
        err_set(err, ERR_USAGE, "%s: unexpected operand \"%s\"", command->name,
                operands[command->operands_max]);
    cli_help_usage(&usage, command);
    err_hint(err, "usage: %s", buf_text(&usage));
    buf_free(&usage);
    return false;
}

/* ---- running ---- */

bool
cli_finish_output(struct err *err)
{
    bool failed = ferror(stdout) != 0;

    errno = 0;
    if (fclose(stdout) != 0 || failed)
        return err_set(err, ERR_LOCAL, "cannot write to standard output: %s",
                       errno ? strerror(errno) : "an earlier write failed");
    return true;
}

static int
print_and_finish(struct buf *text)
{
    struct err err;

    fwrite(text->data, 1, text->length, stdout);
    buf_free(text);
    return cli_finish_output(&err) ? 0 : log_error(&err);
}

static void
set_up_log(const struct settings *settings)
{
    if (settings_flag(settings, SET_QUIET))
        log_init(LOG_QUIET);
    else if (settings_flag(settings, SET_VERBOSE))
        log_init(LOG_VERBOSE);
}

static int
run_command(const struct command *command, int argc, char **argv)
{
    struct settings settings;
    struct buf text = {0};
    struct err err;
    enum wish wish;
    int status;

    settings_init(&settings);
    bool ok = parse_options(command, argc, argv, &settings, &wish, &err);
    if (ok && wish == WISH_RUN)
        ok = check_operands(command, argc - optind, argv + optind, &err);
    if (!ok) {
        status = log_error(&err);
    } else if (wish == WISH_RUN) {
        set_up_log(&settings);
        interrupt_install();
        status = command->run(&settings, argc - optind, argv + optind);
    } else {
        if (wish == WISH_HELP)
            cli_help_command(&text, command);
        else
            cli_man_command(&text, command);
        status = print_and_finish(&text);
    }
    settings_free(&settings);
    return status;
}

static int
usage_error(const struct command *const *commands, const char *given)
{
    struct err err;

    if (given && given[0] != '-') {
        unknown_command(commands, given, &err);
    } else {
        if (given)
            err_set(&err, ERR_USAGE, "option \"%s\" stands before the command", given);
        else
            err_set(&err, ERR_USAGE, "no command given");
        err_hint(&err, "\"ordermill --help\" lists the commands");
    }
    return log_error(&err);
}

/* Where a standard stream is closed, the next thing opened would take its number, and a result
 * could be written into a connection. What stands in for it fails at every use. */
static void
occupy_closed_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0)
            (void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
}

int
cli_main(const struct command *const *commands, int argc, char **argv)
{
    const char *first = argc > 1 ? argv[1] : NULL;
    struct buf text = {0};

    occupy_closed_streams();
    if (first && (strcmp(first, "--help") == 0 || strcmp(first, "-?") == 0)) {
        cli_help_program(&text, commands);
        return print_and_finish(&text);
    }
    if (first && strcmp(first, "--man") == 0) {
        cli_man_list(&text, commands);
        return print_and_finish(&text);
    }
    if (first && (strcmp(first, "--version") == 0 || strcmp(first, "-V") == 0)) {
        buf_printf(&text, "ordermill %s\n", KIT_VERSION);
        return print_and_finish(&text);
    }
    for (size_t i = 0; first && commands[i]; i++) {
        if (strcmp(first, commands[i]->name) == 0)
            return run_command(commands[i], argc - 1, argv + 1);
    }
    return usage_error(commands, first);
}

/* The command line as a program sees it: each call in a process of its own, with its exit status,
 * stdout and stderr. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cli_help.h"

/* Prints what it was given, so that the tests see it on stdout. */
static int
show(struct settings *settings, int operand_count, char **operands)
{
    struct err err;

    printf("users=%lld json=%d quiet=%d schema=%s",
           (long long)settings_int(settings, SET_VIRTUAL_USERS), settings_flag(settings, SET_JSON),
           settings_flag(settings, SET_QUIET), settings_text(settings, SET_SCHEMA));
    for (int i = 0; i < operand_count; i++)
        printf(" [%s]", operands[i]);
    return cli_finish_output(&err) ? 0 : (int)err.code;
}

static const struct command run_command = {
    .name = "run",
    .operands = "",
    .bit = CMD_RUN,
    .summary = "measure one level of load",
    .description = "First sentence. Second one.\n\nAnother paragraph.",
    .examples = "ordermill run -u 8\nordermill run -u 8 --json",
    .run = show,
};
static const struct command report_command = {
    .name = "report",
    .operands = "DIR",
    .operands_min = 1,
    .operands_max = 2,
    .bit = CMD_REPORT,
    .summary = "write the report of a run",
    .description = ".starts with a dot\n'and a quote \\ backslash",
    .examples = "",
    .run = show,
};
static const struct command server_command = {
    .name = "server",
    .operands = "[-- COMMAND [ARG...]]",
    .operands_max = 100,
    .stops_at_operand = true,
    .bit = CMD_SERVER,
    .summary = "run a command beside a server",
    .description = "x",
    .examples = "",
    .run = show,
};
static const struct command *const commands[] = {&run_command, &report_command, &server_command,
                                                 NULL};

struct outcome {
    int status;
    char out[16384], talk[4096];
};

static void
slurp(FILE *file, char *text, size_t size)
{
    rewind(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

/* Calls the program with these blank-separated words. */
static struct outcome *
call(const char *words)
{
    static struct outcome outcome;
    char line[256], *argv[20] = {line};
    int argc = 1, status;
    FILE *out = tmpfile(), *talk = tmpfile();

    assert_true(out && talk);
    snprintf(line, sizeof line, "ordermill %s", words);
    for (char *p = line; (p = strchr(p, ' '));) {
        *p++ = '\0';
        if (*p)
            argv[argc++] = p;
    }
    pid_t pid = fork();
    if (pid == 0) {
        dup2(fileno(out), STDOUT_FILENO);
        dup2(fileno(talk), STDERR_FILENO);
        _exit(cli_main(commands, argc, argv));
    }
    assert_true(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    outcome.status = WEXITSTATUS(status);
    slurp(out, outcome.out, sizeof outcome.out);
    slurp(talk, outcome.talk, sizeof outcome.talk);
    return &outcome;
}

static void
prints(const char *words, const char *expected)
{
    struct outcome *outcome = call(words);

    assert_string_equal(outcome->talk, "");
    assert_string_equal(outcome->out, expected);
    assert_int_equal(outcome->status, 0);
}

static void
complains(const char *words, const char *expected)
{
    struct outcome *outcome = call(words);

    assert_string_equal(outcome->talk, expected);
    assert_string_equal(outcome->out, "");
    assert_int_equal(outcome->status, 2);
}

static void
options_in_every_spelling(void **state)
{
    (void)state;
    prints("run", "users=1 json=0 quiet=0 schema=ordermill");
    prints("run --virtual-users=5", "users=5 json=0 quiet=0 schema=ordermill");
    prints("run --virtual-users 5 --json", "users=5 json=1 quiet=0 schema=ordermill");
    prints("run -u 5 -q", "users=5 json=0 quiet=1 schema=ordermill");
    prints("run -qu5", "users=5 json=0 quiet=1 schema=ordermill");
    prints("run --virt 5", "users=5 json=0 quiet=0 schema=ordermill");
    prints("run -u 5 -u 6", "users=6 json=0 quiet=0 schema=ordermill");
    prints("run --schema=a=b", "users=1 json=0 quiet=0 schema=a=b");
}

static void
operands(void **state)
{
    (void)state;
    prints("report a", "users=1 json=0 quiet=0 schema=ordermill [a]");
    prints("report a -q b", "users=1 json=0 quiet=1 schema=ordermill [a] [b]");
    prints("report -- -q", "users=1 json=0 quiet=0 schema=ordermill [-q]");
    prints("server -q ls -q", "users=1 json=0 quiet=1 schema=ordermill [ls] [-q]");
    prints("server -q -- -q", "users=1 json=0 quiet=1 schema=ordermill [-q]");
    complains("report", "ordermill: report: an operand is missing: DIR\n"
                        "hint: usage: ordermill report [OPTION]... DIR\n");
    complains("run now", "ordermill: run: unexpected operand \"now\"\n"
                         "hint: usage: ordermill run [OPTION]...\n");
    complains("report a b c", "ordermill: report: unexpected operand \"c\"\n"
                              "hint: usage: ordermill report [OPTION]... DIR\n");
}

static void
wrong_values(void **state)
{
    (void)state;
    complains("run --virtual-users=0", "ordermill: --virtual-users: \"0\" is below 1\n");
    complains("run -u x", "ordermill: --virtual-users: \"x\" is not a whole number\n");
    complains("run -u", "ordermill: -u: needs a value\n");
    complains("run --measure", "ordermill: --measure: needs a value\n");
    complains("run --json=1", "ordermill: --json: takes no value\n");
    complains("run --measure 5", "ordermill: --measure: \"5\" has no unit\n"
                                 "hint: write a duration as 250us, 500ms, 90s, 5m or 1h\n");
}

static void
unknown_names_get_a_suggestion(void **state)
{
    (void)state;
    complains("run --virtual-user-s=5", "ordermill: run: unknown option \"--virtual-user-s\"\n"
                                        "hint: did you mean \"--virtual-users\"?\n");
    complains("run --shema x", "ordermill: run: unknown option \"--shema\"\n"
                               "hint: did you mean \"--schema\"?\n");
    complains("run --zzzzzzzz", "ordermill: run: unknown option \"--zzzzzzzz\"\n"
                                "hint: \"ordermill run --help\" lists the options\n");
    complains("run -qZ", "ordermill: run: unknown option \"-Z\"\n"
                         "hint: \"ordermill run --help\" lists the options\n");
    /* Of another command. */
    complains("report --virtual-users=5 x",
              "ordermill: report: unknown option \"--virtual-users\"\n"
              "hint: \"ordermill report --help\" lists the options\n");
    complains("rum", "ordermill: unknown command \"rum\"\nhint: did you mean \"run\"?\n");
    complains("frobnicate", "ordermill: unknown command \"frobnicate\"\n"
                            "hint: \"ordermill --help\" lists the commands\n");
    complains("", "ordermill: no command given\nhint: \"ordermill --help\" lists the commands\n");
    complains("--json run", "ordermill: option \"--json\" stands before the command\n"
                            "hint: \"ordermill --help\" lists the commands\n");
}

static void
help_and_version(void **state)
{
    (void)state;
    struct outcome *outcome = call("--help");
    assert_int_equal(outcome->status, 0);
    assert_non_null(strstr(outcome->out, "  report      write the report of a run\n"));
    outcome = call("--version");
    assert_true(strncmp(outcome->out, "ordermill ", 10) == 0);
    assert_int_equal(outcome->status, 0);
    prints("--man", ".Bl -tag -width indent\n"
                    ".It Xr ordermill\\-run 1\nMeasure one level of load.\n"
                    ".It Xr ordermill\\-report 1\nWrite the report of a run.\n"
                    ".It Xr ordermill\\-server 1\nRun a command beside a server.\n"
                    ".El\n");
    outcome = call("run -u 5 --help");
    assert_int_equal(outcome->status, 0);
    assert_true(strncmp(outcome->out,
                        "Usage: ordermill run [OPTION]...\n\n"
                        "First sentence. Second one. See ordermill-run(1).\n\nOptions:\n",
                        90) == 0);
    assert_non_null(strstr(outcome->out, "  -t, --measure=TIME      length of the measured window "
                                         "(default 60s)\n"));
    assert_non_null(strstr(outcome->out, "\nExamples:\n  ordermill run -u 8\n"
                                         "  ordermill run -u 8 --json\n"));
    outcome = call("report --help"); /* no examples, no such heading */
    assert_null(strstr(outcome->out, "Examples"));
}

static void
help_keeps_to_80_columns(void **state)
{
    struct command all = run_command;
    struct buf out = {0};

    (void)state;
    all.bit = (enum command_bit)CMD_ALL;
    all.description =
        "word word word word word word word word word word word word word word wo 80 "
        "x word word word word word word word word word word word word word word wor 81";
    cli_help_command(&out, &all);
    size_t width_max = 0;
    for (const char *line = out.data; *line; line += strcspn(line, "\n") + 1) {
        size_t width = strcspn(line, "\n");
        if (width > 80)
            fail_msg("%.*s", (int)width, line);
        width_max = width > width_max ? width : width_max;
    }
    assert_int_equal(width_max, 80);
    buf_free(&out);
}

/* Help and man page name the same options with the same values. */
static void
help_and_man_page_agree(void **state)
{
    struct buf help = {0}, man = {0}, text = {0};

    (void)state;
    cli_help_command(&help, &run_command);
    cli_man_command(&man, &run_command);
    const char *in_man = man.data;
    for (int id = 0; id < SETTINGS_COUNT; id++) {
        const struct setting_spec *spec = &setting_specs[id];
        bool ours = (spec->commands & CMD_RUN) != 0;
        buf_clear(&text);
        buf_printf(&text, "--%s%s%s", spec->name, spec->metavar[0] ? "=" : " ", spec->metavar);
        const char *found = strstr(help.data, text.data);
        assert_int_equal(found != NULL, ours);
        buf_clear(&text);
        buf_puts(&text, "Fl Fl ");
        for (const char *p = spec->name; *p; p++)
            buf_printf(&text, "%s%c", *p == '-' ? "\\" : "", *p);
        buf_puts(&text, spec->metavar[0] ? " Ns = Ns Ar " : "\n");
        found = strstr(in_man, text.data);
        assert_int_equal(found != NULL, ours);
        in_man = found ? found : in_man;
    }
    buf_free(&help);
    buf_free(&man);
    buf_free(&text);
}

static void
man_page_escapes_what_roff_would_take(void **state)
{
    struct buf man = {0};

    (void)state;
    cli_man_command(&man, &report_command);
    assert_non_null(strstr(man.data, "\n.Sh DESCRIPTION\n\\&.starts with a dot\n.Pp\n"
                                     "\\&'and a quote \\e backslash\n"));
    assert_non_null(strstr(man.data, "\n.Nm ordermill\\-report\n.Nd write the report of a run\n"));
    buf_free(&man);
}

static void
lost_output_is_an_error(void **state)
{
    int status;
    pid_t pid;

    (void)state;
    pid = fork();
    if (pid == 0) {
        char *argv[] = {(char[]){"ordermill"}, (char[]){"run"}, NULL};
        int full = open("/dev/full", O_WRONLY);
        _exit(full < 0 || dup2(full, STDOUT_FILENO) < 0 ? 99 : cli_main(commands, 2, argv));
    }
    assert_true(pid > 0 && waitpid(pid, &status, 0) == pid);
    assert_int_equal(WEXITSTATUS(status), 7);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_in_every_spelling),
        cmocka_unit_test(operands),
        cmocka_unit_test(wrong_values),
        cmocka_unit_test(unknown_names_get_a_suggestion),
        cmocka_unit_test(help_and_version),
        cmocka_unit_test(help_keeps_to_80_columns),
        cmocka_unit_test(help_and_man_page_agree),
        cmocka_unit_test(man_page_escapes_what_roff_would_take),
        cmocka_unit_test(lost_output_is_an_error),
    };
    return cmocka_run_group_tests_name("cli", tests, NULL, NULL);
}

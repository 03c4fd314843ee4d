/* The command line: a table of commands, options from settings.def, help, and the way out. */
#ifndef ORDERMILL_COMMON_CLI_H
#define ORDERMILL_COMMON_CLI_H

#include "common/settings.h"

struct command {
    const char *name;
    const char *operands; /* as the usage line shows them: "PROFILE.xml", or "" */
    int operands_min, operands_max;
    bool stops_at_operand; /* options after the first operand are not ours (server -- COMMAND) */
    enum command_bit bit;
    const char *summary;     /* one line, lower case */
    const char *description; /* a paragraph or two for --help and the man page */
    const char *examples;    /* lines, each a command that works */
    /* Returns the exit status. */
    int (*run)(struct settings *settings, int operand_count, char **operands);
};

/* Parses, handles --help and --version, sets up logging and interrupts, runs the command and
 * returns its exit status. `commands` ends with NULL. */
int cli_main(const struct command *const *commands, int argc, char **argv);

/* Flushes and closes stdout; ERR_LOCAL when what was written did not reach it (full disk, closed
 * pipe). Commands that print results end with it. */
MUST_CHECK bool cli_finish_output(struct err *err);

#endif

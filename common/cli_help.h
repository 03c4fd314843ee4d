/* The texts that explain the command line, made from the table of commands and from settings.def:
 * the help on the terminal and the man page of a command. Pure. */
#ifndef ORDERMILL_COMMON_CLI_HELP_H
#define ORDERMILL_COMMON_CLI_HELP_H

#include "common/buf.h"
#include "common/cli.h"

/* "ordermill load [OPTION]... PROFILE.xml" */
void cli_help_usage(struct buf *out, const struct command *command);
/* What --help prints, at most 80 columns wide: of one command, and of the program. */
void cli_help_command(struct buf *out, const struct command *command);
void cli_help_program(struct buf *out, const struct command *const *commands);
/* Default and limits of a setting, in words: "default 60s, 1s to 168h"; "" where there are none. */
void cli_help_values(struct buf *out, const struct setting_spec *spec);

/* The man page of a command, in mdoc. */
void cli_man_command(struct buf *out, const struct command *command);
/* The list of commands for the man page of the program, which is docs/man/ordermill.1. */
void cli_man_list(struct buf *out, const struct command *const *commands);

#endif

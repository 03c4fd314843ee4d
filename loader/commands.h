/* The commands load, check, checksum, drop and prepare. */
#ifndef ORDERMILL_LOADER_COMMANDS_H
#define ORDERMILL_LOADER_COMMANDS_H

#include "common/cli.h"

extern const struct command load_command;
extern const struct command check_command;
extern const struct command checksum_command;
extern const struct command drop_command;
extern const struct command prepare_command;

#endif

/* The command `server`: a private server around a program, or until Ctrl-C. */
#ifndef ORDERMILL_SERVER_SERVER_COMMAND_H
#define ORDERMILL_SERVER_SERVER_COMMAND_H

#include "common/cli.h"

extern const struct command server_command;

#endif

/* The commands of the driver: `run`, one load level; `calibrate`, what the driver itself costs;
 * `doctor`, what spoils measurements. */
#ifndef ORDERMILL_DRIVER_COMMANDS_H
#define ORDERMILL_DRIVER_COMMANDS_H

#include "common/cli.h"

extern const struct command run_command;
extern const struct command calibrate_command;
extern const struct command doctor_command;

#endif

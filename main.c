/* The table of commands, in the order of the help, and nothing else. */
#include "common/cli.h"
#include "driver/commands.h"
#include "loader/commands.h"
#include "profiles/autopilot.h"
#include "reports/reports.h"
#include "server/server_command.h"

/* clang-format off */
static const struct command *const commands[] = {
    &demo_command,
    &prepare_command,
    &plan_command,
    &load_command,
    &check_command,
    &checksum_command,
    &run_command,
    &autopilot_command,
    &calibrate_command,
    &doctor_command,
    &report_command,
    &compare_command,
    &drop_command,
    &server_command,
    NULL,
};
/* clang-format on */

int
main(int argc, char **argv)
{
    return cli_main(commands, argc, argv);
}

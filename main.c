/* The table of commands, in the order of the help, and nothing else. */
#include "common/cli.h"
#include "server/server_command.h"

static const struct command *const commands[] = {
    &server_command,
    NULL,
};

int
main(int argc, char **argv)
{
    return cli_main(commands, argc, argv);
}

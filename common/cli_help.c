/* Owns the layout of --help. The man page is made in cli_man.c. */
#include "common/cli_help.h"

#include <stdint.h>
#include <string.h>

#define WIDTH        80
#define TEXT_COLUMN  26
#define EXAMPLES_MAX 3

/* Appends the words of text, broken before column WIDTH, each further line begun at `indent`.
 * `column` is where the text begins. Line ends in the text stay. */
static void
wrap(struct buf *out, const char *text, int column, int indent)
{
    bool at_start = true;

    while (*text) {
        int length = (int)strcspn(text, " \n");
        if (!at_start && column + 1 + length > WIDTH) {
            buf_printf(out, "\n%*s", indent, "");
            column = indent;
            at_start = true;
        }
        if (!at_start) {
            buf_putc(out, ' ');
            column++;
        }
        buf_append(out, text, (size_t)length);
        column += length;
        at_start = false;
        text += length;
        for (; *text == ' ' || *text == '\n'; text++) {
            if (*text == '\n') {
                buf_putc(out, '\n');
                column = 0;
                at_start = true;
            }
        }
    }
}

void
cli_help_usage(struct buf *out, const struct command *command)
{
    buf_printf(out, "ordermill %s [OPTION]...%s%s", command->name, command->operands[0] ? " " : "",
               command->operands);
}

static bool
has_limits(const struct setting_spec *spec)
{
    return spec->type == SETTING_INT || spec->type == SETTING_DURATION ||
           spec->type == SETTING_SIZE || spec->type == SETTING_LIST;
}

void
cli_help_values(struct buf *out, const struct setting_spec *spec)
{
    char low[UNITS_TEXT_SIZE], high[UNITS_TEXT_SIZE];

    if (spec->default_text[0])
        buf_printf(out, "default %s", spec->default_text);
    if (!has_limits(spec))
        return;
    if (spec->default_text[0])
        buf_puts(out, ", ");
    settings_limit(low, spec, spec->minimum);
    if (spec->maximum == INT64_MAX)
        buf_printf(out, "at least %s", low);
    else
        buf_printf(out, "%s to %s", low, settings_limit(high, spec, spec->maximum));
}

/* Whether the option stands in the short lines at the end instead of a line of its own: everybody
 * who knows psql knows these. */
static bool
is_connection(const struct setting_spec *spec)
{
    return strncmp(spec->xml, "connection@", 11) == 0 && spec->short_option;
}

static bool
is_general(const struct setting_spec *spec)
{
    return spec->commands == CMD_ALL;
}

static void
put_name(struct buf *out, const struct setting_spec *spec)
{
    if (spec->short_option)
        buf_printf(out, "  -%c, --%s", spec->short_option, spec->name);
    else
        buf_printf(out, "      --%s", spec->name);
    if (spec->metavar[0])
        buf_printf(out, "=%s", spec->metavar);
}

/* What comes behind a semicolon in the table of options is for the man page. */
static void
put_option(struct buf *out, const struct setting_spec *spec)
{
    struct buf left = {0}, text = {0};

    put_name(&left, spec);
    buf_append(&text, spec->help, strcspn(spec->help, ";"));
    if (spec->default_text[0])
        buf_printf(&text, " (default %s)", spec->default_text);
    buf_append(out, left.data, left.length);
    if (left.length + 2 > TEXT_COLUMN)
        buf_printf(out, "\n%*s", TEXT_COLUMN, "");
    else
        buf_printf(out, "%*s", TEXT_COLUMN - (int)left.length, "");
    wrap(out, text.data, TEXT_COLUMN, TEXT_COLUMN);
    buf_putc(out, '\n');
    buf_free(&left);
    buf_free(&text);
}

/* One wrapped line of names, each "-h, --host=HOST"; nothing when the command has none. */
static void
put_names(struct buf *out, const char *title, const struct command *command,
          bool (*chosen)(const struct setting_spec *spec), const char *more)
{
    struct buf names = {0};

    for (int id = 0; id < SETTINGS_COUNT; id++)
        if ((setting_specs[id].commands & command->bit) && chosen(&setting_specs[id]))
            put_name(&names, &setting_specs[id]);
    if (names.length > 0) {
        buf_printf(out, "%s\n  ", title);
        buf_puts(&names, more);
        wrap(out, buf_text(&names) + 2, 2, 2);
        buf_putc(out, '\n');
    }
    buf_free(&names);
}

/* The first few; the man page has them all. */
static void
put_examples(struct buf *out, const char *line)
{
    if (*line)
        buf_puts(out, "\nExamples:\n");
    for (int i = 0; *line && i < EXAMPLES_MAX; i++) {
        size_t length = strcspn(line, "\n");
        buf_printf(out, "  %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

void
cli_help_command(struct buf *out, const struct command *command)
{
    const char *end = strstr(command->description, "\n\n");
    size_t length = end ? (size_t)(end - command->description) : strlen(command->description);
    struct buf paragraph = {0};

    buf_printf(&paragraph, "%.*s See ordermill-%s(1).", (int)length, command->description,
               command->name);
    buf_puts(out, "Usage: ");
    cli_help_usage(out, command);
    buf_puts(out, "\n\n");
    wrap(out, buf_text(&paragraph), 0, 0);
    buf_free(&paragraph);
    buf_puts(out, "\n\nOptions:\n");
    for (int id = 0; id < SETTINGS_COUNT; id++) {
        const struct setting_spec *spec = &setting_specs[id];
        if ((spec->commands & command->bit) && !is_connection(spec) && !is_general(spec))
            put_option(out, spec);
    }
    put_names(out, "Connection, as in psql:", command, is_connection, "");
    put_names(out, "General:", command, is_general, "      --help");
    put_examples(out, command->examples);
}

void
cli_help_program(struct buf *out, const struct command *const *commands)
{
    buf_puts(out, "Ordermill measures what order-entry work a PostgreSQL server can do.\n\n"
                  "Usage: ordermill COMMAND [OPTION]... [OPERAND]...\n\nCommands:\n");
    for (; *commands; commands++) {
        buf_printf(out, "  %-12s", (*commands)->name);
        wrap(out, (*commands)->summary, 14, 14);
        buf_putc(out, '\n');
    }
    buf_puts(out, "\n\"ordermill COMMAND --help\" explains a command; "
                  "\"ordermill --version\" prints the\nversion.\n");
}

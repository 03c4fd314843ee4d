/* Owns the layout of --help. The man page is made in cli_man.c. */
#include "common/cli_help.h"

#include <stdint.h>
#include <string.h>

#define WIDTH       80
#define TEXT_COLUMN 26

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

static void
put_option(struct buf *out, const struct setting_spec *spec)
{
    struct buf left = {0}, text = {0}, values = {0};

    if (spec->short_option)
        buf_printf(&left, "  -%c, --%s", spec->short_option, spec->name);
    else
        buf_printf(&left, "      --%s", spec->name);
    if (spec->metavar[0])
        buf_printf(&left, "=%s", spec->metavar);
    cli_help_values(&values, spec);
    buf_puts(&text, spec->help);
    if (values.length > 0)
        buf_printf(&text, " (%s)", buf_text(&values));

    buf_append(out, left.data, left.length);
    if (left.length + 2 > TEXT_COLUMN)
        buf_printf(out, "\n%*s", TEXT_COLUMN, "");
    else
        buf_printf(out, "%*s", TEXT_COLUMN - (int)left.length, "");
    wrap(out, text.data, TEXT_COLUMN, TEXT_COLUMN);
    buf_putc(out, '\n');
    buf_free(&left);
    buf_free(&text);
    buf_free(&values);
}

void
cli_help_command(struct buf *out, const struct command *command)
{
    buf_puts(out, "Usage: ");
    cli_help_usage(out, command);
    buf_puts(out, "\n\n");
    wrap(out, command->description, 0, 0);
    buf_puts(out, "\n\nOptions:\n");
    for (int id = 0; id < SETTINGS_COUNT; id++) {
        if (setting_specs[id].commands & command->bit)
            put_option(out, &setting_specs[id]);
    }
    buf_printf(out, "      --help%*sprint this help\n", TEXT_COLUMN - 12, "");
    if (command->examples[0])
        buf_puts(out, "\nExamples:\n");
    for (const char *line = command->examples; *line;) {
        size_t length = strcspn(line, "\n");
        buf_printf(out, "  %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
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

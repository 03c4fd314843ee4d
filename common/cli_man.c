/* Owns the man page of a command: mdoc made from the same tables as --help, so that the two cannot
 * disagree. Declared in cli_help.h. */
#include "common/cli_help.h"

#include <ctype.h>
#include <string.h>

#define LINE_LENGTH 65 /* after which the next blank becomes a line end */

/* Text without meaning to roff: no request at the start of a line, no escape. */
static void
put_text(struct buf *out, const char *text, size_t length, bool fill)
{
    const char *newline = memrchr(buf_text(out), '\n', out->length);
    size_t line = newline ? (size_t)(newline + 1 - out->data) : 0; /* where the line begins */

    for (size_t i = 0; i < length; i++) {
        char c = fill && text[i] == ' ' && out->length - line > LINE_LENGTH ? '\n' : text[i];
        bool line_start = out->length == line;
        if (line_start && (c == '.' || c == '\''))
            buf_puts(out, "\\&");
        if (c == '\\')
            buf_puts(out, "\\e");
        else if (c == '-')
            buf_puts(out, "\\-");
        else
            buf_putc(out, c);
        if (c == '\n')
            line = out->length;
    }
}

/* Sentences begin on lines of their own, as mdoc wants them; a line of the text is a paragraph. */
static void
put_prose(struct buf *out, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        for (size_t at = 0; at < length;) {
            size_t end = at;
            while (end < length && !(text[end] == '.' && end + 1 < length && text[end + 1] == ' '))
                end++;
            end += end < length;
            put_text(out, text + at, end - at, true);
            buf_putc(out, '\n');
            at = end + strspn(text + end, " ");
        }
        text += length + strspn(text + length, "\n");
        if (*text)
            buf_puts(out, ".Pp\n");
    }
}

/* A word as an argument of a macro. */
static void
put_argument(struct buf *out, const char *text)
{
    buf_putc(out, '"');
    put_text(out, text, strlen(text), false);
    buf_putc(out, '"');
}

static void
put_option(struct buf *out, const struct setting_spec *spec)
{
    struct buf values = {0};

    buf_puts(out, ".It ");
    if (spec->short_option)
        buf_printf(out, "Fl %c , ", spec->short_option);
    buf_puts(out, "Fl Fl ");
    put_text(out, spec->name, strlen(spec->name), false);
    if (spec->metavar[0]) {
        buf_puts(out, " Ns = Ns Ar ");
        put_argument(out, spec->metavar);
    }
    buf_putc(out, '\n');
    buf_putc(out, (char)toupper((unsigned char)spec->help[0]));
    put_text(out, spec->help + 1, strlen(spec->help + 1), true);
    cli_help_values(&values, spec);
    if (values.length > 0) {
        buf_puts(out, " (");
        put_text(out, values.data, values.length, true);
        buf_putc(out, ')');
    }
    buf_puts(out, ".\n");
    if (spec->xml[0]) {
        buf_puts(out, "In a profile:\n.Li ");
        put_argument(out, spec->xml);
        buf_puts(out, " .\n");
    }
    buf_free(&values);
}

static void
put_examples(struct buf *out, const char *examples)
{
    buf_puts(out, ".Sh EXAMPLES\n.Bd -literal -offset indent\n");
    put_text(out, examples, strlen(examples), false);
    if (examples[strlen(examples) - 1] != '\n')
        buf_putc(out, '\n');
    buf_puts(out, ".Ed\n");
}

void
cli_man_command(struct buf *out, const struct command *command)
{
    buf_puts(out, ".Dd $Mdocdate$\n.Dt ORDERMILL\\-");
    for (const char *p = command->name; *p; p++)
        buf_putc(out, (char)toupper((unsigned char)*p));
    buf_printf(out, " 1\n.Os\n.Sh NAME\n.Nm ordermill\\-%s\n.Nd ", command->name);
    put_text(out, command->summary, strlen(command->summary), false);
    buf_printf(out, "\n.Sh SYNOPSIS\n.Nm ordermill %s\n.Op Ar OPTION ...\n", command->name);
    if (command->operands[0]) {
        buf_puts(out, ".Ar ");
        put_argument(out, command->operands);
        buf_putc(out, '\n');
    }
    buf_puts(out, ".Sh DESCRIPTION\n");
    put_prose(out, command->description);
    buf_puts(out, ".Pp\nThe options are:\n.Bl -tag -width indent\n");
    for (int id = 0; id < SETTINGS_COUNT; id++) {
        if (setting_specs[id].commands & command->bit)
            put_option(out, &setting_specs[id]);
    }
    buf_puts(out, ".It Fl Fl help\nPrint a summary of the options.\n.El\n");
    if (command->examples[0])
        put_examples(out, command->examples);
    buf_puts(out, ".Sh SEE ALSO\n.Xr ordermill 1\n");
}

void
cli_man_list(struct buf *out, const struct command *const *commands)
{
    buf_puts(out, ".Bl -tag -width indent\n");
    for (; *commands; commands++) {
        buf_printf(out, ".It Xr ordermill\\-%s 1\n", (*commands)->name);
        buf_putc(out, (char)toupper((unsigned char)(*commands)->summary[0]));
        put_text(out, (*commands)->summary + 1, strlen((*commands)->summary + 1), true);
        buf_puts(out, ".\n");
    }
    buf_puts(out, ".El\n");
}

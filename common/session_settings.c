/* Owns the form of a list of server settings. Whether the server knows them, it says itself. */
#include "common/session_settings.h"

#include <string.h>
#include <strings.h>

#define BLANKS     " \t\r\n"
#define NAME_BYTES "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$"

static const char *
trimmed(struct arena *arena, const char *text, size_t length)
{
    while (length > 0 && strchr(BLANKS, *text)) {
        text++;
        length--;
    }
    while (length > 0 && strchr(BLANKS, text[length - 1]))
        length--;
    return arena_printf(arena, "%.*s", (int)length, text);
}

bool
session_settings_next(const char **text, struct arena *arena, const char **name, const char **value,
                      struct err *err)
{
    const char *piece = *text + strspn(*text, ";" BLANKS);
    size_t length = strcspn(piece, ";"), before = strcspn(piece, "=;");

    *text = piece + length;
    if (length == 0)
        return false;
    *name = trimmed(arena, piece, before);
    *value = before < length ? trimmed(arena, piece + before + 1, length - before - 1) : "";
    if (before == length || (*name)[0] == '\0' || (*name)[strspn(*name, NAME_BYTES)])
        return err_set(err, ERR_USAGE, "\"%.80s\" is not of the form NAME=VALUE",
                       trimmed(arena, piece, length));
    return true;
}

bool
session_settings_check(const char *text, struct err *err)
{
    struct arena arena = {0};
    const char *name, *value;

    err->code = ERR_NONE;
    while (session_settings_next(&text, &arena, &name, &value, err))
        if (strcasecmp(name, "application_name") == 0) {
            err_set(err, ERR_USAGE, "application_name is how the kit knows its own sessions");
            break;
        }
    arena_free(&arena);
    return err->code == ERR_NONE;
}

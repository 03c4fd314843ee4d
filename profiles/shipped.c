/* Owns how a shipped profile is found and listed. */
#include "profiles/shipped.h"

#include <stdio.h>
#include <string.h>

#include "common/embedded.h"
#include "common/fs.h"
#include "profiles/plan.h"

#define FOLDER "profiles/"
#define SUFFIX ".xml"

const char *
shipped_text(const char *name)
{
    struct arena arena = {0};
    const char *text = embedded_text(arena_printf(&arena, FOLDER "%s" SUFFIX, name));

    arena_free(&arena);
    return text;
}

static void
put_line(const char *path, const char *text, struct buf *out)
{
    struct settings settings;
    struct profile profile;
    struct err err;
    int64_t steps, curves;

    settings_init(&settings);
    must(profile_parse(&profile, path, text, strlen(text), &settings,
                       &err)); /* a test has done so */
    plan_size(&settings, &profile, &steps, &curves);
    buf_printf(out, "%-10s %4lld steps  %s\n", profile.name, (long long)steps, profile.title);
    settings_free(&settings);
}

void
shipped_list(struct buf *out)
{
    for (size_t i = 0; i < embedded_files_count; i++) {
        const char *path = embedded_files[i].path;
        size_t length = strlen(path);
        if (strncmp(path, FOLDER, strlen(FOLDER)) == 0 &&
            strcmp(path + length - strlen(SUFFIX), SUFFIX) == 0)
            put_line(path, embedded_files[i].text, out);
    }
}

bool
shipped_read(struct profile *profile, const char *path, struct settings *settings, struct err *err)
{
    const char *text = fs_exists(path) ? NULL : shipped_text(path);

    return text ? profile_parse(profile, path, text, strlen(text), settings, err)
                : profile_read(profile, path, settings, err);
}

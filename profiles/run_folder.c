/* Owns the making and unmaking of the run folder. What is inside it is written by the store and by
 * the reports. */
#include "profiles/run_folder.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/fs.h"

#define PARENT "./ordermill-runs"

char *
run_folder_name(struct arena *arena, const char *name, int64_t wall_us)
{
    char iso[CLOCK_TEXT_SIZE]; /* 2026-03-01T12:34:56Z */

    clock_iso(iso, wall_us);
    return arena_printf(arena, PARENT "/%s-%.4s%.2s%.2s-%.2s%.2s%.2s", name, iso, iso + 5, iso + 8,
                        iso + 11, iso + 14, iso + 17);
}

static bool
make_parents(const char *path, struct err *err)
{
    struct arena arena = {0};
    size_t length = strlen(path);

    while (length > 1 && path[length - 1] == '/')
        length--;
    while (length > 0 && path[length - 1] != '/')
        length--;
    bool ok = length == 0 || fs_make_folder(arena_printf(&arena, "%.*s", (int)length, path), err);
    arena_free(&arena);
    return ok;
}

static bool
check_empty(const char *path, struct err *err)
{
    DIR *folder = opendir(path);
    int entries = 0;

    if (!folder)
        return err_set(err, ERR_LOCAL, "cannot use \"%s\" for the results: %s", path,
                       strerror(errno));
    for (const struct dirent *entry; (entry = readdir(folder));)
        entries += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(folder);
    if (entries == 0)
        return true;
    err_set(err, ERR_LOCAL, "\"%s\" is not empty", path);
    err_hint(err, "name a new folder for the results, or leave the option out");
    return false;
}

bool
run_folder_make(const char *path, bool *made, struct err *err)
{
    umask(umask(0) | 0027);
    *made = false;
    if (!make_parents(path, err))
        return false;
    *made = mkdir(path, 0750) == 0;
    if (!*made && errno != EEXIST)
        return err_set(err, ERR_LOCAL, "cannot make the folder \"%s\": %s", path, strerror(errno));
    if (!*made && !check_empty(path, err))
        return false;
    if (fs_check_writable(path, err))
        return true;
    run_folder_discard(path, *made);
    return false;
}

void
run_folder_discard(const char *path, bool made)
{
    struct arena arena = {0};

    (void)unlink(fs_join(&arena, path, "run.sqlite"));
    bool removed = made && rmdir(path) == 0;
    if (removed && strncmp(path, PARENT "/", strlen(PARENT "/")) == 0)
        (void)rmdir(PARENT); /* goes only when it is empty */
    arena_free(&arena);
}

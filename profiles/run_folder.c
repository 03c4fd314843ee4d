/* Owns the making and unmaking of the run folder. What is inside it is written by the store and by
 * the reports; who may write, run_lock.c decides. */
#include "profiles/run_folder.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/fs.h"
#include "common/store.h"

#define PARENT "./ordermill-runs"

/* Reports, and what the store holds of a run, of a step, and of each of its seconds. */
#define NEED_BYTES        (INT64_C(8) << 20)
#define NEED_STEP_BYTES   (INT64_C(64) << 10)
#define NEED_SECOND_BYTES (INT64_C(4) << 10)

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

int64_t
run_folder_need(int steps, int64_t step_us)
{
    return NEED_BYTES + steps * (NEED_STEP_BYTES + step_us / 1000000 * NEED_SECOND_BYTES);
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
        entries += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
                   strcmp(entry->d_name, RUN_LOCK_FILE) != 0;
    closedir(folder);
    if (entries == 0)
        return true;
    err_set(err, ERR_LOCAL, "\"%s\" is not empty", path);
    err_hint(err, "name a new folder for the results, or leave the option out");
    return false;
}

static bool
take(struct run_folder *folder, struct err *err)
{
    if (!folder->lock)
        folder->lock = run_lock_take(folder->path, err);
    return folder->lock != NULL;
}

/* A folder with a lock file is asked first: "in use" says more than "not empty". */
static bool
has_lock_file(const struct run_folder *folder)
{
    struct arena arena = {0};
    bool has = fs_exists(fs_join(&arena, folder->path, RUN_LOCK_FILE));

    arena_free(&arena);
    return has;
}

bool
run_folder_make(struct run_folder *folder, const char *path, int64_t need, struct err *err)
{
    *folder = (struct run_folder){.path = path};
    umask(umask(0) | 0027);
    if (!make_parents(path, err))
        return false;
    folder->made = mkdir(path, 0750) == 0;
    if (!folder->made && errno != EEXIST)
        return err_set(err, ERR_LOCAL, "cannot make the folder \"%s\": %s", path, strerror(errno));
    if ((folder->made || !has_lock_file(folder) || take(folder, err)) &&
        (folder->made || check_empty(path, err)) && take(folder, err) &&
        fs_check_room(path, need, err))
        return true;
    if (folder->lock || folder->made)
        run_folder_discard(folder);
    return false;
}

bool
run_folder_reopen(struct run_folder *folder, const char *path, struct err *err)
{
    struct arena arena = {0};
    bool found = fs_exists(fs_join(&arena, path, STORE_FILE));

    *folder = (struct run_folder){.path = path};
    arena_free(&arena);
    umask(umask(0) | 0027);
    if (!found)
        return err_set(err, ERR_LOCAL, "\"%s\" is not the folder of a run: it has no " STORE_FILE,
                       path);
    return take(folder, err);
}

bool
run_folder_try(const struct run_folder *folder, int64_t need, struct err *err)
{
    return fs_check_room(folder->path, need, err);
}

void
run_folder_close(struct run_folder *folder)
{
    run_lock_release(folder->lock);
    folder->lock = NULL;
}

/* The store goes while the lock is held: nobody else can have begun one. */
void
run_folder_discard(struct run_folder *folder)
{
    struct arena arena = {0};

    if (folder->lock)
        (void)unlink(fs_join(&arena, folder->path, STORE_FILE));
    run_folder_close(folder);
    bool removed = folder->made && rmdir(folder->path) == 0;
    if (removed && strncmp(folder->path, PARENT "/", strlen(PARENT "/")) == 0)
        (void)rmdir(PARENT); /* goes only when it is empty */
    arena_free(&arena);
}

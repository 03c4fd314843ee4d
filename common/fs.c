/* Owns files and folders as wholes. Running programs is in fs_program.c. */
#include "common/fs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/units.h"

#define READ_SIZE      65536
#define WRITE_SIZE     65536
#define ROOM_WRITE_MAX (INT64_C(4) << 20)

static bool
fail(struct err *err, const char *what, const char *path)
{
    return err_set(err, ERR_LOCAL, "cannot %s \"%s\": %s", what, path, strerror(errno));
}

bool
fs_read(const char *path, size_t limit, struct buf *out, struct err *err)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    size_t total = 0;
    ssize_t got;

    if (descriptor < 0)
        return fail(err, "open", path);
    do {
        got = read(descriptor, buf_reserve(out, READ_SIZE), READ_SIZE);
        if (got > 0) {
            out->length += (size_t)got;
            total += (size_t)got;
        }
        out->data[out->length] = '\0';
    } while ((got > 0 && total <= limit) || (got < 0 && errno == EINTR));
    bool ok = got >= 0 || fail(err, "read", path);
    close(descriptor);
    if (ok && total > limit)
        return err_set(err, ERR_LOCAL, "\"%s\" is larger than %zu bytes", path, limit);
    return ok;
}

static bool
write_all(int descriptor, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t written = write(descriptor, data, size);
        if (written < 0 && errno != EINTR)
            return false;
        if (written > 0) {
            data += written;
            size -= (size_t)written;
        }
    }
    return true;
}

/* A rename is safe from a crash only once the folder itself is on disk. */
static bool
sync_folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    struct arena arena = {0};
    const char *folder = ".";

    if (slash)
        folder = slash == path ? "/" : arena_printf(&arena, "%.*s", (int)(slash - path), path);
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    /* Some file systems cannot sync a folder and say EINVAL. */
    bool ok = descriptor >= 0 && (fsync(descriptor) == 0 || errno == EINVAL);
    int saved = errno;
    if (descriptor >= 0)
        close(descriptor);
    arena_free(&arena);
    errno = saved;
    return ok;
}

/* A name beside path that no other process or thread of ours uses. */
static char *
temporary_name(struct arena *arena, const char *path)
{
    static atomic_uint serial;

    return arena_printf(arena, "%s.%ld-%u.tmp", path, (long)getpid(), atomic_fetch_add(&serial, 1));
}

bool
fs_write(const char *path, const void *data, size_t size, struct err *err)
{
    struct arena arena = {0};
    const char *temporary = temporary_name(&arena, path);
    int descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
    bool ok = descriptor >= 0;

    if (ok) {
        ok = write_all(descriptor, data, size) && fsync(descriptor) == 0;
        int saved = errno;
        if (close(descriptor) != 0 && ok)
            ok = false;
        else
            errno = saved;
        ok = ok && rename(temporary, path) == 0;
        if (!ok) {
            saved = errno;
            unlink(temporary);
            errno = saved;
        }
        ok = ok && sync_folder_of(path);
    }
    if (!ok)
        fail(err, "write", path);
    arena_free(&arena);
    return ok;
}

/* By a link, since rename would write over; where the file system has none, the look comes before.
 */
bool
fs_move(const char *from, const char *to, struct err *err)
{
    bool ok = link(from, to) == 0 && unlink(from) == 0;

    if (!ok && (errno == EPERM || errno == EOPNOTSUPP) && !fs_exists(to))
        ok = rename(from, to) == 0;
    return (ok && sync_folder_of(to)) || fail(err, "write", to);
}

static bool
make_one_folder(const char *path)
{
    struct stat info;

    if (mkdir(path, 0750) == 0)
        return true;
    int saved = errno;
    if (stat(path, &info) == 0) {
        errno = ENOTDIR;
        return S_ISDIR(info.st_mode);
    }
    errno = saved;
    return false;
}

bool
fs_make_folder(const char *path, struct err *err)
{
    char *partial = must_strdup(path);
    bool ok = true;

    for (char *p = partial; ok && *p; p++) {
        if (*p != '/' || p == partial || p[-1] == '/')
            continue;
        *p = '\0';
        ok = make_one_folder(partial);
        *p = '/';
    }
    ok = ok && make_one_folder(path);
    if (!ok)
        fail(err, "make the folder", path);
    free(partial);
    return ok;
}

/* Reserves the whole, so that quotas are asked too, and writes its first part, so that more than a
 * promise of the file system counts. Where it cannot reserve, that part must do. Returns an errno.
 */
static int
try_room(int descriptor, int64_t bytes)
{
    static const char zeros[WRITE_SIZE];
    int64_t written = 0, part = bytes < ROOM_WRITE_MAX ? bytes : ROOM_WRITE_MAX;

    if (fallocate(descriptor, 0, 0, bytes) != 0 && errno != EOPNOTSUPP && errno != ENOSYS)
        return errno;
    while (written < part) {
        ssize_t got = pwrite(descriptor, zeros, sizeof zeros, written);
        if (got < 0 && errno != EINTR)
            return errno;
        written += got > 0 ? got : 0;
    }
    return fsync(descriptor) == 0 ? 0 : errno;
}

static int
compare_names(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

bool
fs_list(struct arena *arena, const char *folder, size_t limit, const char ***names, int *count,
        struct err *err)
{
    DIR *directory = opendir(folder);
    const char **found = NULL;
    size_t total = 0;

    if (!directory)
        return fail(err, "look into", folder);
    for (struct dirent *entry; total <= limit && (entry = readdir(directory));) {
        if (entry->d_name[0] == '.')
            continue;
        found = must_realloc(found, (total + 1) * sizeof *found);
        found[total++] = arena_strdup(arena, entry->d_name);
    }
    closedir(directory);
    bool ok = total <= limit ||
              err_set(err, ERR_LOCAL, "\"%s\" holds more than %zu names", folder, limit);
    if (ok) {
        *names = arena_array(arena, total + 1, sizeof **names);
        if (total > 0)
            memcpy(*names, found, total * sizeof **names);
        qsort(*names, total, sizeof **names, compare_names);
        *count = (int)total;
    }
    free(found);
    return ok;
}

bool
fs_check_room(const char *folder, int64_t bytes, struct err *err)
{
    struct arena arena = {0};
    const char *probe = temporary_name(&arena, fs_join(&arena, folder, "probe"));
    int descriptor = open(probe, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    struct statvfs disk;
    char need[UNITS_TEXT_SIZE], has[UNITS_TEXT_SIZE];
    bool ok = descriptor >= 0 || fail(err, "create files in", folder);

    if (ok) {
        int failed = try_room(descriptor, bytes);
        close(descriptor);
        (void)unlink(probe);
        bool known = statvfs(folder, &disk) == 0;
        ok = failed == 0;
        if (!ok)
            err_set(err, ERR_LOCAL, "\"%s\" has no room for the %s that are needed there: %s%s%s",
                    folder, units_size(need, bytes), strerror(failed), known ? "; free: " : "",
                    known ? units_size(has, (int64_t)disk.f_bavail * (int64_t)disk.f_frsize) : "");
    }
    arena_free(&arena);
    return ok;
}

bool
fs_exists(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0;
}

/* Removes what one step of the walk found; folders go when they are left. */
static bool
remove_entry(const FTSENT *entry)
{
    switch (entry->fts_info) {
    case FTS_D: return true;
    case FTS_DP: return rmdir(entry->fts_accpath) == 0;
    case FTS_DNR:
    case FTS_ERR:
    case FTS_NS: errno = entry->fts_errno; return errno == ENOENT;
    default: return unlink(entry->fts_accpath) == 0;
    }
}

bool
fs_remove_tree(const char *path, struct err *err)
{
    char *copy = must_strdup(path);
    char *roots[] = {copy, NULL};
    /* Follows no symbolic link and stays on one file system. */
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
    FTSENT *entry;
    bool ok = walk || fail(err, "remove", path);

    while (ok && (errno = 0, entry = fts_read(walk)))
        ok = remove_entry(entry) || fail(err, "remove", entry->fts_path);
    if (ok && errno != 0)
        ok = fail(err, "remove", path);
    if (walk)
        fts_close(walk);
    free(copy);
    return ok;
}

char *
fs_join(struct arena *arena, const char *folder, const char *name)
{
    size_t length = strlen(folder);
    const char *slash = length == 0 || folder[length - 1] == '/' ? "" : "/";

    return arena_printf(arena, "%s%s%s", folder, slash, name);
}

static bool
is_program(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

char *
fs_find_program(struct arena *arena, const char *name)
{
    const char *path = getenv("PATH");

    if (strchr(name, '/'))
        return is_program(name) ? arena_strdup(arena, name) : NULL;
    while (path && *path) {
        size_t length = strcspn(path, ":");
        /* An empty part of PATH means the current folder, which is not where programs belong. */
        char *folder = arena_printf(arena, "%.*s", (int)length, path);
        char *candidate = fs_join(arena, folder, name);
        if (length > 0 && is_program(candidate))
            return candidate;
        path += length + (path[length] == ':');
    }
    return NULL;
}

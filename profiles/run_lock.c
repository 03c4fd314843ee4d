/* Owns the file "run.lock". A lock of the open file and not of the process (F_OFD_SETLK): it does
 * not go when something else in the process closes the same file, and works over NFS. */
#include "profiles/run_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fs.h"

/* Whoever holds the lock removes the file: the one that was opened may be gone by now. */
#define TRIES 10

struct run_lock {
    int descriptor;
    char *path;
};

static bool
lock_whole(int descriptor)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    return fcntl(descriptor, F_OFD_SETLK, &whole) == 0;
}

/* Whether the path still leads to the file that is open. */
static bool
same_file(int descriptor, const char *path)
{
    struct stat ours, theirs;

    return fstat(descriptor, &ours) == 0 && stat(path, &theirs) == 0 &&
           ours.st_ino == theirs.st_ino && ours.st_dev == theirs.st_dev;
}

static bool
refuse(int descriptor, const char *folder, struct err *err)
{
    char owner[256] = "";
    ssize_t length = pread(descriptor, owner, sizeof owner - 1, 0);

    owner[length > 0 ? strcspn(owner, "\n") : 0] = '\0';
    err_set(err, ERR_LOCAL, "\"%s\" is in use by another ordermill: %s", folder,
            owner[0] ? owner : "it has not said which");
    err_hint(err, "wait until it has ended, or name another folder");
    return false;
}

/* Who has it, for people: the lock itself does not need it. */
static bool
sign(int descriptor)
{
    char host[128] = "", line[256];

    (void)gethostname(host, sizeof host - 1);
    int length = snprintf(line, sizeof line, "process %ld on %s\n", (long)getpid(), host);
    return ftruncate(descriptor, 0) == 0 && pwrite(descriptor, line, (size_t)length, 0) == length;
}

/* *again: the file went between opening and locking it. */
static bool
try_take(struct run_lock *lock, const char *folder, bool *again, struct err *err)
{
    bool ok = false;

    *again = false;
    lock->descriptor = open(lock->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640);
    if (lock->descriptor < 0)
        return err_set(err, ERR_LOCAL, "cannot create \"%s\": %s", lock->path, strerror(errno));
    if (lock_whole(lock->descriptor)) {
        *again = !same_file(lock->descriptor, lock->path);
        ok = !*again &&
             (sign(lock->descriptor) ||
              err_set(err, ERR_LOCAL, "cannot write \"%s\": %s", lock->path, strerror(errno)));
    } else if (errno == EAGAIN || errno == EACCES) {
        ok = refuse(lock->descriptor, folder, err);
    } else {
        err_set(err, ERR_LOCAL, "cannot lock \"%s\": %s", lock->path, strerror(errno));
    }
    if (!ok)
        close(lock->descriptor);
    return ok;
}

struct run_lock *
run_lock_take(const char *folder, struct err *err)
{
    struct run_lock *lock = must_calloc(1, sizeof *lock);
    struct arena arena = {0};
    bool again = true, ok = false;

    lock->path = must_strdup(fs_join(&arena, folder, RUN_LOCK_FILE));
    arena_free(&arena);
    for (int i = 0; again && i < TRIES; i++)
        ok = try_take(lock, folder, &again, err);
    if (ok)
        return lock;
    if (again)
        err_set(err, ERR_LOCAL, "cannot lock \"%s\": it keeps vanishing", lock->path);
    free(lock->path);
    free(lock);
    return NULL;
}

void
run_lock_release(struct run_lock *lock)
{
    if (!lock)
        return;
    (void)unlink(lock->path);
    close(lock->descriptor);
    free(lock->path);
    free(lock);
}

/* Files and folders, each operation whole or not at all. Errors carry ERR_LOCAL and the path. */
#ifndef ORDERMILL_COMMON_FS_H
#define ORDERMILL_COMMON_FS_H

#include "common/arena.h"
#include "common/buf.h"

/* Appends a whole file of at most `limit` bytes to out. */
MUST_CHECK bool fs_read(const char *path, size_t limit, struct buf *out, struct err *err);
/* Writes through a temporary file in the same folder, fsync and rename; mode 0640 less umask. */
MUST_CHECK bool fs_write(const char *path, const void *data, size_t size, struct err *err);
/* Gives a file another name on the same file system, safe from a crash, and never over a file that
 * is there. */
MUST_CHECK bool fs_move(const char *from, const char *to, struct err *err);
/* Makes the folder and its parents; an existing folder is fine. */
MUST_CHECK bool fs_make_folder(const char *path, struct err *err);
/* Whether files can be created there and `bytes` of them fit, tried by reserving and, up to 4 MB of
 * it, writing a file of that size, which is removed again. */
MUST_CHECK bool fs_check_room(const char *folder, int64_t bytes, struct err *err);
bool fs_exists(const char *path);
/* Follows no symbolic link, crosses no mount point; nothing there is fine. */
MUST_CHECK bool fs_remove_tree(const char *path, struct err *err);
/* The names in a folder that do not begin with a dot, in byte order, at most `limit` of them (more
 * are an error). */
MUST_CHECK bool fs_list(struct arena *arena, const char *folder, size_t limit, const char ***names,
                        int *count, struct err *err);
char *fs_join(struct arena *arena, const char *folder, const char *name);
/* The first executable `name` on PATH, or NULL. */
char *fs_find_program(struct arena *arena, const char *name);

/* Runs a program (no shell; searched on PATH): argv NULL-terminated; input NULL is empty. Collects
 * at most `limit` bytes of its stdout in output. Kills it, with the children of its process group,
 * after timeout_us or when it prints more than that. False (ERR_LOCAL) when it cannot be started,
 * is killed (sooner after a signal: patience.h) or exits non-zero; the message quotes the first
 * line of its stderr. Does not wait for children that the program leaves behind. The process must
 * ignore SIGPIPE (interrupt_install). */
MUST_CHECK bool fs_run_program(const char *const *argv, const struct buf *input, size_t limit,
                               int64_t timeout_us, struct buf *output, struct err *err);
/* The same without input, and its stdout is the end of the file at `path`, made with mode 0640 less
 * umask: what it prints is there whatever becomes of us, as is what children print that it leaves
 * behind. *printed is how much it was until its end. */
MUST_CHECK bool fs_run_program_into(const char *const *argv, const char *path, size_t limit,
                                    int64_t timeout_us, size_t *printed, struct err *err);

#endif

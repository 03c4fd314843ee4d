/* How large the private server is. The aim is a server as an administrator would set it up on this
 * machine for this kind of load, with the driver beside it; not a trick that wins a race. */
#include "server/sizing.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/fs.h"

#define MB INT64_C(1048576)
#define GB (1024 * MB)

/* A control group's limit is a number, or "max". */
static int64_t
control_group_limit(const char *path)
{
    struct buf text = {0};
    struct err ignored;
    int64_t limit = INT64_MAX;

    if (fs_exists(path) && fs_read(path, 64, &text, &ignored)) {
        char *end;
        long long value = strtoll(buf_text(&text), &end, 10);

        if (end != buf_text(&text) && value > 0)
            limit = value;
    }
    buf_free(&text);
    return limit;
}

static int64_t
smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t
within(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : smaller(value, high);
}

/* The server's account must be able to write there, as anybody can on an ordinary machine. */
static int64_t
shm_free_bytes(void)
{
    struct statvfs shm;
    struct stat folder;

    if (stat("/dev/shm", &folder) != 0 || !(folder.st_mode & S_IWOTH) ||
        statvfs("/dev/shm", &shm) != 0)
        return 0;
    return (int64_t)shm.f_bavail * (int64_t)shm.f_frsize;
}

bool
sizing_machine(struct machine *machine, const char *folder, struct err *err)
{
    struct statvfs disk;

    if (statvfs(folder, &disk) != 0)
        return err_set(err, ERR_LOCAL, "%s: %s", folder, strerror(errno));
    machine->disk_free_bytes = (int64_t)disk.f_bavail * (int64_t)disk.f_frsize;
    machine->shm_free_bytes = shm_free_bytes();
    machine->memory_bytes = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    machine->memory_bytes =
        smaller(machine->memory_bytes, control_group_limit("/sys/fs/cgroup/memory.max"));
    machine->memory_bytes = smaller(
        machine->memory_bytes, control_group_limit("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
    return true;
}

static const char *
megabytes(struct arena *arena, int64_t bytes)
{
    return arena_printf(arena, "%" PRId64 "MB", bytes / MB);
}

const struct server_setting *
sizing_settings(const struct machine *machine, struct arena *arena, size_t *count)
{
    int64_t memory = machine->memory_bytes;
    const struct server_setting settings[] = {
        /* Reachable through the socket in our folder alone. */
        {"listen_addresses", ""},
        {"port", "5432"},
        {"cluster_name", "ordermill"},
        {"max_connections", "300"},
        /* A quarter of memory, the usual advice; past 2 GB the first seconds of a short run would
         * only measure how memory is handed out. */
        {"shared_buffers", megabytes(arena, within(memory / 4, 64 * MB, 2 * GB))},
        {"effective_cache_size", megabytes(arena, within(memory / 2, 128 * MB, 64 * GB))},
        {"maintenance_work_mem", megabytes(arena, within(memory / 32, 32 * MB, 512 * MB))},
        /* Room for a load and a short run between two checkpoints. */
        {"max_wal_size", megabytes(arena, within(machine->disk_free_bytes / 8, 512 * MB, 8 * GB))},
        {"checkpoint_timeout", "15min"},
        /* Parallel index builds share memory through /dev/shm unless that is too small. */
        {"dynamic_shared_memory_type", machine->shm_free_bytes < 1 * GB ? "mmap" : "posix"},
        {"fsync", "on"},
        {"synchronous_commit", "on"},
        {"full_page_writes", "on"},
    };
    struct server_setting *copy = arena_alloc(arena, sizeof settings);

    memcpy(copy, settings, sizeof settings);
    *count = sizeof settings / sizeof settings[0];
    return copy;
}

void
sizing_write(const struct server_setting *settings, size_t count, struct buf *out)
{
    for (size_t i = 0; i < count; i++) {
        buf_printf(out, "%s = '", settings[i].name);
        for (const char *c = settings[i].value; *c; c++) {
            if (*c == '\'' || *c == '\\')
                buf_putc(out, *c);
            buf_putc(out, *c);
        }
        buf_puts(out, "'\n");
    }
}

/* Owns the ways to the files of a host. Their formats are hostfigures.c's. */
#include "driver/hostfiles.h"

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/fs.h"

#define FILE_MAX ((size_t)4 << 20)

/* --- this machine ----------------------------------------------------------------------------- */

static void
missing(struct hostfiles *files, struct series_set *set, int file, const char *reason)
{
    struct series_key key = {files->source, host_files[file].metric, "", "", METRIC_LEVEL, 1};

    if (!host_files[file].one_of_many)
        series_missing(set, &key, reason);
}

static void
take(struct hostfiles *files, struct series_set *set, int file, const char *text, int64_t at_us)
{
    host_figures(set, files->source, (enum host_file)file, text, at_us);
    if (file != HOST_STAT)
        return;
    buf_clear(&files->stat);
    buf_puts(&files->stat, text);
}

void
hostfiles_look(struct hostfiles *files, struct series_set *set, bool seldom, int64_t at_us)
{
    struct err err;

    for (int file = 0; file < HOST_FILES; file++) {
        if ((files->tried[file] && !files->readable[file]) || (host_files[file].seldom && !seldom))
            continue;
        buf_clear(&files->texts);
        files->readable[file] = fs_read(host_files[file].path, FILE_MAX, &files->texts, &err);
        files->tried[file] = true;
        if (files->readable[file])
            take(files, set, file, buf_text(&files->texts), at_us);
        else
            missing(files, set, file, err.message);
    }
}

void
hostfiles_cores(struct hostfiles *files, struct series_set *set, int64_t at_us)
{
    host_figures_cores(set, files->source, buf_text(&files->stat), at_us);
}

void
hostfiles_free(struct hostfiles *files)
{
    buf_free(&files->stat);
    buf_free(&files->texts);
}

/* --- processes -------------------------------------------------------------------------------- */

int64_t
hostfiles_parse_cpu_us(const char *stat_text, long ticks_per_s)
{
    const char *after_name = strrchr(stat_text, ')'); /* a name may hold blanks and brackets */
    unsigned long long user, system;

    if (ticks_per_s <= 0 || !after_name ||
        sscanf(after_name + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &user,
               &system) != 2)
        return -1;
    return (int64_t)((user + system) * 1000000 / (unsigned long long)ticks_per_s);
}

/* One file of a process of this machine, at most `size` bytes of it. */
static bool
read_process(int pid, const char *file, char *text, size_t size)
{
    struct buf content = {0};
    struct err ignored;
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/%s", pid, file);
    bool ok = fs_read(path, FILE_MAX, &content, &ignored);
    snprintf(text, size, "%s", ok ? buf_text(&content) : "");
    buf_free(&content);
    return ok;
}

int64_t
hostfiles_process_cpu_us(int pid)
{
    char text[1024];

    return read_process(pid, "stat", text, sizeof text)
               ? hostfiles_parse_cpu_us(text, sysconf(_SC_CLK_TCK))
               : -1;
}

/* --- the server's ----------------------------------------------------------------------------- */

/* The port of our end of the connection: a forwarder between would have another one. */
static int
local_port(const struct pg *pg)
{
    struct sockaddr_storage address;
    socklen_t size = sizeof address;

    if (getsockname(pg_socket(pg), (struct sockaddr *)&address, &size) != 0)
        return 0;
    if (address.ss_family == AF_INET)
        return ntohs(((struct sockaddr_in *)&address)->sin_port);
    if (address.ss_family == AF_INET6)
        return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
    return 0;
}

bool
hostfiles_is_here(const struct pg *pg, int client_port)
{
    char name[64];

    if (!pg_is_local(pg) || !read_process(pg_backend_pid(pg), "comm", name, sizeof name) ||
        !strstr(name, "postgres"))
        return false;
    int port = local_port(pg);
    return port == 0 || port == client_port;
}

bool
hostfiles_server_is_here(struct monitor *monitor)
{
    const struct pg_rows *rows =
        monitor_ask(monitor, MONITOR_ONCE, "SELECT inet_client_port()::text");

    return rows && pg_rows_count(rows) == 1 &&
           hostfiles_is_here(monitor->pg, (int)strtol(pg_value(rows, 0, 0), NULL, 10));
}

/* Why the file cannot be read, and what would let it; *denied: the same holds for all. */
static const char *
why_not(struct arena *arena, const struct monitor *monitor, bool *denied)
{
    *denied = monitor->pg &&
              (strstr(monitor->why, "pg_read_file") || strstr(monitor->why, "absolute path"));
    if (!*denied)
        return monitor->why;
    const char *role = pg_quote_identifier(arena, pg_user(monitor->pg));
    return arena_printf(arena,
                        "%s; it takes GRANT pg_read_server_files TO %s, and GRANT EXECUTE ON "
                        "FUNCTION pg_read_file(text) TO %s",
                        monitor->why, role, role);
}

/* Fetches the whole file, as it will be. False: no other one can be read either. */
static bool
try_file(struct hostfiles *files, struct monitor *monitor, struct series_set *set, int file)
{
    struct arena arena = {0};
    char sql[128];
    bool denied = false;

    snprintf(sql, sizeof sql, "SELECT pg_read_file('%s')", host_files[file].path);
    files->readable[file] = monitor_ask(monitor, MONITOR_ONCE, sql) != NULL;
    if (!files->readable[file])
        missing(files, set, file, why_not(&arena, monitor, &denied));
    arena_free(&arena);
    return !denied;
}

static void
try_files(struct hostfiles *files, struct monitor *monitor, struct series_set *set)
{
    bool go_on = true;

    for (int file = 0; file < HOST_FILES && monitor->pg; file++) {
        if (go_on)
            go_on = try_file(files, monitor, set, file);
        else
            missing(files, set, file, "not available, for the reason of cpu_busy");
        files->tried[file] = true;
    }
}

void
hostfiles_look_remote(struct hostfiles *files, struct monitor *monitor, struct series_set *set,
                      bool seldom, int64_t at_us)
{
    struct buf sql = {0};
    int list[HOST_FILES], count = 0;

    if (!files->tried[HOST_STAT])
        try_files(files, monitor, set);
    for (int file = 0; file < HOST_FILES; file++) {
        if (!files->readable[file] || (host_files[file].seldom && !seldom))
            continue;
        buf_printf(&sql, "%s pg_read_file('%s')", count ? "," : "SELECT", host_files[file].path);
        list[count++] = file;
    }
    const struct pg_rows *rows = NULL;
    if (count > 0)
        rows = monitor_ask(monitor, MONITOR_ONCE, buf_text(&sql));
    for (int i = 0; rows && i < count; i++)
        take(files, set, list[i], pg_value(rows, 0, i), at_us);
    buf_free(&sql);
}

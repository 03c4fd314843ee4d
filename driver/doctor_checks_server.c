/* Owns what of a server and of this program spoils measurements, and the words. */
#include "driver/doctor_checks.h"

#include <inttypes.h>
#include <string.h>

#include "common/buf.h"
#include "common/units.h"

#define FAR_RTT_US            1000
#define DISTANT_RTT_US        200
#define SLOW_BYTES_PER_S      (INT64_C(100) << 17) /* of a network of 100 Mbit */
#define SMALL_WAL_BYTES       (INT64_C(4) << 30)
#define DEFAULT_BUFFERS_BYTES (INT64_C(128) << 20)
#define BIG_BUFFERS_BYTES     (INT64_C(8) << 30)

static bool
is(const char *text, const char *word)
{
    return strcmp(text, word) == 0;
}

/* The server's own, as far as it is known. */
static const struct host_facts *
host_of(const struct doctor_facts *facts)
{
    return facts->server.same_host ? &facts->driver_host : &facts->server_host;
}

/* --- the server's settings -------------------------------------------------------------------- */

/* A quarter of the memory, in whole gigabytes where there are some. */
static void
mend_buffers(const struct doctor_look *look)
{
    int64_t quarter_mb = host_of(look->facts)->memory_bytes / 4 >> 20;

    if (quarter_mb >= 1024)
        doctor_mend(look,
                    "ALTER SYSTEM SET shared_buffers = '%" PRId64 "GB', then restart the "
                    "server",
                    quarter_mb / 1024);
    else if (quarter_mb > DEFAULT_BUFFERS_BYTES >> 20)
        doctor_mend(look,
                    "ALTER SYSTEM SET shared_buffers = '%" PRId64 "MB', then restart the "
                    "server",
                    quarter_mb);
}

static bool
shared_buffers(const struct doctor_look *look)
{
    const struct server_facts *server = &look->facts->server;
    char buffers[UNITS_TEXT_SIZE], data[UNITS_TEXT_SIZE];

    if (server->shared_buffers_bytes <= 0)
        return false;
    mend_buffers(look);
    if (server->shared_buffers_bytes <= DEFAULT_BUFFERS_BYTES)
        return doctor_saw(look, SEVERITY_CAUTION, "shared_buffers is %s, no more than the default",
                          units_size(buffers, server->shared_buffers_bytes));
    return server->data_bytes > 10 * server->shared_buffers_bytes &&
           doctor_saw(look, SEVERITY_NOTE, "shared_buffers is %s for %s of data",
                      units_size(buffers, server->shared_buffers_bytes),
                      units_size(data, server->data_bytes));
}

static bool
max_wal_size(const struct doctor_look *look)
{
    const struct server_facts *server = &look->facts->server;
    char size[UNITS_TEXT_SIZE];

    return server->max_wal_size_bytes > 0 && server->max_wal_size_bytes < SMALL_WAL_BYTES &&
           doctor_saw(look, SEVERITY_CAUTION, "max_wal_size is %s",
                      units_size(size, server->max_wal_size_bytes));
}

/* Why the server has none, or may have none; NULL: it has some, or nobody knows. */
static const char *
no_huge_pages(const struct doctor_look *look)
{
    const struct server_facts *server = &look->facts->server;
    int64_t total_bytes = host_of(look->facts)->huge_total_bytes;
    char size[UNITS_TEXT_SIZE];

    if (is(server->huge_pages, "off"))
        return "";
    if (!is(server->huge_pages, "try") || is(server->huge_pages_status, "on"))
        return NULL;
    if (total_bytes == 0)
        return ", and the host has none";
    if (is(server->huge_pages_status, "off"))
        return ", and the server got none";
    return total_bytes > 0 && total_bytes < server->shared_buffers_bytes
               ? arena_printf(look->arena, ", and the host has but %s",
                              units_size(size, total_bytes))
               : NULL;
}

static bool
huge_pages(const struct doctor_look *look)
{
    const struct server_facts *server = &look->facts->server;
    const char *none = no_huge_pages(look);
    char buffers[UNITS_TEXT_SIZE];

    if (server->shared_buffers_bytes < BIG_BUFFERS_BYTES || !none)
        return false;
    if (server->huge_pages_needed > 0)
        doctor_mend(look, "sysctl -w vm.nr_hugepages=%" PRId64 "%s, then restart the server",
                    server->huge_pages_needed,
                    is(server->huge_pages, "off") ? "; ALTER SYSTEM SET huge_pages = try" : "");
    return doctor_saw(look, SEVERITY_CAUTION, "huge_pages is %s%s, with shared_buffers of %s",
                      server->huge_pages, none, units_size(buffers, server->shared_buffers_bytes));
}

static bool
is_in_memory(const struct server_facts *server)
{
    return is(server->filesystem, "tmpfs") || is(server->filesystem, "ramfs");
}

static void
mend_durability(const struct doctor_look *look)
{
    const struct server_facts *server = &look->facts->server;
    const struct {
        const char *name;
        bool off;
    } settings[] = {{"fsync", server->fsync == 0},
                    {"full_page_writes", server->full_page_writes == 0},
                    {"synchronous_commit", is(server->synchronous_commit, "off")}};
    struct buf text = {0};

    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (settings[i].off)
            buf_printf(&text, "ALTER SYSTEM SET %s = on; ", settings[i].name);
    if (text.length > 0)
        buf_puts(&text, "SELECT pg_reload_conf(); ");
    if (server->unlogged > 0)
        buf_puts(&text, "ordermill load --replace without --unlogged; ");
    if (is_in_memory(server))
        buf_puts(&text, "put the data on a disk; ");
    doctor_mend(look, "%.*s", (int)text.length - 2, buf_text(&text));
    buf_free(&text);
}

static bool
durability(const struct doctor_look *look)
{
    const struct server_facts *server = &look->facts->server;
    struct buf off = {0};

    if (server->fsync == 0)
        buf_puts(&off, ", fsync is off");
    if (server->full_page_writes == 0)
        buf_puts(&off, ", full_page_writes is off");
    if (is(server->synchronous_commit, "off"))
        buf_puts(&off, ", synchronous_commit is off");
    if (server->unlogged > 0)
        buf_printf(&off, ", %d of the tables unlogged", server->unlogged);
    if (is_in_memory(server))
        buf_printf(&off, ", the data are kept in memory (%s)", server->filesystem);
    bool any = off.length > 0 && doctor_saw(look, SEVERITY_SPOILS, "%s", buf_text(&off) + 2);
    if (any)
        mend_durability(look);
    buf_free(&off);
    return any;
}

static bool
checksums(const struct doctor_look *look)
{
    return look->facts->server.checksums == 0 &&
           doctor_saw(look, SEVERITY_NOTE, "data_checksums is off");
}

static bool
jit(const struct doctor_look *look)
{
    return look->facts->server.jit == 1 && doctor_saw(look, SEVERITY_NOTE, "jit is on");
}

static bool
autovacuum(const struct doctor_look *look)
{
    const struct server_facts *server = &look->facts->server;

    if (server->autovacuum == 0 || server->track_counts == 0) {
        const char *name = server->autovacuum == 0 ? "autovacuum" : "track_counts";
        doctor_mend(look, "ALTER SYSTEM SET %s = on; SELECT pg_reload_conf()", name);
        return doctor_saw(look, SEVERITY_SPOILS, "%s is off", name);
    }
    if (server->unvacuumed_resets[0])
        doctor_mend(look, "%s", server->unvacuumed_resets);
    return server->unvacuumed > 0 &&
           doctor_saw(look, SEVERITY_CAUTION, "%d of %d tables have autovacuum switched off",
                      server->unvacuumed, server->tables);
}

static bool
statistics(const struct doctor_look *look)
{
    const struct server_facts *server = &look->facts->server;

    return server->unanalyzed > 0 &&
           doctor_saw(look, SEVERITY_CAUTION,
                      "%d of %d tables were never analyzed, or half of their rows changed since",
                      server->unanalyzed, server->tables);
}

static bool
logging(const struct doctor_look *look)
{
    const struct server_facts *server = &look->facts->server;

    if (server->log_statement[0] && !is(server->log_statement, "none") &&
        !is(server->log_statement, "ddl"))
        return doctor_saw(look, SEVERITY_CAUTION, "log_statement is %s", server->log_statement);
    doctor_mend(look, "ALTER SYSTEM RESET log_min_duration_statement; SELECT pg_reload_conf()");
    return server->log_duration_ms == 0 &&
           doctor_saw(look, SEVERITY_CAUTION, "log_min_duration_statement is 0");
}

/* --- the server's state ----------------------------------------------------------------------- */

static bool
other_sessions(const struct doctor_look *look)
{
    return look->facts->server.other_active > 0 &&
           doctor_saw(look, SEVERITY_CAUTION, "active sessions of others: %d",
                      look->facts->server.other_active);
}

/* What their snapshots may still see stays, and grows the longer they are open. */
static bool
open_transactions(const struct doctor_look *look)
{
    const struct server_facts *server = &look->facts->server;
    struct buf open = {0};

    if (server->other_open > 0)
        buf_printf(&open, ", sessions of others that are idle in a transaction: %d",
                   server->other_open);
    if (server->prepared > 0)
        buf_printf(&open, ", prepared transactions: %d", server->prepared);
    bool any = open.length > 0 && doctor_saw(look, SEVERITY_CAUTION, "%s", buf_text(&open) + 2);
    if (any && server->other_open <= 0)
        doctor_mend(look, "SELECT gid FROM pg_prepared_xacts, then ROLLBACK PREPARED each");
    buf_free(&open);
    return any;
}

static bool
hidden_sessions(const struct doctor_look *look)
{
    if (look->facts->server.role[0])
        doctor_mend(look, "GRANT pg_monitor TO %s", look->facts->server.role);
    return look->facts->server.hidden > 0 &&
           doctor_saw(look, SEVERITY_NOTE, "sessions whose doings are hidden from this role: %d",
                      look->facts->server.hidden);
}

static bool
recovery(const struct doctor_look *look)
{
    return look->facts->server.in_recovery == 1 &&
           doctor_saw(look, SEVERITY_SPOILS, "the server is a standby");
}

static bool
replication(const struct doctor_look *look)
{
    const struct server_facts *server = &look->facts->server;

    if (server->idle_slots > 0) {
        doctor_mend(look, "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots "
                          "WHERE NOT active, unless somebody comes back for them");
        return doctor_saw(look, SEVERITY_CAUTION, "replication slots that nobody reads: %d",
                          server->idle_slots);
    }
    return server->standbys > 0 &&
           doctor_saw(look, SEVERITY_NOTE, "standbys and other receivers of the log: %d",
                      server->standbys);
}

static bool
synchronous_standbys(const struct doctor_look *look)
{
    return look->facts->server.synchronous_standbys[0] &&
           doctor_saw(look, SEVERITY_CAUTION, "synchronous_standby_names is %s",
                      look->facts->server.synchronous_standbys);
}

static bool
server_build(const struct doctor_look *look)
{
    const struct server_facts *server = &look->facts->server;

    if (server->assertions == 1)
        return doctor_saw(look, SEVERITY_SPOILS, "the server was built with assertions");
    return (is(server->optimisation, "-O0") || is(server->optimisation, "none")) &&
           doctor_saw(look, SEVERITY_SPOILS, "the server was built without optimisation");
}

static bool
network(const struct doctor_look *look)
{
    const struct server_facts *server = &look->facts->server;
    char text[UNITS_TEXT_SIZE];

    if (server->bytes_per_s > 0 && server->bytes_per_s < SLOW_BYTES_PER_S && !server->same_host)
        return doctor_saw(look, SEVERITY_CAUTION,
                          "a large answer comes at %s a second, %s the round trip",
                          units_size((char[UNITS_TEXT_SIZE]){0}, server->bytes_per_s),
                          units_duration(text, server->rtt_us));
    if (server->rtt_us < DISTANT_RTT_US)
        return false;
    return doctor_saw(look, server->rtt_us >= FAR_RTT_US ? SEVERITY_CAUTION : SEVERITY_NOTE,
                      "a round trip of an empty query takes %s",
                      units_duration(text, server->rtt_us));
}

static bool
same_host(const struct doctor_look *look)
{
    return look->facts->server.same_host &&
           doctor_saw(look, SEVERITY_CAUTION, "the server runs on the driver's host");
}

static bool
engine(const struct doctor_look *look)
{
    const struct engine *of = &look->facts->server.engine;
    struct buf lacks = {0};

    for (int i = 0; i < ENGINE_FEATURES; i++)
        if (of->has[i] == ENGINE_LACKS)
            buf_printf(&lacks, ", %s", engine_feature_names[i]);
    bool any = lacks.length > 0 &&
               doctor_saw(look, SEVERITY_CAUTION, "%s lacks %s", of->product, buf_text(&lacks) + 2);
    if (!any && look->facts->server.known && !is(of->product, "PostgreSQL"))
        any = doctor_saw(look, SEVERITY_NOTE, "the server is %s (%s)", of->product,
                         of->version[0] ? of->version : "it gives no version");
    buf_free(&lacks);
    return any;
}

static bool
kit_build(const struct doctor_look *look)
{
    if (look->facts->sanitized)
        return doctor_saw(look, SEVERITY_SPOILS, "this ordermill was built with a sanitizer");
    return !look->facts->optimised &&
           doctor_saw(look, SEVERITY_SPOILS, "this ordermill was built without optimisation");
}

const struct doctor_check doctor_server_checks[] = {
    {"shared-buffers", shared_buffers,
     "the server reads from the operating system what it could keep itself",
     "ALTER SYSTEM SET shared_buffers to a quarter of the memory, then restart the server"},
    {"max-wal-size", max_wal_size,
     "checkpoints come by size, often, and each makes every page be logged in full again",
     "ALTER SYSTEM SET max_wal_size = '16GB'; SELECT pg_reload_conf(); the disk has to have it"},
    {"huge-pages", huge_pages, "every session needs page tables of its own for all of it",
     "sysctl -w vm.nr_hugepages=N, N as postgres -C shared_memory_size_in_huge_pages says"},
    {"durability", durability,
     "what is committed may be lost, and no result compares with one that kept it", ""},
    {"checksums", checksums,
     "servers with checksums do more work; compare only with others without",
     "pg_checksums --enable -D DATA_DIRECTORY, while the server is stopped"},
    {"jit", jit, "a plan that seems costly is compiled first, which these never repay",
     "ALTER SYSTEM SET jit = off; SELECT pg_reload_conf()"},
    {"autovacuum", autovacuum, "dead rows are not removed: the longer it runs the slower it gets",
     "ALTER TABLE each RESET (autovacuum_enabled)"},
    {"statistics", statistics, "plans are made from guesses", "ordermill load --only analyze"},
    {"logging", logging, "every statement is written to the log",
     "ALTER SYSTEM RESET log_statement; SELECT pg_reload_conf()"},
    {"other-sessions", other_sessions, "their work is measured along",
     "SELECT pid, usename, application_name, query FROM pg_stat_activity WHERE state = 'active'"},
    {"open-transactions", open_transactions,
     "what they might still see cannot be vacuumed: rows that are dead stay, and slow the rest",
     "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state LIKE 'idle in trans%'"},
    {"hidden-sessions", hidden_sessions, "they may be at work", "GRANT pg_monitor TO role"},
    {"recovery", recovery, "it cannot be written to", "name the primary server"},
    {"replication", replication,
     "what they are sent, and what is kept for them, is part of what is measured", ""},
    {"synchronous-standbys", synchronous_standbys,
     "each commit waits for another server and the network between",
     "ALTER SYSTEM RESET synchronous_standby_names, unless that is what shall be measured"},
    {"server-build", server_build, "it is a server for debugging, several times slower",
     "install the packages of your distribution"},
    {"network", network, "a virtual user waits for the network more than for the server",
     "run the driver near the server, or with more virtual users"},
    {"same-host", same_host, "driver and server take processor time from each other",
     "run the driver on a host of its own"},
    {"engine", engine, "figures that need it are missing, or the kit cannot run", ""},
    {"kit-build", kit_build, "the driver needs several times the processor time",
     "make clean && make"},
    {NULL, NULL, NULL, NULL},
};

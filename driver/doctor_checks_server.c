/* Owns what of a server and of this program spoils measurements, and the words. */
#include "driver/doctor_checks.h"

#include <string.h>

#include "common/buf.h"
#include "common/units.h"

#define FAR_RTT_US            1000
#define DISTANT_RTT_US        200
#define SMALL_WAL_BYTES       (INT64_C(4) << 30)
#define DEFAULT_BUFFERS_BYTES (INT64_C(128) << 20)
#define BIG_BUFFERS_BYTES     (INT64_C(8) << 30)

static bool
is(const char *text, const char *word)
{
    return strcmp(text, word) == 0;
}

/* --- the server's settings -------------------------------------------------------------------- */

static bool
shared_buffers(const struct doctor_look *look)
{
    const struct server_facts *server = &look->facts->server;
    char buffers[UNITS_TEXT_SIZE], data[UNITS_TEXT_SIZE];

    if (server->shared_buffers_bytes <= 0)
        return false;
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

static bool
huge_pages(const struct doctor_look *look)
{
    const struct server_facts *server = &look->facts->server;
    const struct host_facts *host =
        server->same_host ? &look->facts->driver_host : &look->facts->server_host;
    char buffers[UNITS_TEXT_SIZE];

    if (server->shared_buffers_bytes < BIG_BUFFERS_BYTES || !server->huge_pages[0] ||
        (is(server->huge_pages, "try") && host->huge_total_bytes != 0) ||
        is(server->huge_pages, "on"))
        return false;
    return doctor_saw(look, SEVERITY_CAUTION, "huge_pages is %s%s, with shared_buffers of %s",
                      server->huge_pages,
                      is(server->huge_pages, "try") ? ", and the host has none" : "",
                      units_size(buffers, server->shared_buffers_bytes));
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
    bool any = off.length > 0 && doctor_saw(look, SEVERITY_SPOILS, "%s", buf_text(&off) + 2);
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

    if (server->autovacuum == 0 || server->track_counts == 0)
        return doctor_saw(look, SEVERITY_SPOILS, "%s is off",
                          server->autovacuum == 0 ? "autovacuum" : "track_counts");
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

static bool
hidden_sessions(const struct doctor_look *look)
{
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
    return look->facts->server.standbys > 0 &&
           doctor_saw(look, SEVERITY_NOTE, "standbys and other receivers of the log: %d",
                      look->facts->server.standbys);
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
     "ALTER SYSTEM SET shared_buffers = '...', a quarter of the memory to begin with, and restart"},
    {"max-wal-size", max_wal_size,
     "checkpoints come by size, often, and each makes every page be logged in full again",
     "ALTER SYSTEM SET max_wal_size = '16GB', then SELECT pg_reload_conf()"},
    {"huge-pages", huge_pages, "every session needs page tables of its own for all of it",
     "sysctl vm.nr_hugepages=..., see shared_memory_size_in_huge_pages, and restart"},
    {"durability", durability,
     "what is committed may be lost, and no result compares with one that kept it",
     "ALTER SYSTEM SET ... = on, then SELECT pg_reload_conf(); ordermill load without --unlogged"},
    {"checksums", checksums,
     "servers with checksums do more work; compare only with others without", ""},
    {"jit", jit, "a plan that seems costly is compiled first, which these never repay",
     "ALTER SYSTEM SET jit = off, then SELECT pg_reload_conf()"},
    {"autovacuum", autovacuum, "dead rows are not removed: the longer it runs the slower it gets",
     "ALTER SYSTEM SET autovacuum = on; ALTER TABLE ... RESET (autovacuum_enabled)"},
    {"statistics", statistics, "plans are made from guesses",
     "VACUUM ANALYZE, or ordermill load --only analyze"},
    {"logging", logging, "every statement is written to the log",
     "ALTER SYSTEM RESET log_statement; ALTER SYSTEM RESET log_min_duration_statement"},
    {"other-sessions", other_sessions, "their work is measured along", "end them"},
    {"hidden-sessions", hidden_sessions, "they may be at work", "GRANT pg_monitor TO role"},
    {"recovery", recovery, "it cannot be written to", "name the primary server"},
    {"replication", replication, "sending the log to them is part of what is measured", ""},
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

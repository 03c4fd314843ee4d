/* Trees of /sys and /proc and facts of servers, each with one thing wrong, and what the doctor says
 * of it: that, and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/fs.h"
#include "driver/doctor_gather.h"

struct fixture {
    char root[64];
    struct arena arena;
    struct doctor_facts facts;
    struct finding findings[FINDINGS_MAX];
    int count;
};

static int
set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);

    snprintf(f->root, sizeof f->root, "/tmp/ordermill-test-XXXXXX");
    assert_non_null(mkdtemp(f->root));
    doctor_facts_init(&f->facts);
    *state = f;
    return 0;
}

static int
tear_down(void **state)
{
    struct fixture *f = *state;
    struct err err;

    assert_true(fs_remove_tree(f->root, &err));
    arena_free(&f->arena);
    free(f);
    return 0;
}

/* --- hosts ------------------------------------------------------------------------------------ */

static void
put_file(struct fixture *f, const char *path, const char *text)
{
    char *whole = arena_printf(&f->arena, "%s%s", f->root, path);
    char *folder = arena_strdup(&f->arena, whole);
    struct err err;

    *strrchr(folder, '/') = '\0';
    assert_true(fs_make_folder(folder, &err));
    assert_true(fs_write(whole, text, strlen(text), &err));
}

#define CPU       "/sys/devices/system/cpu/"
#define CPU_CLOCK "/sys/devices/system/clocksource/clocksource0/"

/* Four processors and nothing wrong with them. */
static void
sound_host(struct fixture *f)
{
    char path[128];

    put_file(f, CPU "present", "0-3\n");
    put_file(f, CPU "online", "0-3\n");
    put_file(f, CPU "smt/active", "0\n");
    for (int cpu = 0; cpu < 4; cpu++) {
        snprintf(path, sizeof path, CPU "cpu%d/cpufreq/scaling_governor", cpu);
        put_file(f, path, "performance\n");
        snprintf(path, sizeof path, CPU "cpu%d/cpufreq/energy_performance_preference", cpu);
        put_file(f, path, "performance\n");
        snprintf(path, sizeof path, CPU "cpu%d/power/energy_perf_bias", cpu);
        put_file(f, path, "0\n");
    }
    put_file(f, "/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    put_file(f, CPU_CLOCK "current_clocksource", "tsc\n");
    put_file(f, CPU_CLOCK "available_clocksource", "tsc hpet acpi_pm\n");
    put_file(f, "/proc/self/status", "Name:\tordermill\nCpus_allowed_list:\t0-3\n");
    put_file(f, "/proc/self/cgroup", "0::/a.slice/b.service\n");
    put_file(f, "/sys/fs/cgroup/a.slice/b.service/cpu.max", "max 100000\n");
    put_file(f, "/sys/fs/cgroup/a.slice/cpu.max", "400000 100000\n");
    put_file(f, "/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu vme tsc\n");
    put_file(f, "/proc/meminfo",
             "MemTotal:       16000000 kB\nMemFree: 1 kB\nSwapTotal:       2000000 kB\n"
             "SwapFree:        2000000 kB\nHugePages_Total:      10\nHugePages_Free:        4\n"
             "Hugepagesize:       2048 kB\n");
}

static void
look_at_host(struct fixture *f)
{
    struct doctor_facts unknown;

    doctor_facts_init(&unknown);
    f->facts.driver_host = unknown.driver_host;
    doctor_read_host(&f->facts.driver_host, doctor_read_local, f->root, 256);
    f->count = doctor_findings(&f->facts, &f->arena, f->findings);
}

/* Exactly this one finding; then the host is made sound again. */
static void
assert_only(struct fixture *f, const char *name, enum severity severity, const char *seen)
{
    if (f->count != 1)
        fail_msg("%d findings in place of %s", f->count, name);
    assert_string_equal(f->findings[0].name, name);
    assert_string_equal(f->findings[0].seen, seen);
    assert_int_equal(f->findings[0].severity, severity);
    assert_true(f->findings[0].why[0] != '\0');
}

static void
assert_file_spoils(struct fixture *f, const char *path, const char *text, const char *name,
                   enum severity severity, const char *seen)
{
    sound_host(f);
    put_file(f, path, text);
    look_at_host(f);
    assert_only(f, name, severity, seen);
}

static void
a_sound_host_has_no_findings(void **state)
{
    struct fixture *f = *state;

    sound_host(f);
    look_at_host(f);
    assert_int_equal(f->count, 0);
    assert_int_equal(f->facts.driver_host.governed, 4);
    assert_string_equal(f->facts.driver_host.governor, "performance");
    assert_true(f->facts.driver_host.huge_total_bytes == 10 * 2048 * 1024);
    assert_true(f->facts.driver_host.huge_free_bytes == 4 * 2048 * 1024);
}

static void
each_file_has_its_finding(void **state)
{
    struct fixture *f = *state;

    assert_file_spoils(f, CPU "cpu2/cpufreq/scaling_governor", "powersave\n", "governor",
                       SEVERITY_SPOILS,
                       "driver's host: 1 of 4 processors have the governor powersave");
    assert_file_spoils(f, CPU "cpu0/cpufreq/scaling_governor", "ondemand\n", "governor",
                       SEVERITY_CAUTION,
                       "driver's host: 1 of 4 processors have the governor ondemand");
    assert_file_spoils(f, CPU "cpu1/cpufreq/energy_performance_preference", "balance_power\n",
                       "energy-bias", SEVERITY_CAUTION,
                       "driver's host: 1 of 4 processors prefer saving energy (balance_power)");
    assert_file_spoils(f, CPU "cpu1/power/energy_perf_bias", "15\n", "energy-bias",
                       SEVERITY_CAUTION,
                       "driver's host: 1 of 4 processors prefer saving energy (15)");
    assert_file_spoils(f, CPU "online", "0,2-3\n", "cores-offline", SEVERITY_CAUTION,
                       "driver's host: 3 of 4 processors are online");
    assert_file_spoils(f, CPU "smt/active", "1\n", "smt", SEVERITY_NOTE,
                       "driver's host: several hardware threads share a core (SMT is on)");
    assert_file_spoils(f, "/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n",
                       "transparent-huge-pages", SEVERITY_CAUTION,
                       "driver's host: transparent huge pages are set to always");
    assert_file_spoils(f, CPU_CLOCK "current_clocksource", "hpet\n", "clock-source",
                       SEVERITY_CAUTION, "driver's host: the clock source is hpet");
    assert_file_spoils(f, "/proc/meminfo",
                       "MemTotal:       16000000 kB\nSwapTotal:       2000000 kB\n"
                       "SwapFree:        1000000 kB\n",
                       "swap", SEVERITY_CAUTION, "driver's host: 977 MB of swap space is in use");
    assert_file_spoils(f, "/proc/self/status", "Cpus_allowed_list:\t1,3\n", "processor-limit",
                       SEVERITY_NOTE, "driver's host: 2 of 4 processors may be used");
    put_file(f, "/proc/self/status", "Cpus_allowed_list:\t0-3\n");
    assert_file_spoils(f, "/sys/fs/cgroup/a.slice/cpu.max", "150000 100000\n", "processor-limit",
                       SEVERITY_CAUTION,
                       "driver's host: a quota leaves the time of 1.5 of 4 processors");
    assert_file_spoils(f, "/sys/fs/cgroup/cpu.max", "50000 100000\n", "processor-limit",
                       SEVERITY_CAUTION,
                       "driver's host: a quota leaves the time of 0.5 of 4 processors");
    put_file(f, "/sys/fs/cgroup/cpu.max", "max 100000\n");
    assert_file_spoils(f, "/proc/cpuinfo", "flags\t\t: fpu vme hypervisor tsc\n", "virtual-machine",
                       SEVERITY_NOTE, "driver's host: the host is a virtual machine");
}

/* The command is one that this host obeys. */
static void
a_clock_is_mended_by_one_that_is_there(void **state)
{
    struct fixture *f = *state;

    sound_host(f);
    put_file(f, CPU_CLOCK "current_clocksource", "hpet\n");
    look_at_host(f);
    assert_string_equal(f->findings[0].mend, "echo tsc > " CPU_CLOCK "current_clocksource");
    put_file(f, CPU_CLOCK "available_clocksource", "kvm-clock hpet\n");
    look_at_host(f);
    assert_string_equal(f->findings[0].mend, "echo kvm-clock > " CPU_CLOCK "current_clocksource");
    put_file(f, CPU_CLOCK "available_clocksource", "hpet acpi_pm \n");
    look_at_host(f);
    assert_string_equal(f->findings[0].mend,
                        "the kernel offers only hpet acpi_pm: dmesg | grep -i tsc says why");
}

static void
assert_filesystem(const char *path, const char *type)
{
    static const char mounts[] =
        "/dev/vda1 / ext4 rw 0 0\nproc /proc proc rw 0 0\ntmpfs /tmp tmpfs rw,size=8g 0 0\n"
        "/dev/vdb /tmp/disk xfs rw 0 0\n/dev/vdc /data btrfs rw 0 0\ntmpfs /data tmpfs rw 0 0\n";
    char found[DOCTOR_TEXT];

    doctor_filesystem_of(mounts, path, found);
    assert_string_equal(found, type);
}

static void
filesystems_by_the_longest_folder(void **state)
{
    char found[DOCTOR_TEXT];

    (void)state;
    assert_filesystem("/var/lib/postgresql/15/main", "ext4");
    assert_filesystem("/tmp/x/data", "tmpfs");
    assert_filesystem("/tmp", "tmpfs");
    assert_filesystem("/tmpfs", "ext4"); /* another folder */
    assert_filesystem("/tmp/disk/data", "xfs");
    assert_filesystem("/data/15", "tmpfs"); /* mounted over the other */
    doctor_filesystem_of("", "/data", found);
    assert_string_equal(found, "");
    doctor_filesystem_of("nonsense\n/dev/vda1\n", "/data", found);
    assert_string_equal(found, "");
}

/* A host without any of these files, as a container may be, or with nonsense in them. */
static void
what_is_not_known_is_not_held_against_it(void **state)
{
    static const char *const paths[] = {
        CPU "present",
        CPU "online",
        CPU "smt/active",
        "/proc/self/status",
        "/proc/self/cgroup",
        "/sys/fs/cgroup/cpu.max",
        "/proc/cpuinfo",
        "/sys/kernel/mm/transparent_hugepage/enabled",
        CPU_CLOCK "current_clocksource",
        "/proc/meminfo",
    };
    static const char *const texts[] = {
        "", "\n", "x", "99999999999999999999", "0-", "-1", "3-1\n", "]always[", "\xff\xfe"};
    struct fixture *f = *state;

    look_at_host(f);
    assert_false(f->facts.driver_host.known);
    assert_int_equal(f->count, 0);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        for (size_t k = 0; k < sizeof paths / sizeof *paths; k++)
            put_file(f, paths[k], texts[i]);
        look_at_host(f);
        assert_int_equal(f->count, 0);
    }
}

static void
lists_are_counted(void **state)
{
    (void)state;
    assert_int_equal(doctor_parse_list("0\n"), 1);
    assert_int_equal(doctor_parse_list("0-255"), 256);
    assert_int_equal(doctor_parse_list("0-3,8,12-13\n"), 7);
    assert_int_equal(doctor_parse_list(""), -1);
    assert_int_equal(doctor_parse_list("3-1"), -1);
    assert_int_equal(doctor_parse_list("0-3;5"), -1);
    assert_int_equal(doctor_parse_list("0-99999999999"), -1);
}

static void
assert_speed(struct fixture *f, double spread, bool by_clock, int count, enum severity severity)
{
    f->facts.driver_host = (struct host_facts){.where = "driver's host",
                                               .known = true,
                                               .speed = 500,
                                               .speed_spread_percent = spread,
                                               .speed_by_clock = by_clock};
    f->count = doctor_findings(&f->facts, &f->arena, f->findings);
    assert_int_equal(f->count, count);
    if (count > 0) {
        assert_string_equal(f->findings[0].name, "speed");
        assert_int_equal(f->findings[0].severity, severity);
    }
}

static void
a_throttled_processor_shows(void **state)
{
    struct fixture *f = *state;
    double steady[] = {100, 99, 100, 60, 98}, slow[] = {50, 100, 51, 50, 99};
    struct host_facts host = {0};

    doctor_judge_speed(&host, steady, 5); /* one bad round is an interruption */
    assert_true(host.speed == 100 && host.speed_spread_percent > 0.9);
    assert_true(host.speed_spread_percent < 1.1);
    doctor_judge_speed(&host, slow, 5);
    assert_true(host.speed_spread_percent == 49);
    assert_speed(f, 9, false, 0, SEVERITY_NOTE);
    assert_speed(f, 11, false, 1, SEVERITY_CAUTION);
    assert_speed(f, 31, false, 1, SEVERITY_SPOILS);
    assert_speed(f, 31, true, 1, SEVERITY_CAUTION);
    f->facts.driver_host = (struct host_facts){
        .where = "driver's host", .known = true, .busy_percent = 11, .steal_percent = 0};
    f->count = doctor_findings(&f->facts, &f->arena, f->findings);
    assert_only(f, "busy", SEVERITY_CAUTION,
                "driver's host: the processors were 11 % busy before anything ran");
    f->facts.driver_host.busy_percent = 1;
    f->facts.driver_host.steal_percent = 5;
    f->count = doctor_findings(&f->facts, &f->arena, f->findings);
    assert_only(f, "steal", SEVERITY_CAUTION,
                "driver's host: the hypervisor took 5 % of the processor time");
}

/* --- servers ---------------------------------------------------------------------------------- */

/* A server that is set up for measuring, nearby, and nobody else there. */
static struct server_facts
sound_server(void)
{
    struct server_facts server = {.known = true,
                                  .rtt_us = 60,
                                  .shared_buffers_bytes = INT64_C(4) << 30,
                                  .max_wal_size_bytes = INT64_C(16) << 30,
                                  .data_bytes = INT64_C(10) << 30,
                                  .fsync = 1,
                                  .full_page_writes = 1,
                                  .autovacuum = 1,
                                  .track_counts = 1,
                                  .checksums = 1,
                                  .synchronous_commit = "on",
                                  .huge_pages = "try",
                                  .log_statement = "none",
                                  .log_duration_ms = -1,
                                  .optimisation = "-O2",
                                  .tables = 9};

    engine_read_version(&server.engine, "PostgreSQL 15.4", "15.4");
    return server;
}

static void
look_at_server(struct fixture *f, const struct server_facts *server)
{
    f->facts.server = *server;
    f->count = doctor_findings(&f->facts, &f->arena, f->findings);
}

/* The sound server with this field changed has this one finding. */
#define ASSERT_SERVER(field, value, name, severity, seen)                                          \
    do {                                                                                           \
        struct server_facts server = sound_server();                                               \
        server.field = value;                                                                      \
        look_at_server(f, &server);                                                                \
        assert_only(f, name, severity, seen);                                                      \
    } while (0)
#define ASSERT_SERVER_TEXT(field, value, name, severity, seen)                                     \
    do {                                                                                           \
        struct server_facts server = sound_server();                                               \
        snprintf(server.field, sizeof server.field, "%s", value);                                  \
        look_at_server(f, &server);                                                                \
        assert_only(f, name, severity, seen);                                                      \
    } while (0)

static void
a_sound_server_has_no_findings(void **state)
{
    struct fixture *f = *state;
    struct server_facts server = sound_server();

    look_at_server(f, &server);
    assert_int_equal(f->count, 0);
    doctor_facts_init(&f->facts);
    f->count = doctor_findings(&f->facts, &f->arena, f->findings);
    assert_int_equal(f->count, 0); /* of which nothing is known */
}

static void
each_setting_has_its_finding(void **state)
{
    struct fixture *f = *state;

    ASSERT_SERVER(shared_buffers_bytes, INT64_C(128) << 20, "shared-buffers", SEVERITY_CAUTION,
                  "shared_buffers is 128 MB, no more than the default");
    ASSERT_SERVER(data_bytes, INT64_C(100) << 30, "shared-buffers", SEVERITY_NOTE,
                  "shared_buffers is 4.0 GB for 100 GB of data");
    ASSERT_SERVER(max_wal_size_bytes, INT64_C(1) << 30, "max-wal-size", SEVERITY_CAUTION,
                  "max_wal_size is 1.0 GB");
    ASSERT_SERVER(fsync, 0, "durability", SEVERITY_SPOILS, "fsync is off");
    ASSERT_SERVER(full_page_writes, 0, "durability", SEVERITY_SPOILS, "full_page_writes is off");
    ASSERT_SERVER_TEXT(synchronous_commit, "off", "durability", SEVERITY_SPOILS,
                       "synchronous_commit is off");
    ASSERT_SERVER(unlogged, 9, "durability", SEVERITY_SPOILS, "9 of the tables unlogged");
    ASSERT_SERVER_TEXT(filesystem, "tmpfs", "durability", SEVERITY_SPOILS,
                       "the data are kept in memory (tmpfs)");
    ASSERT_SERVER(checksums, 0, "checksums", SEVERITY_NOTE, "data_checksums is off");
    ASSERT_SERVER(jit, 1, "jit", SEVERITY_NOTE, "jit is on");
    ASSERT_SERVER(autovacuum, 0, "autovacuum", SEVERITY_SPOILS, "autovacuum is off");
    ASSERT_SERVER(track_counts, 0, "autovacuum", SEVERITY_SPOILS, "track_counts is off");
    ASSERT_SERVER(unvacuumed, 2, "autovacuum", SEVERITY_CAUTION,
                  "2 of 9 tables have autovacuum switched off");
    ASSERT_SERVER(unanalyzed, 3, "statistics", SEVERITY_CAUTION,
                  "3 of 9 tables were never analyzed, or half of their rows changed since");
    ASSERT_SERVER_TEXT(log_statement, "all", "logging", SEVERITY_CAUTION, "log_statement is all");
    ASSERT_SERVER(log_duration_ms, 0, "logging", SEVERITY_CAUTION,
                  "log_min_duration_statement is 0");
}

static void
each_state_has_its_finding(void **state)
{
    struct fixture *f = *state;

    ASSERT_SERVER(other_active, 2, "other-sessions", SEVERITY_CAUTION,
                  "active sessions of others: 2");
    ASSERT_SERVER(other_open, 1, "open-transactions", SEVERITY_CAUTION,
                  "sessions of others that are idle in a transaction: 1");
    ASSERT_SERVER(prepared, 3, "open-transactions", SEVERITY_CAUTION, "prepared transactions: 3");
    ASSERT_SERVER(idle_slots, 2, "replication", SEVERITY_CAUTION,
                  "replication slots that nobody reads: 2");
    ASSERT_SERVER(bytes_per_s, 1 << 20, "network", SEVERITY_CAUTION,
                  "a large answer comes at 1.0 MB a second, 60us the round trip");
    ASSERT_SERVER(hidden, 5, "hidden-sessions", SEVERITY_NOTE,
                  "sessions whose doings are hidden from this role: 5");
    ASSERT_SERVER(in_recovery, 1, "recovery", SEVERITY_SPOILS, "the server is a standby");
    ASSERT_SERVER(standbys, 1, "replication", SEVERITY_NOTE,
                  "standbys and other receivers of the log: 1");
    ASSERT_SERVER_TEXT(synchronous_standbys, "*", "synchronous-standbys", SEVERITY_CAUTION,
                       "synchronous_standby_names is *");
    ASSERT_SERVER(assertions, 1, "server-build", SEVERITY_SPOILS,
                  "the server was built with assertions");
    ASSERT_SERVER_TEXT(optimisation, "-O0", "server-build", SEVERITY_SPOILS,
                       "the server was built without optimisation");
    ASSERT_SERVER(rtt_us, 250, "network", SEVERITY_NOTE,
                  "a round trip of an empty query takes 250us");
    ASSERT_SERVER(rtt_us, 4000, "network", SEVERITY_CAUTION,
                  "a round trip of an empty query takes 4.00ms");
    ASSERT_SERVER(same_host, true, "same-host", SEVERITY_CAUTION,
                  "the server runs on the driver's host");
    ASSERT_SERVER(engine.has[ENGINE_ADVISORY], ENGINE_LACKS, "engine", SEVERITY_CAUTION,
                  "PostgreSQL lacks advisory locks");
    ASSERT_SERVER_TEXT(engine.product, "YugabyteDB", "engine", SEVERITY_NOTE,
                       "the server is YugabyteDB (PostgreSQL 15.4)");
}

static void
huge_pages_matter_for_large_buffers(void **state)
{
    struct fixture *f = *state;
    struct server_facts server = sound_server();

    server.shared_buffers_bytes = INT64_C(16) << 30;
    snprintf(server.huge_pages, sizeof server.huge_pages, "off");
    look_at_server(f, &server);
    assert_only(f, "huge-pages", SEVERITY_CAUTION,
                "huge_pages is off, with shared_buffers of 16 GB");
    snprintf(server.huge_pages, sizeof server.huge_pages, "try");
    f->facts.server_host.huge_total_bytes = 0;
    look_at_server(f, &server);
    assert_only(f, "huge-pages", SEVERITY_CAUTION,
                "huge_pages is try, and the host has none, with shared_buffers of 16 GB");
    f->facts.server_host.huge_total_bytes = INT64_C(17) << 30;
    look_at_server(f, &server);
    assert_int_equal(f->count, 0);
    /* Too few, taken by others, or not known but for what the server says of itself. */
    f->facts.server_host.huge_total_bytes = INT64_C(2) << 30;
    server.huge_pages_needed = 8500;
    look_at_server(f, &server);
    assert_only(f, "huge-pages", SEVERITY_CAUTION,
                "huge_pages is try, and the host has but 2.0 GB, with shared_buffers of 16 GB");
    assert_string_equal(f->findings[0].mend,
                        "sysctl -w vm.nr_hugepages=8500, then restart the server");
    snprintf(server.huge_pages_status, sizeof server.huge_pages_status, "on");
    look_at_server(f, &server);
    assert_int_equal(f->count, 0);
    f->facts.server_host.huge_total_bytes = DOCTOR_UNKNOWN;
    snprintf(server.huge_pages_status, sizeof server.huge_pages_status, "off");
    look_at_server(f, &server);
    assert_only(f, "huge-pages", SEVERITY_CAUTION,
                "huge_pages is try, and the server got none, with shared_buffers of 16 GB");
}

/* Not "..." but what can be pasted. */
static void
commands_are_those_of_this_server(void **state)
{
    struct fixture *f = *state;
    struct server_facts server = sound_server();

    server.fsync = 0;
    server.unlogged = 2;
    look_at_server(f, &server);
    assert_string_equal(f->findings[0].mend,
                        "ALTER SYSTEM SET fsync = on; SELECT pg_reload_conf(); "
                        "ordermill load --replace without --unlogged");
    server = sound_server();
    server.shared_buffers_bytes = INT64_C(128) << 20;
    look_at_server(f, &server);
    assert_string_equal(
        f->findings[0].mend,
        "ALTER SYSTEM SET shared_buffers to a quarter of the memory, then restart the server");
    f->facts.server_host.memory_bytes = INT64_C(30) << 30;
    look_at_server(f, &server);
    assert_string_equal(f->findings[0].mend,
                        "ALTER SYSTEM SET shared_buffers = '7GB', then restart the server");
    server = sound_server();
    server.hidden = 1;
    snprintf(server.role, sizeof server.role, "\"Ada L\"");
    look_at_server(f, &server);
    assert_string_equal(f->findings[0].mend, "GRANT pg_monitor TO \"Ada L\"");
    server = sound_server();
    server.track_counts = 0;
    look_at_server(f, &server);
    assert_string_equal(f->findings[0].mend,
                        "ALTER SYSTEM SET track_counts = on; SELECT pg_reload_conf()");
}

static void
a_build_for_debugging_is_told(void **state)
{
    struct fixture *f = *state;

    f->facts.optimised = false;
    f->count = doctor_findings(&f->facts, &f->arena, f->findings);
    assert_only(f, "kit-build", SEVERITY_SPOILS, "this ordermill was built without optimisation");
    f->facts.sanitized = true;
    f->count = doctor_findings(&f->facts, &f->arena, f->findings);
    assert_only(f, "kit-build", SEVERITY_SPOILS, "this ordermill was built with a sanitizer");
}

static void
the_worst_comes_first(void **state)
{
    struct fixture *f = *state;
    struct server_facts server = sound_server();

    server.jit = 1;
    server.checksums = 0;
    server.fsync = 0;
    server.other_active = 1;
    look_at_server(f, &server);
    assert_int_equal(f->count, 4);
    assert_string_equal(f->findings[0].name, "durability");
    assert_string_equal(f->findings[1].name, "other-sessions");
    assert_string_equal(f->findings[2].name, "checksums");
    assert_string_equal(f->findings[3].name, "jit");
}

/* --- engines ---------------------------------------------------------------------------------- */

static void
assert_engine(const char *version, const char *server_version, const char *product, int major,
              const char *shown)
{
    struct engine engine = {0};

    engine_read_version(&engine, version, server_version);
    assert_string_equal(engine.product, product);
    assert_int_equal(engine.major, major);
    assert_string_equal(engine.version, shown);
}

static void
odd_versions_are_read(void **state)
{
    char endless[2000];

    (void)state;
    assert_engine("PostgreSQL 15.18 (Debian 15.18-0+deb12u1) on x86_64-pc-linux-gnu, compiled by "
                  "gcc",
                  "15.18 (Debian 15.18-0+deb12u1)", "PostgreSQL", 15,
                  "PostgreSQL 15.18 (Debian 15.18-0+deb12u1)");
    assert_engine("PostgreSQL 18beta1 on aarch64", "18beta1", "PostgreSQL", 18,
                  "PostgreSQL 18beta1");
    assert_engine("PostgreSQL 11.2-YB-2.15.0.0-b0 on x86_64-pc-linux-gnu", "11.2-YB-2.15.0.0-b0",
                  "YugabyteDB", 11, "PostgreSQL 11.2-YB-2.15.0.0-b0");
    assert_engine("", "17.0 OrioleDB public beta 11", "OrioleDB", 17,
                  "17.0 OrioleDB public beta 11");
    assert_engine("CockroachDB CCL v23.1.8 (x86_64-pc-linux-gnu)", "13.0.0", "CockroachDB", 13,
                  "CockroachDB CCL v23.1.8 (x86_64-pc-linux-gnu)");
    assert_engine("", "", "unknown", 0, "");
    assert_engine(NULL, NULL, "unknown", 0, "");
    assert_engine("???", "99999999999999", "unknown", 0, "???");
    memset(endless, '9', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    struct engine engine = {0};
    engine_read_version(&engine, endless, endless);
    assert_int_equal(strlen(engine.version), sizeof engine.version - 1);
    assert_int_equal(engine.major, 0);
}

static void
every_check_is_documented(void **state)
{
    struct buf text = {0};
    struct err err;
    char row[80];
    int checks = 0;

    (void)state;
    assert_true(fs_read("docs/doctor.md", 1 << 20, &text, &err));
    for (; doctor_check_name(checks); checks++) {
        snprintf(row, sizeof row, "\n| `%s` |", doctor_check_name(checks));
        if (!strstr(buf_text(&text), row))
            fail_msg("docs/doctor.md lacks %s", doctor_check_name(checks));
    }
    assert_in_range(checks, 25, FINDINGS_MAX / 2);
    buf_free(&text);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_sound_host_has_no_findings, set_up, tear_down),
        cmocka_unit_test_setup_teardown(each_file_has_its_finding, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_clock_is_mended_by_one_that_is_there, set_up, tear_down),
        cmocka_unit_test(filesystems_by_the_longest_folder),
        cmocka_unit_test_setup_teardown(what_is_not_known_is_not_held_against_it, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(commands_are_those_of_this_server, set_up, tear_down),
        cmocka_unit_test(lists_are_counted),
        cmocka_unit_test_setup_teardown(a_throttled_processor_shows, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_sound_server_has_no_findings, set_up, tear_down),
        cmocka_unit_test_setup_teardown(each_setting_has_its_finding, set_up, tear_down),
        cmocka_unit_test_setup_teardown(each_state_has_its_finding, set_up, tear_down),
        cmocka_unit_test_setup_teardown(huge_pages_matter_for_large_buffers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_build_for_debugging_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_worst_comes_first, set_up, tear_down),
        cmocka_unit_test(odd_versions_are_read),
        cmocka_unit_test(every_check_is_documented),
    };
    return cmocka_run_group_tests_name("doctor", tests, NULL, NULL);
}

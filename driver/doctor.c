/* Owns the order of findings. The checks themselves stand in doctor_checks_*.c. */
#include "driver/doctor.h"

#include <stdarg.h>
#include <stdio.h>

#include "common/buf.h"
#include "driver/doctor_checks.h"

bool
doctor_saw(const struct doctor_look *look, enum severity severity, const char *format, ...)
{
    char text[512];
    va_list ap;

    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    look->finding->severity = severity;
    look->finding->seen = look->host ? arena_printf(look->arena, "%s: %s", look->host->where, text)
                                     : arena_strdup(look->arena, text);
    return true;
}

void
doctor_mend(const struct doctor_look *look, const char *format, ...)
{
    struct buf text = {0};
    va_list ap;

    va_start(ap, format);
    buf_printfv(&text, format, ap);
    va_end(ap);
    look->finding->mend = arena_strdup(look->arena, buf_text(&text));
    buf_free(&text);
}

const char *
doctor_check_name(int i)
{
    for (int k = 0; doctor_host_checks[k].name; k++)
        if (i-- == 0)
            return doctor_host_checks[k].name;
    for (int k = 0; doctor_server_checks[k].name; k++)
        if (i-- == 0)
            return doctor_server_checks[k].name;
    return NULL;
}

/* Worst first; among equals in the order of the table. */
static void
insert(struct finding findings[FINDINGS_MAX], int count, const struct finding *finding)
{
    int at = count;

    for (; at > 0 && findings[at - 1].severity < finding->severity; at--)
        findings[at] = findings[at - 1];
    findings[at] = *finding;
}

static int
try_checks(const struct doctor_check *check, const struct doctor_facts *facts,
           const struct host_facts *host, struct arena *arena,
           struct finding findings[FINDINGS_MAX], int count)
{
    for (; check->name; check++) {
        struct finding finding = {.name = check->name, .why = check->why, .mend = check->mend};
        const struct doctor_look look = {facts, host, arena, &finding};
        if (count < FINDINGS_MAX && check->function(&look))
            insert(findings, count++, &finding);
    }
    return count;
}

int
doctor_findings(const struct doctor_facts *facts, struct arena *arena,
                struct finding findings[FINDINGS_MAX])
{
    int count = 0;

    if (facts->driver_host.known)
        count = try_checks(doctor_host_checks, facts, &facts->driver_host, arena, findings, count);
    if (facts->server_host.known)
        count = try_checks(doctor_host_checks, facts, &facts->server_host, arena, findings, count);
    return try_checks(doctor_server_checks, facts, NULL, arena, findings, count);
}

static struct host_facts
unknown_host(const char *where)
{
    return (struct host_facts){.where = where,
                               .present = DOCTOR_UNKNOWN,
                               .online = DOCTOR_UNKNOWN,
                               .allowed = DOCTOR_UNKNOWN,
                               .quota = DOCTOR_UNKNOWN,
                               .smt = DOCTOR_UNKNOWN,
                               .huge_total_bytes = DOCTOR_UNKNOWN,
                               .huge_free_bytes = DOCTOR_UNKNOWN,
                               .memory_bytes = DOCTOR_UNKNOWN,
                               .swap_used_bytes = DOCTOR_UNKNOWN,
                               .busy_percent = DOCTOR_UNKNOWN,
                               .steal_percent = DOCTOR_UNKNOWN,
                               .speed = DOCTOR_UNKNOWN};
}

void
doctor_facts_init(struct doctor_facts *facts)
{
    *facts = (struct doctor_facts){.driver_host = unknown_host("driver's host"),
                                   .server_host = unknown_host("server's host"),
                                   .optimised = true};
    facts->server = (struct server_facts){.rtt_us = DOCTOR_UNKNOWN,
                                          .shared_buffers_bytes = DOCTOR_UNKNOWN,
                                          .max_wal_size_bytes = DOCTOR_UNKNOWN,
                                          .data_bytes = DOCTOR_UNKNOWN,
                                          .bytes_per_s = DOCTOR_UNKNOWN,
                                          .huge_pages_needed = DOCTOR_UNKNOWN,
                                          .fsync = DOCTOR_UNKNOWN,
                                          .full_page_writes = DOCTOR_UNKNOWN,
                                          .autovacuum = DOCTOR_UNKNOWN,
                                          .track_counts = DOCTOR_UNKNOWN,
                                          .jit = DOCTOR_UNKNOWN,
                                          .checksums = DOCTOR_UNKNOWN,
                                          .assertions = DOCTOR_UNKNOWN,
                                          .log_duration_ms = DOCTOR_UNKNOWN,
                                          .in_recovery = DOCTOR_UNKNOWN,
                                          .standbys = DOCTOR_UNKNOWN,
                                          .idle_slots = DOCTOR_UNKNOWN,
                                          .other_active = DOCTOR_UNKNOWN,
                                          .other_open = DOCTOR_UNKNOWN,
                                          .prepared = DOCTOR_UNKNOWN,
                                          .hidden = DOCTOR_UNKNOWN,
                                          .unlogged = DOCTOR_UNKNOWN,
                                          .unvacuumed = DOCTOR_UNKNOWN,
                                          .tables = DOCTOR_UNKNOWN,
                                          .unanalyzed = DOCTOR_UNKNOWN};
}

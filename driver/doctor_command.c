/* Owns the command `doctor`: gathers the facts, prints them and the findings. */
#include "driver/doctor_command.h"

#include <stdio.h>
#include <string.h>

#include "common/json.h"
#include "common/log.h"
#include "common/result_json.h"
#include "common/units.h"
#include "driver/commands.h"
#include "driver/doctor_gather.h"

#define COLUMNS 80
#define INDENT  9

#define ANSWER_US INT64_C(20000000) /* the longest question takes a fraction of a second */

/* --- facts as texts --------------------------------------------------------------------------- */

struct line {
    struct environment *environment;
    struct arena *arena;
    const char *group;
};

static void __attribute__((format(printf, 3, 4)))
fact(const struct line *line, const char *name, const char *format, ...)
{
    char text[512];
    va_list ap;

    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    environment_add(line->environment, line->arena, line->group, name, text, "");
}

static const char *
or_unknown(const char *text)
{
    return text[0] ? text : "not available";
}

static void
host_facts(const struct line *line, const struct host_facts *host, const char *prefix)
{
    char name[64], size[UNITS_TEXT_SIZE];
    const struct {
        const char *name, *text;
    } texts[] = {{"governor", host->governor},
                 {"transparent huge pages", host->huge_pages},
                 {"clock source", host->clock_source}};

    if (host->present > 0) {
        snprintf(name, sizeof name, "%sprocessors", prefix);
        fact(line, name, "%d of %d online%s%s", host->online, host->present,
             host->smt == 1   ? ", SMT on"
             : host->smt == 0 ? ", SMT off"
                              : "",
             host->virtual ? ", of a virtual machine" : "");
    }
    for (size_t i = 0; host->present > 0 && i < sizeof texts / sizeof *texts; i++) {
        snprintf(name, sizeof name, "%s%s", prefix, texts[i].name);
        fact(line, name, "%s", or_unknown(texts[i].text));
    }
    if (host->huge_total_bytes >= 0) {
        snprintf(name, sizeof name, "%shuge pages", prefix);
        fact(line, name, "%s", units_size(size, host->huge_total_bytes));
    }
    if (host->swap_used_bytes >= 0) {
        snprintf(name, sizeof name, "%sswap in use", prefix);
        fact(line, name, "%s", units_size(size, host->swap_used_bytes));
    }
    if (host->busy_percent >= 0) {
        snprintf(name, sizeof name, "%sbusy before", prefix);
        fact(line, name, "%.0f %%, %.0f %% stolen", host->busy_percent, host->steal_percent);
    }
    if (host->speed > 0) {
        snprintf(name, sizeof name, "%sspeed of one core", prefix);
        fact(line, name, "%.1f million steps/s, the median round %.1f %% below", host->speed,
             host->speed_spread_percent);
    }
}

/* The facts as the reports show them. */
static void
list_facts(const struct doctor_facts *facts, struct arena *arena, struct environment *environment)
{
    const struct line client = {environment, arena, "client"};
    const struct line server = {environment, arena, "server"};
    const struct engine *engine = &facts->server.engine;

    host_facts(&client, &facts->driver_host, "");
    if (!facts->server.known)
        return;
    fact(&server, "engine", "%s, compatible with version %d", engine->product, engine->major);
    for (int i = 0; i < ENGINE_FEATURES; i++)
        fact(&server, engine_feature_names[i], "%s", engine_has_names[engine->has[i]]);
    fact(&server, "same host as the driver", "%s", facts->server.same_host ? "yes" : "no");
    if (facts->server.bytes_per_s > 0)
        fact(&server, "large answers come at", "%s/s",
             units_size((char[UNITS_TEXT_SIZE]){0}, facts->server.bytes_per_s));
    if (facts->server.filesystem[0])
        fact(&server, "filesystem of the data", "%s", facts->server.filesystem);
    host_facts(&server, &facts->server_host, "host: ");
}

/* --- text ------------------------------------------------------------------------------------- */

/* Words, broken before column COLUMNS; the first line goes on where it stands. */
static void
put_wrapped(struct buf *out, const char *text, int indent)
{
    int column = indent;

    for (bool first = true; *text; first = false) {
        int length = (int)strcspn(text, " ");
        if (!first && column + 1 + length > COLUMNS) {
            buf_printf(out, "\n%*s", indent, "");
            column = indent;
        } else if (!first) {
            buf_putc(out, ' ');
            column++;
        }
        buf_append(out, text, (size_t)length);
        column += length;
        text += length;
        text += strspn(text, " ");
    }
    buf_putc(out, '\n');
}

static void
put_finding(struct buf *out, const struct finding *finding)
{
    buf_printf(out, "%-*s%s\n%*s", INDENT, severity_names[finding->severity], finding->name, INDENT,
               "");
    put_wrapped(out, finding->seen, INDENT);
    buf_printf(out, "%*swhy: ", INDENT, "");
    put_wrapped(out, finding->why, INDENT + 5);
    if (finding->mend[0]) {
        /* A command is not broken: it shall be pasted. */
        buf_printf(out, "%*smend: %s\n", INDENT, "", finding->mend);
    }
}

/* unseen: why the server was not looked at, or NULL. */
static void
put_doctor(struct buf *out, const struct environment *environment, const char *unseen)
{
    for (int i = 0; i < environment->count; i++) {
        const struct fact *of = &environment->facts[i];
        buf_printf(out, "%-7s %-26s %s\n", of->group, of->name, of->value);
    }
    if (unseen)
        buf_printf(out, "server  not looked at: %s\n", unseen);
    buf_putc(out, '\n');
    for (int i = 0; i < environment->findings_count; i++)
        put_finding(out, &environment->findings[i]);
    if (environment->findings_count == 0)
        buf_puts(out, "nothing was found that spoils a measurement\n");
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void
put_json(struct buf *out, const struct environment *environment, const char *unseen)
{
    struct json json;

    json_begin(&json, out);
    json_object(&json, NULL);
    json_array(&json, "facts");
    for (int i = 0; i < environment->count; i++) {
        json_object(&json, NULL);
        json_string(&json, "group", environment->facts[i].group);
        json_string(&json, "name", environment->facts[i].name);
        json_string(&json, "value", environment->facts[i].value);
        json_object_end(&json);
    }
    json_array_end(&json);
    json_string(&json, "server_not_looked_at", unseen);
    result_json_findings(&json, "findings", environment);
    json_object_end(&json);
    json_end(&json);
}

/* --- the command ------------------------------------------------------------------------------ */

bool
doctor_take(const struct settings *settings, struct arena *arena, struct environment *environment,
            struct err *err)
{
    struct doctor_facts facts;
    struct pg_target *target = pg_target_new(settings, err);
    struct pg *pg = target ? pg_connect(target, "doctor", err) : NULL;

    doctor_facts_init(&facts);
    doctor_look_here(&facts);
    if (pg)
        pg_answer_within(pg, ANSWER_US);
    if (pg)
        doctor_look_there(&facts, pg, settings_text(settings, SET_SCHEMA));
    bool seen = pg && pg_exec(pg, "SELECT 1", err); /* it still answers */
    list_facts(&facts, arena, environment);
    environment->findings = arena_array(arena, FINDINGS_MAX, sizeof *environment->findings);
    environment->findings_count = doctor_findings(&facts, arena, environment->findings);
    pg_close(pg);
    pg_target_free(target);
    return seen;
}

/* Whether somebody named the server that could not be looked at. */
static bool
server_was_named(const struct settings *settings)
{
    return settings_is_set(settings, SET_HOST) || settings_is_set(settings, SET_PORT) ||
           settings_is_set(settings, SET_DBNAME) || settings_is_set(settings, SET_USERNAME);
}

static int
run(struct settings *settings, int operand_count, char **operands)
{
    struct arena arena = {0};
    struct environment environment = {0};
    struct buf text = {0};
    struct err err, output_err;
    bool seen = doctor_take(settings, &arena, &environment, &err);
    bool spoils =
        environment.findings_count > 0 && environment.findings[0].severity == SEVERITY_SPOILS;
    int status = spoils ? ERR_VERDICT : ERR_NONE;

    (void)operand_count;
    (void)operands;
    if (settings_flag(settings, SET_JSON))
        put_json(&text, &environment, seen ? NULL : err.message);
    else
        put_doctor(&text, &environment, seen ? NULL : err.message);
    fputs(buf_text(&text), stdout);
    buf_free(&text);
    arena_free(&arena);
    if (!cli_finish_output(&output_err))
        return log_error(&output_err);
    return seen || !server_was_named(settings) ? status : log_error(&err);
}

const struct command doctor_command = {
    .name = "doctor",
    .operands = "",
    .bit = CMD_DOCTOR,
    .summary = "look for what spoils measurements on this host and the server",
    .description =
        "Looks at this host, at the server, and, where the role may, at the server's host, for "
        "what "
        "spoils measurements: governors that save power, memory that is swapped out, durability "
        "switched off, other sessions at work, and some two dozen more. Each finding says what was "
        "seen, why it matters, and the command that mends it. Changes nothing.\n\n"
        "A finding \"spoils\" (the result would say little about the system), is a \"caution\" "
        "(it may move the result), or a \"note\" (worth knowing when results are compared). The "
        "exit status is 1 when one spoils. Without a server it looks at this host alone. The same "
        "findings are taken when the autopilot begins, and stand in its reports.",
    .examples = "ordermill doctor\n"
                "ordermill doctor -h db1 -U bench --json\n",
    .run = run,
};

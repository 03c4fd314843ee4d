/* Every fact and every part of the workload in which runs differ. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/units.h"
#include "reports/compare.h"

/* Found anew by every run, or left by it. */
static const char *const states[][2] = {
    {"server", "started"},           {"server", "round trip"},
    {"server", "host: swap in use"}, {"server", "host: speed of one core"},
    {"client", "swap in use"},       {"client", "busy before"},
    {"client", "speed of one core"}, {"database", "size"},
    {"database", "size of schema"}};

static bool
is_state(const char *group, const char *name)
{
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
        if (strcmp(states[i][0], group) == 0 && strcmp(states[i][1], name) == 0)
            return true;
    return false;
}

/* ---- the workload as text ---- */

static void
put_mix(struct buf *out, const struct step *step)
{
    int count = TXN_TYPES;

    /* Types beyond the standard's only where they are drawn. */
    while (count > TXN_STANDARD && step->mix[count - 1] == 0)
        count--;
    for (int type = 0; type < count; type++)
        buf_printf(out, "%s%d", type ? "-" : "", step->mix[type]);
}

static void
put_pacing(struct buf *out, const struct step *step)
{
    if (step->pacing > 0)
        buf_printf(out, "%g of the standard's", step->pacing);
    else
        buf_puts(out, "none");
}

static void
put_arrivals(struct buf *out, const struct step *step)
{
    buf_puts(out, arrivals_names[step->arrivals]);
}

static void
put_rate(struct buf *out, const struct step *step)
{
    if (step->rate_per_minute > 0)
        buf_printf(out, "%lld per minute", (long long)step->rate_per_minute);
    else
        buf_puts(out, "none");
}

static void
put_home(struct buf *out, const struct step *step)
{
    buf_puts(out, home_names[step->home]);
}

static void
put_window(struct buf *out, const struct step *step)
{
    char text[UNITS_TEXT_SIZE];
    buf_puts(out, units_exact_duration(text, step->measure_us));
}

static void
put_ramp_up(struct buf *out, const struct step *step)
{
    char text[UNITS_TEXT_SIZE];
    buf_puts(out, units_exact_duration(text, step->ramp_up_us));
}

/* "90 % within 5s, 5s, 5s, 5s, 20s" */
static void
put_limits(struct buf *out, const struct step *step)
{
    char text[UNITS_TEXT_SIZE];

    buf_printf(out, "%g %% within", 100 * step_limit_share(step, TXN_NEW_ORDER));
    for (int type = 0; type < TXN_STANDARD; type++)
        buf_printf(out, "%s %s", type ? "," : "",
                   units_exact_duration(text, step_limit_us(step, type)));
}

#define PUT_INT(name, field)                                                                       \
    static void put_##name(struct buf *out, const struct step *step)                               \
    {                                                                                              \
        buf_printf(out, "%lld", (long long)step->field);                                           \
    }
#define PUT_TEXT(name, field)                                                                      \
    static void put_##name(struct buf *out, const struct step *step)                               \
    {                                                                                              \
        buf_puts(out, step->field);                                                                \
    }
PUT_INT(warehouses, warehouses)
PUT_INT(virtual_users, virtual_users)
PUT_INT(sessions, sessions)
PUT_INT(delivery_sessions, delivery_sessions)
PUT_INT(threads, threads)
PUT_INT(repeat, repeat)
PUT_INT(seed, seed)
PUT_INT(c_load, c_load)
PUT_TEXT(configuration, configuration)
PUT_TEXT(procedures, procedures)
PUT_TEXT(call, call)
PUT_TEXT(protocol, protocol)
PUT_TEXT(isolation, isolation)

static const struct {
    const char *name;
    void (*put)(struct buf *out, const struct step *step);
} parts[] = {
    {"mix", put_mix},
    {"pacing", put_pacing},
    {"arrivals", put_arrivals},
    {"rate", put_rate},
    {"warehouses", put_warehouses},
    {"virtual users", put_virtual_users},
    {"sessions", put_sessions},
    {"sessions for deliveries", put_delivery_sessions},
    {"threads", put_threads},
    {"repeats", put_repeat},
    {"configuration", put_configuration},
    {"home", put_home},
    {"procedures", put_procedures},
    {"call", put_call},
    {"protocol", put_protocol},
    {"isolation", put_isolation},
    {"latency limits", put_limits},
    {"ramp-up", put_ramp_up},
    {"window", put_window},
    {"seed", put_seed},
    {"C-Load", put_c_load},
};
#define PARTS (sizeof parts / sizeof parts[0])

/* Each value once, in the order in which they first came. */
const char *
compare_workload(const struct run *run, const char *name, struct arena *arena)
{
    struct buf all = {0}, one = {0};
    size_t part = 0;

    while (strcmp(parts[part].name, name) != 0)
        must(++part < PARTS);
    for (int i = 0; i < run->steps_count; i++) {
        bool seen = false;
        buf_clear(&one);
        parts[part].put(&one, &run->steps[i]);
        for (int k = 0; k < i && !seen; k++) {
            struct buf before = {0};
            parts[part].put(&before, &run->steps[k]);
            seen = strcmp(buf_text(&before), buf_text(&one)) == 0;
            buf_free(&before);
        }
        if (!seen)
            buf_printf(&all, "%s%s", all.length ? ", " : "", buf_text(&one));
    }
    const char *text = arena_strdup(arena, buf_text(&all));
    buf_free(&all);
    buf_free(&one);
    return text;
}

/* ---- the list ---- */

static bool
all_equal(const struct difference *difference, int count)
{
    for (int i = 1; i < count; i++) {
        const char *first = difference->values[0], *other = difference->values[i];
        if ((first == NULL) != (other == NULL) || (first && strcmp(first, other) != 0))
            return false;
    }
    return true;
}

static void
keep(struct compare *compare, const struct difference *difference)
{
    if (all_equal(difference, compare->count))
        return;
    compare->differences[compare->differences_count++] = *difference;
    if (!difference->is_state)
        compare->same_configuration = false;
}

static void
add_workload(struct compare *compare, struct arena *arena)
{
    for (size_t part = 0; part < PARTS; part++) {
        struct difference difference = {.kind = "workload", .name = parts[part].name};
        for (int i = 0; i < compare->count; i++)
            difference.values[i] = compare_workload(compare->runs[i].run, parts[part].name, arena);
        keep(compare, &difference);
    }
}

/* Facts that an earlier run has were looked at with it. */
static bool
seen_before(const struct compare *compare, int index, const struct fact *fact)
{
    for (int i = 0; i < index; i++)
        if (environment_find(&compare->runs[i].run->environment, fact->group, fact->name))
            return true;
    return false;
}

static void
add_facts(struct compare *compare)
{
    for (int i = 0; i < compare->count; i++) {
        const struct environment *environment = &compare->runs[i].run->environment;
        for (int k = 0; k < environment->count; k++) {
            const struct fact *fact = &environment->facts[k];
            struct difference difference = {.kind = fact->group,
                                            .name = fact->name,
                                            .is_state = is_state(fact->group, fact->name)};
            if (seen_before(compare, i, fact))
                continue;
            for (int j = 0; j < compare->count; j++)
                difference.values[j] =
                    environment_find(&compare->runs[j].run->environment, fact->group, fact->name);
            keep(compare, &difference);
        }
    }
}

/* FNV-1a: to tell texts apart, not to prove them equal. */
static const char *
fingerprint(const char *text, struct arena *arena)
{
    uint64_t hash = UINT64_C(14695981039346656037);

    if (!*text)
        return "none";
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return arena_printf(arena, "fingerprint %016llx", (unsigned long long)hash);
}

/* The kit's own settings, but for where a run was put. */
static const char *
find_setting(const struct run *run, const char *name)
{
    for (int i = 0; i < run->settings_count; i++)
        if (strcmp(run->settings[i].name, name) == 0)
            return run->settings[i].value;
    return NULL;
}

static bool
set_before(const struct compare *compare, int index, const char *name)
{
    for (int i = 0; i < index; i++)
        if (find_setting(compare->runs[i].run, name))
            return true;
    return false;
}

/* All that any of them has: a later kit knows more. */
static void
add_settings(struct compare *compare)
{
    for (int i = 0; i < compare->count; i++)
        for (int k = 0; k < compare->runs[i].run->settings_count; k++) {
            struct difference difference = {.kind = "option",
                                            .name = compare->runs[i].run->settings[k].name};
            if (strcmp(difference.name, "output") == 0 || set_before(compare, i, difference.name))
                continue;
            for (int j = 0; j < compare->count; j++)
                difference.values[j] = find_setting(compare->runs[j].run, difference.name);
            keep(compare, &difference);
        }
}

static void
add_run(struct compare *compare, struct arena *arena)
{
    struct difference kit = {.kind = "kit", .name = "version of the driver"};
    struct difference profile = {.kind = "workload", .name = "text of the profile"};

    for (int i = 0; i < compare->count; i++) {
        kit.values[i] = compare->runs[i].run->kit_version;
        profile.values[i] = fingerprint(compare->runs[i].run->profile, arena);
    }
    keep(compare, &kit);
    keep(compare, &profile);
}

void
compare_differences(struct compare *compare, struct arena *arena)
{
    size_t room = PARTS + 2;

    for (int i = 0; i < compare->count; i++)
        room += (size_t)(compare->runs[i].run->environment.count +
                         compare->runs[i].run->settings_count);
    compare->differences = arena_array(arena, room, sizeof *compare->differences);
    compare->same_configuration = true;
    add_run(compare, arena);
    add_workload(compare, arena);
    add_settings(compare);
    add_facts(compare);
}

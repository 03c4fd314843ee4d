/* Owns what "run it again" means. Connection options are left to the environment: nothing of them
 * belongs in a document. */
#include "reports/again.h"

#include <string.h>

#include "reports/escape.h"

/* In quotes for a shell; on one line. */
static void
put_quoted(struct buf *out, const char *value, bool with_blanks)
{
    buf_putc(out, '\'');
    for (; *value; value++)
        if (*value == '\'')
            buf_puts(out, "'\\''");
        else if (with_blanks || *value != ' ')
            buf_putc(out, (unsigned char)*value < ' ' ? '?' : *value);
    buf_putc(out, '\'');
}

/* What the command line said over the profile. */
static void
put_options(const struct environment *environment, struct buf *out)
{
    for (int i = 0; i < environment->count; i++) {
        const struct fact *fact = &environment->facts[i];
        bool is_name = fact->name[strspn(fact->name, "abcdefghijklmnopqrstuvwxyz-")] == '\0';
        if (strcmp(fact->group, "kit") != 0 || strcmp(fact->detail, "option") != 0 || !is_name)
            continue;
        buf_printf(out, " \\\n    --set %s=", fact->name);
        put_quoted(out, fact->value, true);
    }
}

/* How the tables were laid out, as far as it is not the default: the facts are named as the options
 * of load are. */
static void
put_layout(const struct environment *environment, struct buf *out)
{
    static const struct {
        const char *name, *usual;
        bool is_flag;
    } options[] = {
        {"tablespace", NULL, false},
        {"index-tablespace", NULL, false},
        {"fillfactor", "customer=90, district=20, stock=90, warehouse=20", false},
        {"partitions", "1", false},
        {"partition-by", "range", false},
        {"foreign-keys", "false", true},
        {"unlogged", "false", true},
        {"maintenance-memory", NULL, false},
        {"index-workers", NULL, false},
    };

    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        const char *value = environment_find(environment, "database", options[i].name);

        if (!value || (options[i].usual && strcmp(value, options[i].usual) == 0))
            continue;
        buf_printf(out, " --%s", options[i].name);
        if (options[i].is_flag)
            continue;
        buf_putc(out, ' ');
        put_quoted(out, value, strcmp(options[i].name, "fillfactor") != 0);
    }
}

/* That of the rows; the steps have others, made from the run's. */
static void
put_seed(const struct environment *environment, struct buf *out)
{
    const char *seed = environment_find(environment, "database", "load seed");

    if (seed && *seed && seed[strspn(seed, "0123456789")] == '\0')
        buf_printf(out, " --seed %s", seed);
}

void
again_commands(const struct run *run, struct buf *out)
{
    const struct step *step = run->steps_count > 0 ? &run->steps[0] : NULL;

    buf_puts(out, "# Ordermill ");
    escape_line(out, run->kit_version, 40);
    buf_putc(out, '\n');
    if (run->profile[0])
        buf_puts(out, "ordermill autopilot --again RUN    # RUN: the folder of this run\n"
                      "# or, without it, with the profile below:\n");
    if (step) {
        buf_printf(out, "ordermill load --warehouses %d", step->warehouses);
        put_seed(&run->environment, out);
        put_layout(&run->environment, out);
        buf_putc(out, '\n');
    }
    if (run->profile[0]) {
        buf_puts(out, "ordermill autopilot PROFILE.xml");
        put_options(&run->environment, out);
        buf_putc(out, '\n');
    } else if (step)
        buf_printf(out,
                   "ordermill run --virtual-users %d --ramp-up %gs --measure %gs --seed %llu\n",
                   step->virtual_users, (double)step->ramp_up_us / 1e6,
                   (double)step->measure_us / 1e6, (unsigned long long)step->seed);
    buf_puts(out, "ordermill check\n");
}

/* The two forms of a plan. */
#include "common/json.h"
#include "common/units.h"
#include "profiles/plan.h"

static void
put_curves(const struct plan *plan, struct buf *out)
{
    buf_puts(out, "curve\n");
    for (int i = 0; i < plan->curves_count; i++)
        buf_printf(out, "%5d  %s\n", i + 1, plan->curves[i].name);
    buf_puts(out, "\n step  curve  virtual users  repeat\n");
    for (int i = 0; i < plan->count; i++) {
        const struct plan_step *step = &plan->steps[i];
        buf_printf(out, "%5d  %5d  %13d  %6d\n", step->number, step->curve + 1, step->virtual_users,
                   step->repeat);
    }
}

static void
put_steps(const struct plan *plan, struct buf *out)
{
    buf_puts(out, " step  virtual users  repeat\n");
    for (int i = 0; i < plan->count; i++) {
        const struct plan_step *step = &plan->steps[i];
        buf_printf(out, "%5d  %13d  %6d\n", step->number, step->virtual_users, step->repeat);
    }
}

void
plan_text(const struct plan *plan, const char *name, struct buf *out)
{
    char total[UNITS_TEXT_SIZE], ramp_up[UNITS_TEXT_SIZE], measure[UNITS_TEXT_SIZE];
    char most[UNITS_TEXT_SIZE];

    buf_printf(out, "profile %s: ", name);
    if (plan->curves_count > 1)
        buf_printf(out, "%d curves, ", plan->curves_count);
    bool open = plan->measure_most_us > plan->measure_us;
    buf_printf(out, "%d step%s of %s ramp-up and %s%s%s measurement\n\n", plan->count,
               plan->count == 1 ? "" : "s", units_exact_duration(ramp_up, plan->ramp_up_us),
               units_exact_duration(measure, plan->measure_us), open ? " to " : "",
               open ? units_exact_duration(most, plan->measure_most_us) : "");
    if (plan->curves_count > 1)
        put_curves(plan, out);
    else
        put_steps(plan, out);
    buf_printf(out,
               "\n%s %s for the steps; building the warehouses, checking and reporting come on "
               "top\n",
               open ? "at most" : "about", units_duration(total, plan->total_us));
}

static void
put_curve(struct json *json, const struct plan_curve *curve)
{
    json_object(json, NULL);
    json_string(json, "name", curve->name);
    json_string(json, "server", curve->server ? curve->server->name : "");
    json_string(json, "configuration", curve->configuration ? curve->configuration->name : "");
    json_string(json, "warehouses", curve->warehouses);
    json_string(json, "mix", curve->mix);
    json_string(json, "call", curve->call);
    json_object_end(json);
}

void
plan_put(const struct plan *plan, const char *name, struct json *json)
{
    json_string(json, "profile", name);
    json_array(json, "curves");
    for (int i = 0; i < plan->curves_count; i++)
        put_curve(json, &plan->curves[i]);
    json_array_end(json);
    json_array(json, "steps");
    for (int i = 0; i < plan->count; i++) {
        json_object(json, NULL);
        json_int(json, "step", plan->steps[i].number);
        json_int(json, "virtual_users", plan->steps[i].virtual_users);
        json_int(json, "repeat", plan->steps[i].repeat);
        json_int(json, "curve", plan->steps[i].curve + 1);
        json_object_end(json);
    }
    json_array_end(json);
    json_real(json, "ramp_up_s", (double)plan->ramp_up_us / 1e6, 6);
    json_real(json, "measure_s", (double)plan->measure_us / 1e6, 6);
    json_real(json, "measure_most_s", (double)plan->measure_most_us / 1e6, 6);
    json_real(json, "total_s", (double)plan->total_us / 1e6, 0);
}

void
plan_json(const struct plan *plan, const char *name, struct buf *out)
{
    struct json json;

    json_begin(&json, out);
    json_object(&json, NULL);
    plan_put(plan, name, &json);
    json_object_end(&json);
    json_end(&json);
}

/* The commands that run a run again: whoever pastes them into a shell gets the same run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "reports/again.h"

static struct arena arena;
static struct buf text;

static int
forget(void **state)
{
    (void)state;
    arena_free(&arena);
    buf_free(&text);
    return 0;
}

static const char *
commands(struct run *run)
{
    buf_clear(&text);
    again_commands(run, &text);
    return buf_text(&text);
}

/* What was said beside the profile is said again, quoted; what the profile says is in the profile.
 */
static void
a_profile_with_its_options(void **state)
{
    struct step step = {.warehouses = 10, .seed = 4007}; /* of the terminals, not of the rows */
    struct run run = {
        .kit_version = "1.2", .profile = "<profile/>", .steps = &step, .steps_count = 1};
    (void)state;

    environment_add(&run.environment, &arena, "kit", "measure", "30s", "option");
    environment_add(&run.environment, &arena, "kit", "ramp-up", "9s", "profile");
    environment_add(&run.environment, &arena, "kit", "session-settings", "a='b;\nc'", "option");
    environment_add(&run.environment, &arena, "kit", "x;reboot;y", "1", "option");
    environment_add(&run.environment, &arena, "database", "load seed", "7", "");
    environment_add(&run.environment, &arena, "database", "fillfactor", "stock=70, orders=90", "");
    assert_string_equal(
        commands(&run),
        "# Ordermill 1.2\n"
        "ordermill autopilot --again RUN    # RUN: the folder of this run\n"
        "# or, without it, with the profile below:\n"
        "ordermill load --warehouses 10 --seed 7 --fillfactor 'stock=70,orders=90'\n"
        "ordermill autopilot PROFILE.xml \\\n    --set measure='30s' \\\n"
        "    --set session-settings='a='\\''b;?c'\\'''\n"
        "ordermill check\n");
}

static void
a_level_without_a_profile(void **state)
{
    struct step step = {.warehouses = 2,
                        .seed = 42,
                        .virtual_users = 8,
                        .ramp_up_us = 1500000,
                        .measure_us = 60000000};
    struct run run = {.kit_version = "1.2", .profile = "", .steps = &step, .steps_count = 1};
    (void)state;

    environment_add(&run.environment, &arena, "database", "load seed", "9; reboot", "");
    assert_string_equal(commands(&run),
                        "# Ordermill 1.2\nordermill load --warehouses 2\n"
                        "ordermill run --virtual-users 8 --ramp-up 1.5s --measure 60s --seed 42\n"
                        "ordermill check\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_profile_with_its_options, forget),
        cmocka_unit_test_teardown(a_level_without_a_profile, forget),
    };
    return cmocka_run_group_tests_name("again", tests, NULL, NULL);
}

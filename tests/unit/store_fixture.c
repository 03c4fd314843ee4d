/* Owns the folder and what every such test begins with. */
#include "tests/unit/store_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "common/fs.h"

int
fixture_set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);

    snprintf(f->folder, sizeof f->folder, "/tmp/ordermill-test-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    *state = f;
    return 0;
}

int
fixture_tear_down(void **state)
{
    struct fixture *f = *state;
    struct err err;

    assert_true(fs_remove_tree(f->folder, &err));
    arena_free(&f->arena);
    free(f);
    return 0;
}

struct run
fixture_run(void)
{
    return (struct run){.name = "ramp",
                        .kit_version = "0.1.0",
                        .profile = "<profile name='r'>\n\xc3\xa4</profile>",
                        .started_wall_us = 1772368496123456,
                        .status = STEP_INTERRUPTED,
                        .steps_planned = 7,
                        .check = {.moment = ""}};
}

struct store *
fixture_created(struct fixture *f)
{
    struct run run = fixture_run();
    struct err err = {0};
    struct store *store = store_create(f->folder, &run, &err);

    assert_string_equal(err.message, "");
    assert_non_null(store);
    return store;
}

void
fixture_read_back(struct fixture *f, struct run *run)
{
    struct err err = {0};
    struct store *store = store_open(f->folder, &err);

    assert_string_equal(err.message, "");
    assert_true(store_read(store, &f->arena, run, &err));
    store_close(store);
}

/* The settings of the private server for machines small and large, and their quoting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/sizing.h"

#define MB (INT64_C(1) << 20)
#define GB (INT64_C(1) << 30)

static struct arena arena;

static const char *
value_of(const struct machine *machine, const char *name)
{
    size_t count;
    const struct server_setting *settings = sizing_settings(machine, &arena, &count);

    for (size_t i = 0; i < count; i++) {
        if (strcmp(settings[i].name, name) == 0)
            return settings[i].value;
    }
    fail_msg("no setting %s", name);
    return NULL;
}

static void
a_small_machine(void **state)
{
    const struct machine machine = {512 * MB, 2 * GB, 64 * MB};

    (void)state;
    assert_string_equal(value_of(&machine, "shared_buffers"), "128MB");
    assert_string_equal(value_of(&machine, "effective_cache_size"), "256MB");
    assert_string_equal(value_of(&machine, "maintenance_work_mem"), "32MB");
    assert_string_equal(value_of(&machine, "max_wal_size"), "512MB");
    assert_string_equal(value_of(&machine, "dynamic_shared_memory_type"), "mmap");
}

static void
a_middling_machine(void **state)
{
    const struct machine machine = {4 * GB, 40 * GB, 2 * GB};

    (void)state;
    assert_string_equal(value_of(&machine, "shared_buffers"), "1024MB");
    assert_string_equal(value_of(&machine, "effective_cache_size"), "2048MB");
    assert_string_equal(value_of(&machine, "maintenance_work_mem"), "128MB");
    assert_string_equal(value_of(&machine, "max_wal_size"), "5120MB");
    assert_string_equal(value_of(&machine, "dynamic_shared_memory_type"), "posix");
}

static void
a_large_machine(void **state)
{
    const struct machine machine = {1024 * GB, 10240 * GB, 512 * GB};

    (void)state;
    assert_string_equal(value_of(&machine, "shared_buffers"), "2048MB");
    assert_string_equal(value_of(&machine, "effective_cache_size"), "65536MB");
    assert_string_equal(value_of(&machine, "maintenance_work_mem"), "512MB");
    assert_string_equal(value_of(&machine, "max_wal_size"), "8192MB");
}

static void
durable_and_private(void **state)
{
    const struct machine machine = {4 * GB, 40 * GB, 2 * GB};

    (void)state;
    assert_string_equal(value_of(&machine, "fsync"), "on");
    assert_string_equal(value_of(&machine, "synchronous_commit"), "on");
    assert_string_equal(value_of(&machine, "full_page_writes"), "on");
    assert_string_equal(value_of(&machine, "listen_addresses"), "");
}

static void
this_machine_has_something(void **state)
{
    struct machine machine;
    struct err err;

    (void)state;
    assert_true(sizing_machine(&machine, "/tmp", &err));
    assert_true(machine.memory_bytes > 64 * MB);
    assert_true(machine.memory_bytes <= (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE));
    assert_true(machine.disk_free_bytes > 0);
    assert_false(sizing_machine(&machine, "/nonexistent", &err));
    assert_string_equal(err.message, "/nonexistent: No such file or directory");
}

static void
quotes_values(void **state)
{
    const struct server_setting settings[] = {{"a", ""}, {"b", "it's C:\\x"}};
    struct buf text = {0};

    (void)state;
    sizing_write(settings, 2, &text);
    assert_string_equal(buf_text(&text), "a = ''\nb = 'it''s C:\\\\x'\n");
    buf_free(&text);
}

static int
free_arena(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_machine),
        cmocka_unit_test(a_middling_machine),
        cmocka_unit_test(a_large_machine),
        cmocka_unit_test(durable_and_private),
        cmocka_unit_test(this_machine_has_something),
        cmocka_unit_test(quotes_values),
    };
    return cmocka_run_group_tests_name("sizing", tests, NULL, free_arena);
}

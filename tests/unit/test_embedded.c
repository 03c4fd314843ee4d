/* The table of embedded files: in order, whole, and found by path. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/embedded.h"

static void
table_is_sorted(void **state)
{
    (void)state;
    assert_true(embedded_files_count > 0);
    for (size_t i = 1; i < embedded_files_count; i++)
        assert_true(strcmp(embedded_files[i - 1].path, embedded_files[i].path) < 0);
}

static void
every_file_is_whole(void **state)
{
    (void)state;
    for (size_t i = 0; i < embedded_files_count; i++) {
        static char text[1 << 20];
        FILE *in = fopen(embedded_files[i].path, "rb");

        assert_non_null(in);
        size_t length = fread(text, 1, sizeof text - 1, in);
        fclose(in);
        text[length] = '\0';
        assert_string_equal(text, embedded_files[i].text);
    }
}

static void
found_by_path(void **state)
{
    (void)state;
    for (size_t i = 0; i < embedded_files_count; i++)
        assert_ptr_equal(embedded_text(embedded_files[i].path), embedded_files[i].text);
    assert_null(embedded_text("schemas/"));
    assert_null(embedded_text(""));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_is_sorted),
        cmocka_unit_test(every_file_is_whole),
        cmocka_unit_test(found_by_path),
    };
    return cmocka_run_group_tests_name("embedded", tests, NULL, NULL);
}

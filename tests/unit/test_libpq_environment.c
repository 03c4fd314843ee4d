/* What is left of an environment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/libpq_environment.h"

static void
only_libpqs_variables_go(void **state)
{
    char one[] = "PGHOSTADDR=192.0.2.1", two[] = "PGSERVICE=x", three[] = "PATH=/bin";
    char four[] = "PGOPTIONS=-c a=b", five[] = "XPGHOST=stays";
    char six[] = "P=stays";
    char **ours = environ, **left;
    char *variables[] = {one, two, three, four, five, six, NULL};

    (void)state;
    environ = variables;
    libpq_environment_forget();
    left = environ;
    environ = ours;
    assert_string_equal(left[0], "PATH=/bin");
    assert_string_equal(left[1], "XPGHOST=stays");
    assert_string_equal(left[2], "P=stays");
    assert_null(left[3]);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_libpqs_variables_go),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

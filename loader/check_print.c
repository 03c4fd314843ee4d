/* What people see of a check, and what it means for the exit status. */
#include <inttypes.h>
#include <stdio.h>

#include "loader/check.h"
#include "loader/loader.h"

enum { EXAMPLES_PRINTED = 3 };

int64_t
loader_violations(const struct check_result *result)
{
    int64_t sum = 0;

    for (int i = 0; i < CHECK_TESTS; i++)
        sum += result->conditions[i].violations;
    return sum;
}

static const char *
verdict(const struct check_condition *condition)
{
    return !condition->tested ? "NOT TESTED" : condition->violations > 0 ? "FAIL" : "PASS";
}

static void
print_example(const struct check_example *example, struct buf *out)
{
    buf_printf(out, "       warehouse %d", example->warehouse);
    if (example->district > 0)
        buf_printf(out, ", district %d", example->district);
    if (example->detail[0])
        buf_printf(out, ", %s", example->detail);
    buf_printf(out, ": expected %s, found %s\n", example->expected, example->found);
}

static void
print_test(const struct check_condition *condition, const char *number, struct buf *out)
{
    int shown =
        condition->examples_count < EXAMPLES_PRINTED ? condition->examples_count : EXAMPLES_PRINTED;

    buf_printf(out, "%-10s  %2s  %s\n", verdict(condition), number, condition->name);
    for (int k = 0; k < shown; k++)
        print_example(&condition->examples[k], out);
    if (condition->violations > shown)
        buf_printf(out, "       and %" PRId64 " more\n", condition->violations - shown);
}

void
check_print(const struct check_result *result, struct buf *out)
{
    for (int i = 0; i < CHECK_CONDITIONS; i++) {
        char number[16];

        snprintf(number, sizeof number, "%d", i + 1);
        print_test(&result->conditions[i], number, out);
    }
    print_test(&result->conditions[CHECK_COUNTS - 1], "", out);
}

bool
check_judge(const struct check_result *result, struct err *err)
{
    int64_t violations = loader_violations(result);
    int broken = 0, first = 0;

    if (violations == 0)
        return true;
    for (int i = CHECK_CONDITIONS; i-- > 0;) {
        if (result->conditions[i].violations > 0) {
            broken++;
            first = i;
        }
    }
    if (broken == 0)
        return err_set(err, ERR_INCONSISTENT,
                       "rows are missing, or there are too many, in %" PRId64 " places",
                       violations);
    return err_set(err, ERR_INCONSISTENT,
                   "%d of the %d consistency conditions are broken, %" PRId64
                   " times in all; the first is %d: %s",
                   broken, CHECK_CONDITIONS, violations, first + 1, result->conditions[first].name);
}

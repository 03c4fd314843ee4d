/* Owns the reading of ladders. What a level is, the plan knows. */
#include "common/ladder.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/units.h"

#define SEPARATORS  " ,\t\r\n"
#define DIGITS      "0123456789"
#define FACTOR_BASE 1000

struct reading {
    const char *at;
    int64_t minimum, maximum;
    int64_t *values;
    int room, count;
    struct err *err;
};

static bool
add(struct reading *r, int64_t value)
{
    if (r->count == r->room)
        return err_set(r->err, ERR_USAGE, "the list has more than %d numbers", r->room);
    r->values[r->count++] = value;
    return true;
}

/* What stands there up to the next separator, for messages. */
static bool
refuse(const struct reading *r, const char *item, const char *what)
{
    return err_set(r->err, ERR_USAGE, "\"%.*s\" %s", (int)strcspn(item, SEPARATORS), item, what);
}

/* Digits only, and at least one: the rest of a range follows them. */
static bool
number(struct reading *r, const char *item, int64_t *value)
{
    char digits[24], limit[UNITS_TEXT_SIZE];
    size_t length = strspn(r->at, DIGITS);

    if (length == 0 || length >= sizeof digits)
        return refuse(r, item, length ? "is too large a number" : "is not a whole number");
    memcpy(digits, r->at, length);
    digits[length] = '\0';
    r->at += length;
    if (!units_parse_int(digits, value, r->err))
        return false;
    if (*value < r->minimum)
        return err_set(r->err, ERR_USAGE, "\"%s\" is below %s", digits,
                       units_exact_int(limit, r->minimum));
    if (*value > r->maximum)
        return err_set(r->err, ERR_USAGE, "\"%s\" is above %s", digits,
                       units_exact_int(limit, r->maximum));
    return true;
}

/* "2" or "1.5", in thousandths. */
static bool
factor(struct reading *r, const char *item, int64_t *thousandths)
{
    size_t whole = strspn(r->at, DIGITS), decimals = 0;

    *thousandths = 0;
    if (whole < 1 || whole > 4)
        return refuse(r, item, "has no factor such as x2 or x1.5");
    for (size_t i = 0; i < whole; i++)
        *thousandths = *thousandths * 10 + (*r->at++ - '0');
    if (*r->at == '.') {
        r->at++;
        decimals = strspn(r->at, DIGITS);
        if (decimals < 1 || decimals > 3)
            return refuse(r, item, "has no factor such as x2 or x1.5");
    }
    for (size_t i = 0; i < 3; i++)
        *thousandths = *thousandths * 10 + (i < decimals ? *r->at++ - '0' : 0);
    return (*thousandths >= 1010 && *thousandths <= 1000 * FACTOR_BASE) ||
           refuse(r, item, "has a factor outside 1.01 to 1000");
}

/* Goes over blanks where one of these follows: "1..64 x2". */
static char
sign(struct reading *r)
{
    const char *next = r->at + strspn(r->at, " \t\r\n");

    if (*next != 'x' && *next != '/')
        return '\0';
    r->at = next + 1;
    r->at += strspn(r->at, " \t\r\n");
    return *next;
}

static bool
range(struct reading *r, const char *item, int64_t first)
{
    int64_t last, step = 1, thousandths = FACTOR_BASE;

    if (!number(r, item, &last))
        return false;
    if (last <= first)
        return refuse(r, item, "does not go up");
    char by = sign(r);
    if (by == '/' && !number(r, item, &step))
        return false;
    if (by == 'x' && !factor(r, item, &thousandths))
        return false;
    for (int64_t value = first; value < last;) {
        if (!add(r, value))
            return false;
        int64_t grown = llround((double)value * (double)thousandths / FACTOR_BASE);
        value = by != 'x' ? value + step : grown > value ? grown : value + 1;
    }
    return add(r, last);
}

static bool
item(struct reading *r)
{
    const char *begin = r->at;
    int64_t first;

    /* The whole item is in the message, not the digits before the mistake. */
    if (begin[strspn(begin, DIGITS ".x/")] &&
        !strchr(SEPARATORS, begin[strspn(begin, DIGITS ".x/")]))
        return refuse(r, begin, "is not a whole number");
    if (!number(r, begin, &first))
        return false;
    if (strncmp(r->at, "..", 2) == 0) {
        r->at += 2;
        if (!range(r, begin, first))
            return false;
    } else if (!add(r, first)) {
        return false;
    }
    return *r->at == '\0' || strchr(SEPARATORS, *r->at) ||
           refuse(r, begin, "is not a whole number");
}

bool
ladder_parse(const char *text, int64_t minimum, int64_t maximum, int64_t *values, int room,
             int *count, struct err *err)
{
    struct reading r = {
        .minimum = minimum, .maximum = maximum, .values = values, .room = room, .err = err};

    for (r.at = text + strspn(text, SEPARATORS); *r.at; r.at += strspn(r.at, SEPARATORS))
        if (!item(&r))
            return false;
    *count = r.count;
    return r.count > 0 || err_set(err, ERR_USAGE, "the list is empty");
}

/* Owns how numbers, durations and sizes are read from and written for people. Whether a value is in
 * the range an option allows is the business of the settings. */
#include "common/units.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS          "0123456789"
#define DURATION_US_MAX (INT64_C(8760) * 3600 * 1000000)

struct unit {
    const char *name;
    int64_t factor;
};

static const struct unit duration_units[] = {
    {"us", 1}, {"ms", 1000}, {"s", 1000000}, {"m", 60 * 1000000}, {"h", INT64_C(3600) * 1000000},
    {NULL, 0},
};

static const struct unit size_units[] = {
    {"B", 1},
    {"kB", 1024},
    {"MB", 1024 * 1024},
    {"GB", INT64_C(1) << 30},
    {"TB", INT64_C(1) << 40},
    {NULL, 0},
};

bool
units_parse_int(const char *text, int64_t *value, struct err *err)
{
    size_t sign = text[0] == '-';
    size_t digits = strspn(text + sign, DIGITS);

    if (digits == 0 || text[sign + digits] != '\0')
        return err_set(err, ERR_USAGE, "\"%s\" is not a whole number", text);
    errno = 0;
    long long parsed = strtoll(text, NULL, 10);
    if (errno == ERANGE)
        return err_set(err, ERR_USAGE, "\"%s\" is too large a number", text);
    *value = parsed;
    return true;
}

bool
units_parse_real(const char *text, double *value, struct err *err)
{
    char *end;

    /* strtod also takes leading blanks, hexadecimal, "nan" and "inf". */
    bool plain = text[0] != '\0' && text[0] != '+' && strspn(text, DIGITS "+-.eE") == strlen(text);
    double parsed = plain ? strtod(text, &end) : 0;
    if (!plain || end == text || *end != '\0')
        return err_set(err, ERR_USAGE, "\"%s\" is not a number", text);
    if (!isfinite(parsed))
        return err_set(err, ERR_USAGE, "\"%s\" is too large a number", text);
    *value = parsed;
    return true;
}

static const struct unit *
find_unit(const struct unit *units, const char *name)
{
    for (const struct unit *unit = units; unit->name; unit++) {
        if (strcmp(unit->name, name) == 0)
            return unit;
    }
    return NULL;
}

#define PLACES_MAX 6 /* 10^6 times the largest unit fits in 63 bits */

/* Appends decimal digits to a number; false when it no longer fits. */
static bool
add_digits(int64_t *number, const char *digits, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (__builtin_mul_overflow(*number, 10, number) ||
            __builtin_add_overflow(*number, digits[i] - '0', number))
            return false;
    }
    return true;
}

/* DIGITS[.DIGITS]UNIT as a whole number of the smallest unit, by integer arithmetic: "0.1s" is
 * 100000 us exactly. */
static bool
parse_with_unit(const char *text, const struct unit *units, int64_t *value, const char *what,
                struct err *err)
{
    size_t whole = strspn(text, DIGITS);
    const char *fraction = text[whole] == '.' ? text + whole + 1 : text + whole;
    size_t places = text[whole] == '.' ? strspn(fraction, DIGITS) : 0;
    const char *unit_name = fraction + places;
    const struct unit *unit = find_unit(units, unit_name);
    int64_t total = 0, part = 0, divisor = 1;

    if (strcmp(text, "0") == 0) {
        *value = 0;
        return true;
    }
    if (whole == 0 || (text[whole] == '.' && places == 0) || (*unit_name && !unit))
        return err_set(err, ERR_USAGE, "\"%s\" is not a %s", text, what);
    if (!unit)
        return err_set(err, ERR_USAGE, "\"%s\" has no unit", text);
    if (places > PLACES_MAX)
        return err_set(err, ERR_USAGE, "\"%s\" has more than %d decimals", text, PLACES_MAX);

    must(add_digits(&part, fraction, places));
    for (size_t i = 0; i < places; i++)
        divisor *= 10;
    part *= unit->factor;
    if (part % divisor != 0)
        return err_set(err, ERR_USAGE, "\"%s\" is finer than 1 %s", text, units[0].name);
    if (!add_digits(&total, text, whole) || __builtin_mul_overflow(total, unit->factor, &total) ||
        __builtin_add_overflow(total, part / divisor, &total))
        return err_set(err, ERR_USAGE, "\"%s\" is too large", text);
    *value = total;
    return true;
}

bool
units_parse_duration(const char *text, int64_t *value_us, struct err *err)
{
    int64_t parsed_us;

    if (!parse_with_unit(text, duration_units, &parsed_us, "duration", err)) {
        err_hint(err, "write a duration as 250us, 500ms, 90s, 5m or 1h");
        return false;
    }
    if (parsed_us > DURATION_US_MAX)
        return err_set(err, ERR_USAGE, "\"%s\" is above 8760h", text);
    *value_us = parsed_us;
    return true;
}

bool
units_parse_size(const char *text, int64_t *bytes, struct err *err)
{
    if (!parse_with_unit(text, size_units, bytes, "size", err)) {
        err_hint(err, "write a size as 8192B, 512kB, 64MB, 1GB or 2TB");
        return false;
    }
    return true;
}

char *
units_exact_int(char text[UNITS_TEXT_SIZE], int64_t value)
{
    snprintf(text, UNITS_TEXT_SIZE, "%lld", (long long)value);
    return text;
}

/* In the largest unit of which the value is a whole number. */
static char *
write_exactly(char text[UNITS_TEXT_SIZE], int64_t value, const struct unit *units)
{
    const struct unit *best = units;

    must(value >= 0);
    if (value == 0)
        return units_exact_int(text, 0);
    for (const struct unit *unit = units; unit->name; unit++) {
        if (value % unit->factor == 0)
            best = unit;
    }
    snprintf(text, UNITS_TEXT_SIZE, "%lld%s", (long long)(value / best->factor), best->name);
    return text;
}

char *
units_exact_duration(char text[UNITS_TEXT_SIZE], int64_t us)
{
    return write_exactly(text, us, duration_units);
}

char *
units_exact_size(char text[UNITS_TEXT_SIZE], int64_t bytes)
{
    return write_exactly(text, bytes, size_units);
}

static uint64_t
magnitude(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

static uint64_t
divide_rounded(uint64_t value, uint64_t divisor)
{
    return value / divisor + (value % divisor >= divisor - value % divisor);
}

/* Three digits of value / unit and the unit's name, when that rounds to less than limit. */
static bool
three_digits(char text[UNITS_TEXT_SIZE], const char *sign, uint64_t value, uint64_t unit,
             uint64_t limit, const char *name)
{
    uint64_t power = 100;

    for (int decimals = 2; decimals >= 0; decimals--, power /= 10) {
        uint64_t scaled = divide_rounded(value, unit / power);
        if (scaled >= 1000 || scaled >= limit * power)
            continue;
        if (decimals == 0)
            snprintf(text, UNITS_TEXT_SIZE, "%s%u%s", sign, (unsigned)scaled, name);
        else
            snprintf(text, UNITS_TEXT_SIZE, "%s%u.%0*u%s", sign, (unsigned)(scaled / power),
                     decimals, (unsigned)(scaled % power), name);
        return true;
    }
    return false;
}

char *
units_duration(char text[UNITS_TEXT_SIZE], int64_t us)
{
    uint64_t value = magnitude(us);
    const char *sign = us < 0 ? "-" : "";

    if (value < 1000) {
        snprintf(text, UNITS_TEXT_SIZE, "%s%uus", sign, (unsigned)value);
        return text;
    }
    if (three_digits(text, sign, value, 1000, 1000, "ms") ||
        three_digits(text, sign, value, 1000000, 60, "s"))
        return text;
    uint64_t seconds = divide_rounded(value, 1000000);
    uint64_t minutes = divide_rounded(value, 60000000);
    if (seconds < 3600)
        snprintf(text, UNITS_TEXT_SIZE, "%s%um%02us", sign, (unsigned)(seconds / 60),
                 (unsigned)(seconds % 60));
    else
        snprintf(text, UNITS_TEXT_SIZE, "%s%lluh%02um", sign, (unsigned long long)(minutes / 60),
                 (unsigned)(minutes % 60));
    return text;
}

char *
units_clock(char text[UNITS_TEXT_SIZE], int64_t us)
{
    uint64_t seconds = magnitude(us) / 1000000;
    unsigned minute = (unsigned)(seconds / 60 % 60);
    unsigned second = (unsigned)(seconds % 60);
    const char *sign = us < 0 && seconds > 0 ? "-" : "";

    if (seconds < 3600)
        snprintf(text, UNITS_TEXT_SIZE, "%s%u:%02u", sign, minute, second);
    else
        snprintf(text, UNITS_TEXT_SIZE, "%s%llu:%02u:%02u", sign,
                 (unsigned long long)(seconds / 3600), minute, second);
    return text;
}

char *
units_size(char text[UNITS_TEXT_SIZE], int64_t bytes)
{
    static const char *const names[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    uint64_t value = magnitude(bytes);
    const char *sign = bytes < 0 ? "-" : "";

    if (value < 10240) { /* as pg_size_pretty: small sizes are told exactly */
        snprintf(text, UNITS_TEXT_SIZE, "%s%u B", sign, (unsigned)value);
        return text;
    }
    uint64_t unit = 1024;
    size_t i = 0;
    while (i + 1 < sizeof names / sizeof *names && divide_rounded(value, unit) >= 1024) {
        unit *= 1024;
        i++;
    }
    double number = (double)value / (double)unit;
    snprintf(text, UNITS_TEXT_SIZE, "%s%.*f %s", sign, number < 9.95 ? 1 : 0, number, names[i]);
    return text;
}

char *
units_count(char text[UNITS_TEXT_SIZE], int64_t count)
{
    char digits[UNITS_TEXT_SIZE];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)magnitude(count));
    char *to = text;

    if (count < 0)
        *to++ = '-';
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return text;
}

char *
units_rate(char text[UNITS_TEXT_SIZE], double per_minute)
{
    return units_count(text, (int64_t)per_minute);
}

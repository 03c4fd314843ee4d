/* Numbers as people write and read them. The process never calls setlocale, so strtod and printf
 * keep to the C locale whatever LC_ALL says. All parsers refuse empty text, trailing characters
 * and overflow, and name the text in the error (code ERR_USAGE). */
#ifndef ORDERMILL_COMMON_UNITS_H
#define ORDERMILL_COMMON_UNITS_H

#include <stdint.h>

#include "common/err.h"

MUST_CHECK bool units_parse_int(const char *text, int64_t *value, struct err *err);
MUST_CHECK bool units_parse_real(const char *text, double *value, struct err *err); /* finite */
/* "250us" "500ms" "90s" "5m" "1h" "1.5s"; a bare number is refused, except 0, and so is a fraction
 * finer than 1 us. At most 8760h. */
MUST_CHECK bool units_parse_duration(const char *text, int64_t *value_us, struct err *err);
/* "512kB" "64MB" "1GB" "2TB" (powers of 1024, as PostgreSQL writes them), "8192B"; a bare
 * number is refused, except 0. */
MUST_CHECK bool units_parse_size(const char *text, int64_t *bytes, struct err *err);

#define UNITS_TEXT_SIZE 32
/* As short as it can be and still be parsed to the same value (not negative): "90s" "2h" "0",
 * "8GB" "8193B", "42". */
char *units_exact_duration(char text[UNITS_TEXT_SIZE], int64_t us);
char *units_exact_size(char text[UNITS_TEXT_SIZE], int64_t bytes);
char *units_exact_int(char text[UNITS_TEXT_SIZE], int64_t value);
/* For people, rounded. Each writes into text and returns it. */
char *units_duration(char text[UNITS_TEXT_SIZE],
                     int64_t us); /* "850us" "12.3ms" "4.56s" "3m20s" "1h05m" */
char *units_clock(char text[UNITS_TEXT_SIZE], int64_t us);    /* "0:07" "12:45" "1:02:03" */
char *units_size(char text[UNITS_TEXT_SIZE], int64_t bytes);  /* "8192 B" "123 MB" "1.2 TB" */
char *units_count(char text[UNITS_TEXT_SIZE], int64_t count); /* "1,234,567" */
/* A throughput: as units_count, cut and never rounded, as TPC-C 5.4.4 has it. */
char *units_rate(char text[UNITS_TEXT_SIZE], double per_minute);

#endif

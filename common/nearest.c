/* How far two words are apart. */
#include "common/nearest.h"

#include <string.h>

#include "common/err.h"

#define NAME_LENGTH_MAX 64

/* The number of letters to insert, delete or replace (Levenshtein 1966). */
static size_t
edit_distance(const char *a, const char *b)
{
    size_t a_length = strlen(a), b_length = strlen(b);
    size_t row[NAME_LENGTH_MAX + 1];

    must(b_length <= NAME_LENGTH_MAX);
    for (size_t j = 0; j <= b_length; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
            size_t shorter = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = replaced < shorter ? replaced : shorter;
        }
    }
    return row[b_length];
}

void
nearest_suggest(const char *given, const char *name, const char **nearest, size_t *distance_min)
{
    size_t distance = edit_distance(given, name);

    if (distance < *distance_min && distance <= strlen(name) / 3 + 1) {
        *nearest = name;
        *distance_min = distance;
    }
}

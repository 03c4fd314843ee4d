/* The one screen that a terminal shows while a profile runs: where it is, how long it takes, the
 * curve so far, what the last steps gave. Pure: a state becomes lines of text; who draws them is
 * log.c's. */
#ifndef ORDERMILL_PROFILES_SCREEN_H
#define ORDERMILL_PROFILES_SCREEN_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buf.h"

#define SCREEN_LAST_MAX 4

struct screen_level {
    int virtual_users;
    double rate; /* mean so far */
};

struct screen {
    const char *name;  /* of the profile */
    int step, steps;   /* n of m */
    const char *load;  /* "8 virtual users, repeat 2" */
    const char *phase; /* "measuring" */
    int64_t in_phase_us;
    int64_t phase_us;                  /* its length; 0: it has none */
    int64_t done_us, left_us;          /* of the whole profile */
    bool at_most;                      /* left, and steps */
    double rate;                       /* of the last second... */
    const char *unit;                  /* ...in "NOPM", or "TPM" without new-orders; of all rates */
    int64_t new_order_p95_us;          /* of the last second; 0: none ended; -1: there are none */
    uint64_t failed;                   /* in this step */
    const struct screen_level *levels; /* ascending */
    int levels_count, virtual_users;   /* of the current step: its bar is marked */
    const char *last[SCREEN_LAST_MAX]; /* what the last steps gave, the latest first */
    int last_count;
};

/* Appends at most height - 1 lines of at most width - 1 columns, parted by newlines, so that a
 * terminal of that size neither wraps nor scrolls. Of many levels those next to the current one are
 * shown. */
void screen_render(const struct screen *screen, int width, int height, struct buf *out);

#endif

/* The rows of a level, second by second, as they are collected. */
#ifndef ORDERMILL_DRIVER_SECONDS_H
#define ORDERMILL_DRIVER_SECONDS_H

#include "driver/meter.h"

struct seconds {
    struct second *rows;
    int count, capacity;
};

/* Adds what ended between two flips. at_s is 0 for rows before the origin, see below. */
struct second *seconds_add(struct seconds *seconds, enum phase phase, int32_t at_s,
                           const struct meter_half *half);
/* The last virtual user runs: the rows so far become ..., -2, -1. */
void seconds_set_origin(struct seconds *seconds);
/* Moves the rows into the arena, and gives up its own memory. */
struct second *seconds_keep(struct seconds *seconds, struct arena *arena, int *count);

#endif

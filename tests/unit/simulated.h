/* A clock for event loops: time passes only while nobody has anything to do. */
#ifndef ORDERMILL_TESTS_SIMULATED_H
#define ORDERMILL_TESTS_SIMULATED_H

#include "common/loop.h"

extern int64_t simulated_us; /* now; whoever begins at a time of his own sets it */
extern const struct loop_clock simulated_clock;

#endif

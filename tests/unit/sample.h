/* Runs made up for the tests of verdicts and reports: the same every time, sound in every respect,
 * so that a test breaks the one thing it is about. */
#ifndef ORDERMILL_TESTS_SAMPLE_H
#define ORDERMILL_TESTS_SAMPLE_H

#include "common/result.h"

struct sample {
    const int *ladder;
    int levels, repeats;
    int measure_s, ramp_up_s; /* measure_s 0: 20 after 2 */
    int warehouses;           /* 0: 4 */
    const char *database;     /* its name, hostile or not; NULL: "bench" */
};

/* A step that deserves PASS everywhere when its window is 300 s or more. */
void sample_step(struct arena *arena, struct step *step, int virtual_users, int measure_s);
/* A whole run: throughput follows the scalability law with its peak near 15 virtual users, and a
 * scatter of about 1 %; environment and all twelve conditions are filled in. */
void sample_run(struct arena *arena, struct run *run, const struct sample *wanted);

#endif

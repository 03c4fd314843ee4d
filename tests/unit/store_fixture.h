/* A run folder of a test alone, for the tests of the run store. */
#ifndef ORDERMILL_TESTS_STORE_FIXTURE_H
#define ORDERMILL_TESTS_STORE_FIXTURE_H

#include "common/store.h"

struct fixture {
    struct arena arena;
    char folder[64]; /* empty, removed at the end */
};

/* For cmocka: the state is a struct fixture. */
int fixture_set_up(void **state);
int fixture_tear_down(void **state);

/* What a run begins with, each text and number told from what is left out. */
struct run fixture_run(void);
/* The store of that run, to be closed. */
struct store *fixture_created(struct fixture *f);
/* What the folder holds, read by a store of its own. */
void fixture_read_back(struct fixture *f, struct run *run);

#endif

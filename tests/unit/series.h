/* Made-up series and samples for the tests of the statistics: the same every time. */
#ifndef ORDERMILL_TESTS_SERIES_H
#define ORDERMILL_TESTS_SERIES_H

#include "common/rng.h"

/* Mean 0, standard deviation 1. */
double series_normal(struct rng *rng);
/* `count` values of mean 0 and standard deviation 1, of which neighbours are correlated by rho:
 * independent for 0. */
void series_ar1(struct rng *rng, double rho, double *values, int count);

#endif

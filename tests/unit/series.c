/* Normal deviates by the polar method (Marsaglia), and first-order autoregressive series. */
#include "tests/unit/series.h"

#include <math.h>

double
series_normal(struct rng *rng)
{
    double u, v, s;

    do {
        u = 2 * rng_real(rng) - 1;
        v = 2 * rng_real(rng) - 1;
        s = u * u + v * v;
    } while (s >= 1 || s <= 0);
    return u * sqrt(-2 * log(s) / s);
}

void
series_ar1(struct rng *rng, double rho, double *values, int count)
{
    double innovation = sqrt(1 - rho * rho);

    for (int i = 0; i < count; i++)
        values[i] =
            i == 0 ? series_normal(rng) : rho * values[i - 1] + innovation * series_normal(rng);
}

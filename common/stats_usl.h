/* The Universal Scalability Law (Gunther), and whether measured points bear a peak. Pure. */
#ifndef ORDERMILL_COMMON_STATS_USL_H
#define ORDERMILL_COMMON_STATS_USL_H

#include <stdbool.h>
#include <stddef.h>

#include "common/stats.h"

/* What a claimed peak needs. */
#define STATS_USL_LOADS_MIN    5
#define STATS_USL_RESIDUAL_MAX 0.05 /* root mean square of the relative residuals */
#define STATS_USL_REACH_MAX    2.0  /* n_star against the largest measured load */

/* The Universal Scalability Law X(N) = lambda N / (1 + sigma (N-1) + kappa N (N-1)), three
 * parameters, weighted least squares, sigma and kappa not negative (Gunther). */
struct stats_usl {
    bool fitted;  /* there were points enough to fit */
    bool claimed; /* a peak may be claimed */
    double lambda, sigma, kappa;
    double lambda_se, sigma_se, kappa_se; /* 0 for what lies at its bound */
    struct stats_interval lambda_interval, sigma_interval, kappa_interval; /* 95 % */
    double residual_rms, residual_max; /* relative, of the throughputs */
    double most;                       /* the largest load measured */
    /* A peak only when claimed: */
    double n_star; /* sqrt((1-sigma)/kappa); 0 where there is none */
    double x_star; /* throughput there */
    struct stats_interval n_star_interval, x_star_interval; /* 95 %, by the delta method on logs */
    const char *reason;                                     /* why no peak is claimed, or "" */
};
/* loads, throughputs: `count` points; weights may be NULL (all 1). */
struct stats_usl stats_usl_fit(const double *loads, const double *throughputs,
                               const double *weights, size_t count);
/* The law at that load; NAN beyond STATS_USL_REACH_MAX times the largest measured one, where the
 * fit says nothing. */
double stats_usl_value(const struct stats_usl *fit, double load);

#endif

/* The table of the straight lines through the runs of each curve. */
#include "reports/fits.h"
#include "reports/tables.h"

#define COLUMNS(array) (array), sizeof(array) / sizeof(array)[0]

struct table *
tables_fits(const struct run *run, const struct analysis *analysis, struct arena *arena)
{
    static const struct table_column columns[] = {
        {"curve", "curve", COLUMN_LEFT, 0, NULL},
        {"name", "name", COLUMN_LEFT | COLUMN_RAW, 0, NULL},
        {"title", "straight line", COLUMN_LEFT, 0, NULL},
        {"runs", "runs", COLUMN_PLAIN, 0, NULL},
        {"slope_us", "slope", 0, 3, "\xc2\xb5s"},
        {"slope_low_us", "95 % interval, from", 0, 3, "\xc2\xb5s"},
        {"slope_high_us", "to", 0, 3, "\xc2\xb5s"},
        {"intercept_us", "at no load", 0, 1, "\xc2\xb5s"},
        {"intercept_low_us", "95 % interval, from", 0, 1, "\xc2\xb5s"},
        {"intercept_high_us", "to", 0, 1, "\xc2\xb5s"},
        {"r_squared", "R\xc2\xb2", 0, 3, NULL},
    };
    struct table *table =
        table_make(arena, "fits", "fit", COLUMNS(columns), (size_t)analysis->curves_count * FITS);
    (void)run;

    for (int i = 0; i < analysis->curves_count; i++)
        for (int kind = 0; kind < FITS; kind++) {
            const struct stats_line *line = &analysis->curves[i].fits[kind];
            if (!line->slope_interval.valid)
                continue;
            struct stats_interval at_no_load = stats_line_interval(line, 0, ANALYSIS_LEVEL);
            table_row(table, NULL);
            table_word(table, analysis->curves[i].title);
            table_word(table, fit_names[kind]);
            table_word(table, fit_titles[kind]);
            table_count(table, (int64_t)(line->freedom + 2));
            table_real(table, line->slope);
            table_real(table, line->slope_interval.low);
            table_real(table, line->slope_interval.high);
            table_real(table, line->intercept);
            table_real(table, at_no_load.low);
            table_real(table, at_no_load.high);
            table_real(table, line->explained);
        }
    return table;
}

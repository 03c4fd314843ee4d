/* write_population FOLDER WAREHOUSES SEED: the bytes that `ordermill load` sends, in files
 * FOLDER/TABLE.WAREHOUSE, so that others can send the same ones without making them. */
#include <stdio.h>
#include <stdlib.h>

#include "common/pgcopy.h"
#include "loader/gen.h"

enum { PIECE_SIZE = 1024 * 1024 };

static void
write_piece(FILE *file, struct buf *piece)
{
    if (fwrite(piece->data, 1, piece->length, file) != piece->length) {
        perror("write_population");
        exit(1);
    }
    buf_clear(piece);
}

static void
write_table(const char *folder, const struct gen_plan *plan, enum gen_table table, int warehouse)
{
    char path[4096];
    struct gen gen;
    struct buf piece = {0};

    snprintf(path, sizeof path, "%s/%s.%d", folder, gen_table_name(table), warehouse);
    FILE *file = fopen(path, "wx");
    if (!file) {
        perror(path);
        exit(1);
    }
    gen_start(&gen, plan, table, warehouse);
    pgcopy_begin(&piece);
    while (gen_rows(&gen, &piece, PIECE_SIZE) > 0)
        write_piece(file, &piece);
    pgcopy_end(&piece);
    write_piece(file, &piece);
    if (fclose(file) != 0) {
        perror(path);
        exit(1);
    }
    buf_free(&piece);
}

int
main(int argc, char **argv)
{
    if (argc != 4) {
        fputs("usage: write_population FOLDER WAREHOUSES SEED\n", stderr);
        return 2;
    }
    int warehouses = (int)strtol(argv[2], NULL, 10);
    struct gen_plan plan = {.seed = strtoull(argv[3], NULL, 10)};

    plan.c_load = workload_c_load(plan.seed);
    plan.loaded_at_us = INT64_C(1767225600000000); /* 2026-01-01 00:00 UTC */
    write_table(argv[1], &plan, GEN_ITEM, 0);
    for (int warehouse = 1; warehouse <= warehouses; warehouse++) {
        for (int table = GEN_WAREHOUSE; table < GEN_TABLES; table++)
            write_table(argv[1], &plan, (enum gen_table)table, warehouse);
    }
    return 0;
}

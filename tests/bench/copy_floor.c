/* copy_floor stdin|file FOLDER WAREHOUSES JOBS SCHEMA: the least that loading can cost. Sends the
 * files of write_population over JOBS connections with nothing but libpq, through COPY FROM STDIN;
 * or lets the server read them itself. One transaction per warehouse, as the kit does. */
#include <libpq-fe.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE_SIZE = 128 * 1024, JOBS_MAX = 64 };

static const char *const tables[] = {"warehouse", "district",  "customer",   "history",
                                     "orders",    "new_order", "order_line", "stock"};
static const char *folder, *schema;
static bool from_stdin;
static int warehouses;
static atomic_int next_warehouse;

static void
fail(const char *what, const char *why)
{
    fprintf(stderr, "copy_floor: %s: %s\n", what, why);
    exit(1);
}

static void
run(PGconn *conn, const char *sql, ExecStatusType expected)
{
    PGresult *result = PQexec(conn, sql);

    if (PQresultStatus(result) != expected)
        fail(sql, PQerrorMessage(conn));
    PQclear(result);
}

static void
send_file(PGconn *conn, const char *path)
{
    static _Thread_local char piece[PIECE_SIZE];
    FILE *file = fopen(path, "r");
    size_t length;

    if (!file)
        fail(path, "cannot be opened");
    setvbuf(file, NULL, _IONBF, 0);
    while ((length = fread(piece, 1, sizeof piece, file)) > 0) {
        if (PQputCopyData(conn, piece, (int)length) != 1)
            fail(path, PQerrorMessage(conn));
    }
    fclose(file);
    if (PQputCopyEnd(conn, NULL) != 1)
        fail(path, PQerrorMessage(conn));
    for (PGresult *result; (result = PQgetResult(conn)); PQclear(result)) {
        if (PQresultStatus(result) != PGRES_COMMAND_OK)
            fail(path, PQerrorMessage(conn));
    }
}

static void
copy_table(PGconn *conn, const char *table, int warehouse)
{
    char path[4096], sql[8192];

    snprintf(path, sizeof path, "%s/%s.%d", folder, table, warehouse);
    if (from_stdin) {
        snprintf(sql, sizeof sql, "COPY %s.%s FROM STDIN (FORMAT binary)", schema, table);
        run(conn, sql, PGRES_COPY_IN);
        send_file(conn, path);
        return;
    }
    snprintf(sql, sizeof sql, "COPY %s.%s FROM '%s' (FORMAT binary)", schema, table, path);
    run(conn, sql, PGRES_COMMAND_OK);
}

static void *
work(void *argument)
{
    PGconn *conn = PQconnectdb("");
    int warehouse;

    if (PQstatus(conn) != CONNECTION_OK)
        fail("connecting", PQerrorMessage(conn));
    while ((warehouse = atomic_fetch_add(&next_warehouse, 1)) <= warehouses) {
        run(conn, "BEGIN", PGRES_COMMAND_OK);
        run(conn, "SET LOCAL synchronous_commit = off", PGRES_COMMAND_OK);
        if (warehouse == 0)
            copy_table(conn, "item", 0);
        else
            for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
                copy_table(conn, tables[i], warehouse);
        run(conn, "COMMIT", PGRES_COMMAND_OK);
    }
    PQfinish(conn);
    return argument;
}

int
main(int argc, char **argv)
{
    pthread_t threads[JOBS_MAX];

    if (argc != 6) {
        fputs("usage: copy_floor stdin|file FOLDER WAREHOUSES JOBS SCHEMA\n", stderr);
        return 2;
    }
    from_stdin = strcmp(argv[1], "stdin") == 0;
    folder = argv[2];
    warehouses = (int)strtol(argv[3], NULL, 10);
    int jobs = (int)strtol(argv[4], NULL, 10);
    schema = argv[5];
    if (jobs < 1 || jobs > JOBS_MAX)
        fail(argv[4], "jobs must be 1 to 64");
    for (int i = 0; i < jobs; i++) {
        if (pthread_create(&threads[i], NULL, work, NULL) != 0)
            fail("thread", "cannot be started");
    }
    for (int i = 0; i < jobs; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

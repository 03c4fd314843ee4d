/* Where initdb and postgres are. Debian keeps every major version in a folder of its own, outside
 * PATH. */
#include "server/installation.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/fs.h"

#define DEBIAN_PATTERN "/usr/lib/postgresql/*/bin"
#define TIMEOUT_US     INT64_C(10000000)
#define OUTPUT_LIMIT   4096

static bool
has_programs(struct arena *arena, const char *bindir)
{
    return access(fs_join(arena, bindir, "initdb"), X_OK) == 0 &&
           access(fs_join(arena, bindir, "postgres"), X_OK) == 0;
}

static const char *
newest_of_debian(struct arena *arena)
{
    const char *newest = NULL;
    double newest_version = -1;
    glob_t found;

    if (glob(DEBIAN_PATTERN, GLOB_NOSORT, NULL, &found) != 0)
        return NULL;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        double version = strtod(found.gl_pathv[i] + strlen("/usr/lib/postgresql/"), NULL);

        if (version > newest_version && has_programs(arena, found.gl_pathv[i])) {
            newest_version = version;
            newest = arena_strdup(arena, found.gl_pathv[i]);
        }
    }
    globfree(&found);
    return newest;
}

/* The first line a program prints, or NULL. */
static const char *
first_line(struct arena *arena, const char *program, const char *argument, struct err *err)
{
    const char *argv[] = {program, argument, NULL};
    struct buf output = {0};
    char *line = NULL;

    if (fs_run_program(argv, NULL, OUTPUT_LIMIT, TIMEOUT_US, &output, err)) {
        line = arena_strdup(arena, buf_text(&output));
        line[strcspn(line, "\n")] = '\0';
    }
    buf_free(&output);
    return line;
}

static const char *
on_path(struct arena *arena)
{
    struct err ignored;
    char *program = fs_find_program(arena, "initdb");

    if (program) {
        *strrchr(program, '/') = '\0';
        if (has_programs(arena, program))
            return program;
    }
    program = fs_find_program(arena, "pg_config");
    const char *bindir = program ? first_line(arena, program, "--bindir", &ignored) : NULL;
    return bindir && has_programs(arena, bindir) ? bindir : NULL;
}

/* "postgres (PostgreSQL) 15.20 (Debian ...)" */
static bool
read_version(struct installation *installation, struct arena *arena, struct err *err)
{
    const char *program = fs_join(arena, installation->bindir, "postgres");
    const char *line = first_line(arena, program, "--version", err);

    if (!line)
        return false;
    const char *version = strpbrk(line, "0123456789");
    if (!version)
        return err_set(err, ERR_LOCAL, "%s --version printed \"%s\"", program, line);
    installation->version = version;
    installation->version_major = (int)strtol(version, NULL, 10);
    return true;
}

static const char *
absolute(struct arena *arena, const char *path)
{
    char *resolved = realpath(path, NULL);
    const char *copy = arena_strdup(arena, resolved ? resolved : path);

    free(resolved);
    return copy;
}

bool
installation_find(struct installation *installation, struct arena *arena, const char *bindir,
                  struct err *err)
{
    if (bindir && !has_programs(arena, bindir))
        return err_set(err, ERR_LOCAL, "no initdb and postgres in %s", bindir);
    if (bindir) /* the supervisor works in another folder than the user */
        bindir = absolute(arena, bindir);
    if (!bindir)
        bindir = newest_of_debian(arena);
    if (!bindir)
        bindir = on_path(arena);
    if (!bindir) {
        err_set(err, ERR_LOCAL,
                "no PostgreSQL server is installed: looked in %s, on PATH and at pg_config",
                DEBIAN_PATTERN);
        err_hint(err, "as root: apt-get update && apt-get install postgresql");
        return false;
    }
    installation->bindir = arena_strdup(arena, bindir);
    return read_version(installation, arena, err);
}

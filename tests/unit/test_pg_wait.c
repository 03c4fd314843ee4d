/* Waiting for a server that accepts connections and never says a word. */
#include <setjmp.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/clock.h"
#include "common/interrupt.h"
#include "common/pg_wait.h"

struct mute {
    char folder[64], path[100];
    int listener;
    struct settings settings;
    struct pg_target *target;
};

static int
set_up(void **state)
{
    struct mute *mute = calloc(1, sizeof *mute);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct err err = {0};

    assert_non_null(mute);
    snprintf(mute->folder, sizeof mute->folder, "/tmp/ordermill-mute-XXXXXX");
    assert_non_null(mkdtemp(mute->folder));
    snprintf(mute->path, sizeof mute->path, "%s/.s.PGSQL.5432", mute->folder);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", mute->path);
    mute->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(mute->listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(mute->listener, 5), 0);
    settings_init(&mute->settings);
    assert_true(settings_set(&mute->settings, SET_HOST, mute->folder, SETTING_OPTION, &err));
    assert_true(settings_set(&mute->settings, SET_PORT, "5432", SETTING_OPTION, &err));
    assert_true(settings_set(&mute->settings, SET_USERNAME, "someone", SETTING_OPTION, &err));
    mute->target = pg_target_new(&mute->settings, &err);
    assert_non_null(mute->target);
    *state = mute;
    return 0;
}

static int
tear_down(void **state)
{
    struct mute *mute = *state;

    pg_target_free(mute->target);
    settings_free(&mute->settings);
    close(mute->listener);
    unlink(mute->path);
    rmdir(mute->folder);
    free(mute);
    return 0;
}

static void
patience_ends(void **state)
{
    struct mute *mute = *state;
    const struct pg_wait wait = {.patience_us = 50000};
    struct err err = {0};

    assert_null(pg_wait_connect(mute->target, "test", &wait, &err));
    assert_int_equal(err.code, ERR_CONNECTION);
    assert_string_equal(err.message, "no answer in 50ms");
}

static void
nobody_there_is_said_at_once(void **state)
{
    struct mute *mute = *state;
    const struct pg_wait wait = {.patience_us = INT64_C(3600000000)};
    struct err err = {0};

    unlink(mute->path);
    assert_null(pg_wait_connect(mute->target, "test", &wait, &err));
    assert_int_equal(err.code, ERR_CONNECTION);
    assert_non_null(strstr(err.message, "No such file or directory"));
}

/* The last test: a second signal would end this process. */
static void
a_signal_ends_the_wait(void **state)
{
    struct mute *mute = *state;
    struct pg_wait wait = {.patience_us = INT64_C(3600000000), .heeds_signals = true};
    struct err err = {0};

    interrupt_install();
    assert_int_equal(raise(SIGTERM), 0);
    assert_null(pg_wait_connect(mute->target, "test", &wait, &err));
    assert_int_equal(err.code, ERR_TERMINATED);
    wait = (struct pg_wait){.patience_us = 1000};
    assert_null(pg_wait_connect(mute->target, "test", &wait, &err));
    assert_string_equal(err.message, "no answer in 1ms");
}

/* Lets one client in, as a server without passwords does, and never answers it. */
static void *
let_in(void *argument)
{
    static const char welcome[] = "R\0\0\0\10\0\0\0\0Z\0\0\0\5I";
    const struct mute *mute = argument;
    char text[1024];
    int client = accept(mute->listener, NULL, NULL);

    if (client >= 0 && read(client, text, sizeof text) > 0 &&
        write(client, welcome, sizeof welcome - 1) == sizeof welcome - 1)
        while (read(client, text, sizeof text) > 0)
            continue;
    close(client);
    return NULL;
}

/* A blocking request that has a limit of its own: it is cancelled, and then the connection goes. */
static void
a_limit_of_answers_holds(void **state)
{
    struct mute *mute = *state;
    struct err err = {0};
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, let_in, mute), 0);
    struct pg *pg = pg_connect(mute->target, "test", &err);
    assert_non_null(pg);
    pg_answer_within(pg, 50000);
    int64_t begun_us = clock_monotonic_us();
    assert_false(pg_exec(pg, "SELECT 1", &err));
    int64_t took_us = clock_monotonic_us() - begun_us;
    assert_int_equal(err.code, ERR_CONNECTION);
    assert_string_equal(err.message, "no answer in 50ms");
    assert_true(took_us >= 50000 && took_us < 5000000);
    pg_close(pg);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_limit_of_answers_holds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(patience_ends, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nobody_there_is_said_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_signal_ends_the_wait, set_up, tear_down),
    };

    return cmocka_run_group_tests_name("pg_wait", tests, NULL, NULL);
}

/* A session against a scripted server, once with its calls through libpq and once past it: whatever
 * the server says, both must come to the same end, and to the right one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "driver/session.h"

#define PATIENCE_US INT64_C(20000000)

/* --- what the server says --------------------------------------------------------------------- */

#define BOUND            "2\0\0\0\4"
#define DESCRIBED        "T\0\0\0\x1e\0\1given\0\0\0\0\0\0\0\0\0\0\x17\0\4\xff\xff\xff\xff\0\1"
#define SEVEN            "D\0\0\0\x0e\0\1\0\0\0\4\0\0\0\7"
#define EIGHT            "D\0\0\0\x0e\0\1\0\0\0\4\0\0\0\x08"
#define NO_VALUE         "D\0\0\0\x0a\0\1\xff\xff\xff\xff"
#define COMPLETE         "C\0\0\0\x0dSELECT 1\0"
#define READY            "Z\0\0\0\5I"
#define NOTICE           "N\0\0\0\x16SNOTICE\0Mhearken\0\0"
#define SETTING          "S\0\0\0\x0eTimeZone\0\0"
#define NOTIFIED         "A\0\0\0\x0e\0\0\0\1abc\0x\0"
#define CONFLICT         "E\0\0\0\x1dSERROR\0C40001\0Mtry it\0D\0\0"
#define DEADLOCK         "E\0\0\0\x1aSERROR\0C40P01\0Mtwice\0\0"
#define UNKNOWN          "E\0\0\0\x1bSERROR\0C40003\0Mwho...\0\0"
#define OTHER            "E\0\0\0\x19SERROR\0C22012\0Mby\t0\0\0"
#define UNNAMED          "E\0\0\0\x1bSERROR\0C26000\0Mno one\0\0"
#define NAMELESS         "E\0\0\0\x11SERROR\0Mbad\0\0"
#define ODD_FATAL        "E\0\0\0\x18SFATAL\0C53300\0Mtoo\0\0"
#define SHUTDOWN         "E\0\0\0\x1eSFATAL\0C57P01\0Mgo away\0H\0\0"
#define ROLLBACK         "E\0\0\0\x44SERROR\0COM001\0Mno item\0Do_id=3001 c_last=BARBARBAR c_credit=GC\0\0"
#define ROLLBACK_UNSHOWN "E\0\0\0\x1fSERROR\0COM001\0Mno item\0D?\0\0"

struct say {
    const char *bytes;
    size_t size;
};
#define SAY(literal)                                                                               \
    {                                                                                              \
        (literal), sizeof(literal) - 1                                                             \
    }

enum { SAYS_MAX = 6 };
struct scene {
    /* One after the other, each behind what says that the call was bound; an empty one ends the
     * answer to a call, two of them all. */
    struct say says[SAYS_MAX];
    bool byte_by_byte;
    bool closes;      /* behind the last */
    bool rolls_back;  /* the call is a new-order that is to be rolled back */
    bool till_broken; /* the session's end is waited for, not the call's */
    const char *journal;
    bool words_differ; /* of the two clients: libpq has its own for this */
};

#define NEXT_CALL                                                                                  \
    {                                                                                              \
        "", 0                                                                                      \
    }

static const struct scene scenes[] = {
    {.says = {SAY(SEVEN COMPLETE READY)}, .journal = "ready; committed; "},
    {.says = {SAY(SEVEN COMPLETE READY)}, .byte_by_byte = true, .journal = "ready; committed; "},
    {.says = {SAY(NOTICE SEVEN SETTING), SAY(NOTIFIED COMPLETE READY NOTICE)},
     .journal = "ready; committed; "},
    {.says = {SAY(EIGHT COMPLETE READY)},
     .journal = "ready; failed, committed OM900 nothing: did not give back its argument; "},
    {.says = {SAY(NO_VALUE COMPLETE READY)},
     .journal = "ready; failed, committed OM900 nothing: did not give back its argument; "},
    {.says = {SAY(SEVEN SEVEN COMPLETE READY)},
     .journal = "ready; failed, committed OM900 nothing returned 2 rows instead of 1; "},
    {.says = {SAY(COMPLETE READY)},
     .journal = "ready; failed, committed OM900 nothing returned 0 rows instead of 1; "},
    {.says = {SAY(READY)}, .journal = "ready; failed 00000 no answer; "},
    {.says = {SAY(OTHER READY)}, .journal = "ready; failed 22012 by 0; "},
    {.says = {SAY(OTHER), SAY(READY)},
     .byte_by_byte = true,
     .journal = "ready; failed 22012 by 0; "},
    {.says = {SAY(UNNAMED READY)},
     .journal = "ready; failed 26000 no one; behind a connection pooler in transaction mode, run "
                "with --protocol extended; "},
    {.says = {SAY(UNKNOWN READY)}, .journal = "ready; lost 40003 who...; "},
    /* Of the COMMIT, when the row had been given already. */
    {.says = {SAY(SEVEN COMPLETE OTHER READY)}, .journal = "ready; failed 22012 by 0; "},
    /* Tried again. */
    {.says = {SAY(CONFLICT READY), NEXT_CALL, SAY(SEVEN COMPLETE READY)},
     .journal = "ready; retry 40001 try it; committed; "},
    {.says = {SAY(SEVEN COMPLETE CONFLICT READY), NEXT_CALL, SAY(DEADLOCK READY), NEXT_CALL,
              SAY(SEVEN COMPLETE READY)},
     .journal = "ready; retry 40001 try it; retry 40P01 twice; committed; "},
    /* As was intended. */
    {.says = {SAY(ROLLBACK READY)}, .rolls_back = true, .journal = "ready; rolled back; "},
    {.says = {SAY(ROLLBACK_UNSHOWN READY)},
     .rolls_back = true,
     .journal = "ready; failed OM900 new_order: a rollback without order, name and credit: "
                "\"?\"; "},
    {.says = {SAY(ROLLBACK READY)}, .journal = "ready; failed OM001 no item; "},
    /* The end of the session. */
    {.says = {SAY(SHUTDOWN)},
     .closes = true,
     .till_broken = true,
     .journal = "ready; lost 57P01 go away (SQLSTATE 57P01); broken 57P01 go away (SQLSTATE "
                "57P01); "},
    {.says = {SAY(SEVEN COMPLETE SHUTDOWN)},
     .closes = true,
     .till_broken = true,
     .journal = "ready; lost 57P01 go away (SQLSTATE 57P01); broken 57P01 go away (SQLSTATE "
                "57P01); "},
    /* Which libpq words as a loss of the connection, the SQLSTATE forgotten. */
    {.says = {SAY(ODD_FATAL)},
     .closes = true,
     .till_broken = true,
     .journal = "ready; lost ",
     .words_differ = true},
    {.says = {SAY(NAMELESS)},
     .closes = true,
     .till_broken = true,
     .journal = "ready; lost 00000 bad (SQLSTATE ); broken  bad (SQLSTATE ); "},
#define CLOSED                                                                                     \
    "server closed the connection unexpectedly; This probably means the server terminated "        \
    "abnormally; before or while processing the request."
    {.says = {SAY(SEVEN COMPLETE)},
     .closes = true,
     .till_broken = true,
     .journal = "ready; lost 00000 " CLOSED "; broken  " CLOSED "; "},
    {.says = {SAY("D\0\0\0\x0e\0\1")},
     .closes = true,
     .till_broken = true,
     .journal = "ready; lost 00000 " CLOSED "; broken  " CLOSED "; "},
    /* After the answer, in the same breath. */
    {.says = {SAY(SEVEN COMPLETE READY)},
     .closes = true,
     .till_broken = true,
     .journal = "ready; committed; broken  " CLOSED "; "},
    {.says = {SAY(SEVEN COMPLETE READY SHUTDOWN)},
     .closes = true,
     .till_broken = true,
     .journal = "ready; committed; broken  " CLOSED "; "},
    /* What is no answer, each with words of its own. */
    {.says = {SAY("2\0\0\0\3")},
     .till_broken = true,
     .journal = "ready; lost 00000 ",
     .words_differ = true},
    {.says = {SAY("D\xff\xff\xff\xff")},
     .till_broken = true,
     .journal = "ready; lost 00000 ",
     .words_differ = true},
    {.says = {SAY("!\0\0\0\4")},
     .till_broken = true,
     .journal = "ready; lost 00000 ",
     .words_differ = true},
    {.says = {SAY("D\0\0\0\x0e\0\1\0\0\0\5\0\0\0\7" COMPLETE READY)},
     .till_broken = true,
     .journal = "ready; lost 00000 ",
     .words_differ = true},
};

/* --- the server ------------------------------------------------------------------------------- */

struct server {
    char folder[64], path[100];
    int listener;
    struct settings settings;
    struct pg_target *target;
    const struct scene *scene;
};

static bool
read_all(int fd, char *bytes, size_t size)
{
    for (size_t got = 0; got < size;) {
        ssize_t some = recv(fd, bytes + got, size - got, 0);
        if (some <= 0)
            return false;
        got += (size_t)some;
    }
    return true;
}

/* The client may be gone already. */
static void
tell(int fd, const char *bytes, size_t size)
{
    (void)send(fd, bytes, size, MSG_NOSIGNAL);
}

#define TELL(fd, literal) tell(fd, literal, sizeof(literal) - 1)

/* Reads messages up to the next Sync; false at the end. */
static bool
read_request(int fd, bool *binds, bool *describes)
{
    char head[5], body[2000];

    *binds = *describes = false;
    while (read_all(fd, head, sizeof head)) {
        size_t size = (size_t)(unsigned char)head[3] * 256 + (unsigned char)head[4] - 4;
        if (size > sizeof body || !read_all(fd, body, size))
            return false;
        *binds |= head[0] == 'B';
        *describes |= head[0] == 'D';
        if (head[0] == 'S')
            return true;
    }
    return false;
}

static bool
greet(int fd)
{
    char head[4], body[2000];

    if (!read_all(fd, head, sizeof head))
        return false;
    size_t size = (size_t)(unsigned char)head[2] * 256 + (unsigned char)head[3] - 4;
    if (size > sizeof body || !read_all(fd, body, size))
        return false;
    TELL(fd, "R\0\0\0\x08\0\0\0\0"
             "K\0\0\0\x0c\0\0\0\1\0\0\0\2" READY);
    return true;
}

static void
say(int fd, const struct say *say, bool byte_by_byte)
{
    for (size_t i = 0; byte_by_byte && i < say->size; i++)
        tell(fd, say->bytes + i, 1);
    if (!byte_by_byte)
        tell(fd, say->bytes, say->size);
}

/* Returns where the answer to the next call begins. */
static int
answer(int fd, const struct scene *scene, int next, bool describes)
{
    TELL(fd, BOUND);
    if (describes)
        TELL(fd, DESCRIBED);
    for (; next < SAYS_MAX && scene->says[next].size > 0; next++) {
        say(fd, &scene->says[next], scene->byte_by_byte);
        usleep(2000); /* so that the client reads them one by one, most of the time */
    }
    return next + 1;
}

static void *
serve(void *context)
{
    const struct server *server = context;
    int fd = accept(server->listener, NULL, NULL), next = 0;
    bool binds, describes, goes_on = fd >= 0 && greet(fd);

    while (goes_on && read_request(fd, &binds, &describes)) {
        if (!binds) {
            TELL(fd, "1\0\0\0\4" READY);
            continue;
        }
        next = answer(fd, server->scene, next, describes);
        bool last = next >= SAYS_MAX || server->scene->says[next].size == 0;
        goes_on = !(last && server->scene->closes);
    }
    close(fd);
    return NULL;
}

static int
set_up(void **state)
{
    struct server *server = calloc(1, sizeof *server);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct err err = {0};

    assert_non_null(server);
    snprintf(server->folder, sizeof server->folder, "/tmp/ordermill-scene-XXXXXX");
    assert_non_null(mkdtemp(server->folder));
    snprintf(server->path, sizeof server->path, "%s/.s.PGSQL.5432", server->folder);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", server->path);
    server->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(server->listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(server->listener, 5), 0);
    settings_init(&server->settings);
    assert_true(settings_set(&server->settings, SET_HOST, server->folder, SETTING_OPTION, &err));
    assert_true(settings_set(&server->settings, SET_PORT, "5432", SETTING_OPTION, &err));
    assert_true(settings_set(&server->settings, SET_USERNAME, "someone", SETTING_OPTION, &err));
    assert_true(settings_set(&server->settings, SET_DBNAME, "somewhere", SETTING_OPTION, &err));
    server->target = pg_target_new(&server->settings, &err);
    assert_non_null(server->target);
    *state = server;
    return 0;
}

static int
tear_down(void **state)
{
    struct server *server = *state;

    pg_target_free(server->target);
    settings_free(&server->settings);
    close(server->listener);
    unlink(server->path);
    rmdir(server->folder);
    free(server);
    return 0;
}

/* --- the session ------------------------------------------------------------------------------ */

struct client {
    const struct scene *scene;
    struct loop *loop;
    struct txn_input input;
    bool was_direct;
    char journal[2000];
};

static void PRINTF_LIKE(2, 3) note(struct client *client, const char *format, ...)
{
    size_t length = strlen(client->journal);
    va_list ap;

    va_start(ap, format);
    vsnprintf(client->journal + length, sizeof client->journal - length, format, ap);
    va_end(ap);
}

static void
on_ready(struct session *session)
{
    struct client *client = session->owner;

    note(client, "ready; ");
    client->was_direct = session->is_direct;
    session_run(session, &client->input);
}

static void
on_retry(struct session *session, const char *sqlstate, const char *message)
{
    note(session->owner, "retry %s %s; ", sqlstate, message);
}

static void
on_ended(struct session *session, const struct session_result *result)
{
    static const char *const outcomes[OUTCOMES] = {
        [OUTCOME_COMMITTED] = "committed",
        [OUTCOME_ROLLED_BACK] = "rolled back",
        [OUTCOME_FAILED] = "failed",
        [OUTCOME_LOST] = "lost",
    };
    struct client *client = session->owner;

    note(client, "%s", outcomes[result->outcome]);
    if (result->outcome == OUTCOME_FAILED || result->outcome == OUTCOME_LOST)
        note(client, "%s %s %s", result->committed ? ", committed" : "", result->sqlstate,
             result->message);
    note(client, "; ");
    if (!client->scene->till_broken)
        loop_stop(client->loop);
}

static void
on_lost(struct session *session, const struct err *err)
{
    note(session->owner, "lost again and again %s; ", err->message);
}

static void
on_broken(struct session *session, const struct err *err)
{
    struct client *client = session->owner;

    assert_int_equal(err->code, ERR_CONNECTION);
    note(client, "broken %s %s; ", err->sqlstate, err->message);
    loop_stop(client->loop);
}

static void
on_patience(struct loop_timer *timer)
{
    (void)timer;
    fail_msg("nothing came of it");
}

static const struct session_events events = {
    .ready = on_ready, .retry = on_retry, .ended = on_ended, .lost = on_lost, .broken = on_broken};

static void
play(struct server *server, const struct scene *scene, bool libpq_alone, struct client *client)
{
    const struct driver_options options = {
        .call = "functions", .protocol = "prepared", .schema = "ordermill"};
    static struct session session;
    struct loop_timer patience = {.fire = on_patience};
    struct session_rules rules;
    struct arena arena = {0};
    struct rng rng;
    struct err err;
    pthread_t thread;

    *client = (struct client){.scene = scene, .loop = loop_new(NULL, &err)};
    assert_non_null(client->loop);
    client->input.type = scene->rolls_back ? TXN_NEW_ORDER : TXN_NULL;
    if (scene->rolls_back)
        client->input.of.new_order = (struct new_order_input){
            .warehouse = 1, .district = 1, .customer = 1, .rolls_back = true, .lines_count = 5};
    else
        client->input.of.probe.warehouse = 7;
    server->scene = scene;
    assert_int_equal(pthread_create(&thread, NULL, serve, server), 0);
    session_rules_init(&rules, &arena, server->target, &options);
    rules.libpq_alone = libpq_alone;
    rng_seed(&rng, 1, RNG_SCHEDULE, 0);
    session_init(&session, &rules, &events, client, client->loop, rng);
    loop_timer_set(client->loop, &patience, loop_now_us(client->loop) + PATIENCE_US);
    session_connect(&session);
    loop_run(client->loop);
    loop_timer_clear(client->loop, &patience);
    session_close(&session);
    assert_int_equal(pthread_join(thread, NULL), 0);
    loop_free(client->loop);
    arena_free(&arena);
}

/* libpq's last attempt, on a socket that it has closed itself, adds nothing to the reason. */
static void
drop_afterthoughts(char *journal)
{
    static const char afterthought[] = "; invalid socket";
    const size_t size = sizeof afterthought - 1;

    for (char *at; (at = strstr(journal, afterthought));)
        memmove(at, at + size, strlen(at + size) + 1);
}

static void
both_clients_come_to_the_same_end(void **state)
{
    static struct client direct, libpq;

    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        const struct scene *scene = &scenes[i];
        play(*state, scene, false, &direct);
        play(*state, scene, true, &libpq);
        assert_true(direct.was_direct);
        assert_false(libpq.was_direct);
        drop_afterthoughts(libpq.journal);
        if (scene->words_differ) {
            assert_memory_equal(direct.journal, scene->journal, strlen(scene->journal));
            assert_memory_equal(libpq.journal, scene->journal, strlen(scene->journal));
            assert_non_null(strstr(direct.journal, "; broken "));
            assert_non_null(strstr(libpq.journal, "; broken "));
        } else {
            assert_string_equal(direct.journal, scene->journal);
            assert_string_equal(libpq.journal, scene->journal);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(both_clients_come_to_the_same_end, set_up, tear_down),
    };

    return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}

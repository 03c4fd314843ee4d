/* Calls without libpq, against scripted bytes of a server: whole, cut at every byte, too long,
 * malformed, and mixed with what a server may say at any time. Each piece is given in memory of its
 * own size, so that a sanitizer sees a byte read too many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "driver/direct.h"

#define BOUND    "2\0\0\0\4"
#define ROW      "D\0\0\0\x12\0\2\0\0\0\4\0\0\0\7\xff\xff\xff\xff"
#define COMPLETE "C\0\0\0\x0dSELECT 1\0"
#define READY    "Z\0\0\0\5I"
#define NOTICE   "N\0\0\0\x16SNOTICE\0Mhearken\0\0"
#define SETTING  "S\0\0\0\x0eTimeZone\0\0"
#define NOTIFIED "A\0\0\0\x0c\0\0\0\1abc\0"
#define ERROR    "E\0\0\0\x1dSERROR\0C40001\0Mtry\nit\0D\0\0"
#define FATAL    "E\0\0\0\x20SFATAL\0C57P01\0Mgo away\0Hso\0\0"

#define ANSWER BOUND ROW COMPLETE READY

/* The pieces stay until the end of a test, as the answer's values lead into the last one. */
static char *pieces[4096];
static int pieces_count;

static int
forget_pieces(void **state)
{
    (void)state;
    while (pieces_count > 0)
        free(pieces[--pieces_count]);
    return 0;
}

static enum direct_state
give(struct direct *direct, const char *bytes, size_t size, struct err *err)
{
    assert_true(pieces_count < (int)(sizeof pieces / sizeof *pieces));
    char *piece = malloc(size);
    assert_non_null(piece);
    memcpy(piece, bytes, size);
    pieces[pieces_count++] = piece;
    return direct_take(direct, piece, size, err);
}

#define GIVE(direct, literal, err) give(direct, literal, sizeof(literal) - 1, err)

static struct direct direct;

static struct direct *
asked(void)
{
    const char *const values[] = {"\0\0\0\7"};
    const int sizes[] = {4};
    const struct pg_call call = {.statement = "s", .count = 1, .values = values, .sizes = sizes};
    const char *from;

    memset(&direct, 0x5a, sizeof direct);
    direct_begin(&direct);
    direct_ask(&direct, &call);
    direct_was_sent(&direct, direct_unsent(&direct, &from));
    return &direct;
}

static void
assert_seven_and_null(const struct direct *of)
{
    const struct reply *reply = &of->answer.reply;
    int number;

    assert_int_equal(of->answer.state, ANSWER_OK);
    assert_false(of->answer.too_long);
    assert_int_equal(reply->rows, 1);
    assert_int_equal(reply->columns, 2);
    assert_true(wire_get_int(reply->values[0], &number));
    assert_int_equal(number, 7);
    assert_int_equal(reply->values[1].size, -1);
}

static void
a_request_is_sent_in_pieces(void **state)
{
    const char *from, *begin;
    (void)state;

    memset(&direct, 0x5a, sizeof direct);
    direct_begin(&direct);
    assert_int_equal(direct_unsent(&direct, &from), 0);
    direct_ask(&direct, &(struct pg_call){.statement = "none"});
    assert_int_equal(direct_unsent(&direct, &begin), 36);
    assert_int_equal(*begin, 'B');
    direct_was_sent(&direct, 21);
    assert_int_equal(direct_unsent(&direct, &from), 15);
    assert_ptr_equal(from, begin + 21);
    assert_int_equal(*from, 'E');
    direct_was_sent(&direct, 15);
    assert_int_equal(direct_unsent(&direct, &from), 0);
}

static void
an_answer_in_one_piece(void **state)
{
    struct err err;
    (void)state;

    assert_int_equal(GIVE(asked(), ANSWER, &err), DIRECT_ANSWERED);
    assert_seven_and_null(&direct);
}

static void
an_answer_cut_at_any_byte(void **state)
{
    static const char answer[] = NOTICE BOUND NOTIFIED ROW SETTING COMPLETE READY;
    size_t size = sizeof answer - 1;
    struct err err;
    (void)state;

    for (size_t cut = 1; cut < size; cut++) {
        (void)asked();
        assert_int_equal(give(&direct, answer, cut, &err), DIRECT_WAITS);
        assert_int_equal(give(&direct, answer + cut, size - cut, &err), DIRECT_ANSWERED);
        assert_seven_and_null(&direct);
    }
}

static void
an_answer_byte_by_byte(void **state)
{
    static const char answer[] = NOTICE BOUND NOTIFIED ROW SETTING COMPLETE READY;
    struct err err;
    (void)state;

    (void)asked();
    for (size_t i = 0; i + 2 < sizeof answer; i++)
        assert_int_equal(give(&direct, answer + i, 1, &err), DIRECT_WAITS);
    assert_int_equal(give(&direct, answer + sizeof answer - 2, 1, &err), DIRECT_ANSWERED);
    assert_seven_and_null(&direct);
}

/* In three pieces the row may lie in the first, and the third end the answer. */
static void
an_answer_in_three_pieces(void **state)
{
    static const char answer[] = ANSWER;
    size_t size = sizeof answer - 1;
    struct err err;
    (void)state;

    for (size_t one = 1; one < size - 1; one++)
        for (size_t two = one + 1; two < size; two++) {
            (void)asked();
            assert_int_equal(give(&direct, answer, one, &err), DIRECT_WAITS);
            assert_int_equal(give(&direct, answer + one, two - one, &err), DIRECT_WAITS);
            assert_int_equal(give(&direct, answer + two, size - two, &err), DIRECT_ANSWERED);
            assert_seven_and_null(&direct);
            (void)forget_pieces(NULL);
        }
}

static void
one_call_after_the_other(void **state)
{
    const struct pg_call call = {.statement = "s"};
    const char *from;
    struct err err;
    (void)state;

    /* Behind the answer comes a piece of a notice, and its rest while nothing is asked. */
    assert_int_equal(GIVE(asked(), ANSWER "N\0\0\0\x16SNO", &err), DIRECT_ANSWERED);
    assert_seven_and_null(&direct);
    assert_int_equal(GIVE(&direct, "TICE\0Mhea", &err), DIRECT_WAITS);
    direct_ask(&direct, &call);
    direct_was_sent(&direct, direct_unsent(&direct, &from));
    assert_int_equal(direct.answer.state, ANSWER_NONE);
    assert_int_equal(GIVE(&direct, "rken\0\0" BOUND COMPLETE READY, &err), DIRECT_ANSWERED);
    assert_int_equal(direct.answer.state, ANSWER_OK);
    assert_int_equal(direct.answer.reply.rows, 0);
    assert_int_equal(direct.answer.reply.columns, 0);
}

static void
an_error_is_read_to_its_end(void **state)
{
    struct err err;
    (void)state;

    assert_int_equal(GIVE(asked(), ERROR, &err), DIRECT_WAITS);
    assert_int_equal(GIVE(&direct, READY, &err), DIRECT_ANSWERED);
    assert_int_equal(direct.answer.state, ANSWER_FAILED);
    assert_string_equal(direct.answer.sqlstate, "40001");
    assert_string_equal(direct.answer.message, "try; it");
    assert_string_equal(direct.answer.detail, "");
    /* A COMMIT may yet fail, after the statement was complete. */
    assert_int_equal(GIVE(asked(), BOUND ROW COMPLETE ERROR READY, &err), DIRECT_ANSWERED);
    assert_int_equal(direct.answer.state, ANSWER_FAILED);
    assert_string_equal(direct.answer.sqlstate, "40001");
}

static void
an_error_that_ends_the_session_ends_it_at_once(void **state)
{
    struct err err;
    (void)state;

    assert_int_equal(GIVE(asked(), BOUND FATAL, &err), DIRECT_BROKEN);
    assert_int_equal(err.code, ERR_CONNECTION);
    assert_string_equal(err.message, "go away (SQLSTATE 57P01)");
    assert_string_equal(err.sqlstate, "57P01");
    assert_string_equal(err.hint, "so");
    /* Without an SQLSTATE it came from what is left of a process. */
    assert_int_equal(GIVE(asked(), "E\0\0\0\x09Mbye\0", &err), DIRECT_BROKEN);
    assert_string_equal(err.message, "bye (SQLSTATE )");
    assert_int_equal(GIVE(asked(), "E\0\0\0\5\0", &err), DIRECT_BROKEN);
    assert_int_equal(err.code, ERR_CONNECTION);
    /* While nothing is asked it is a notice: the end of the connection follows. */
    assert_int_equal(GIVE(asked(), ANSWER FATAL, &err), DIRECT_ANSWERED);
    assert_seven_and_null(&direct);
    assert_int_equal(GIVE(&direct, FATAL, &err), DIRECT_WAITS);
}

static void
the_last_word_is_the_servers(void **state)
{
    struct err err = {0};
    (void)state;

    (void)err_set(&err, ERR_CONNECTION, "closed");
    assert_int_equal(GIVE(asked(), BOUND, &err), DIRECT_WAITS);
    direct_last_word(&direct, &err);
    assert_string_equal(err.message, "closed");
    assert_int_equal(GIVE(&direct, ERROR, &err), DIRECT_WAITS);
    direct_last_word(&direct, &err);
    assert_string_equal(err.message, "try; it (SQLSTATE 40001)");
    assert_string_equal(err.sqlstate, "40001");
    /* Once that call is over it has been told. */
    assert_int_equal(GIVE(&direct, READY, &err), DIRECT_ANSWERED);
    (void)err_set(&err, ERR_CONNECTION, "closed");
    direct_last_word(&direct, &err);
    assert_string_equal(err.message, "closed");
}

static void
ready_alone_is_no_answer(void **state)
{
    struct err err;
    (void)state;

    assert_int_equal(GIVE(asked(), BOUND READY, &err), DIRECT_ANSWERED);
    assert_int_equal(direct.answer.state, ANSWER_NONE);
}

static void
rows_are_counted(void **state)
{
    struct err err;
    (void)state;

    assert_int_equal(GIVE(asked(), BOUND ROW ROW ROW COMPLETE READY, &err), DIRECT_ANSWERED);
    assert_int_equal(direct.answer.reply.rows, 3);
    assert_int_equal(direct.answer.state, ANSWER_OK);
}

static void
what_makes_no_sense_breaks_it(void **state)
{
    static const struct {
        const char *bytes;
        size_t size;
    } cases[] = {
#define CASE(literal) {literal, sizeof(literal) - 1}
        CASE("2\0\0\0\3"),           /* shorter than its own length */
        CASE("2\xff\xff\xff\xff"),   /* negative */
        CASE("Z\0\0\x75\x31"),       /* too long for its type */
        CASE("\0\0\0\0\4"),          /* no type */
        CASE("!\0\0\0\4"),           /* an unknown one */
        CASE("G\0\0\0\7\0\0\0"),     /* COPY */
        CASE("s\0\0\0\4"),           /* suspended, though all rows were asked for */
        CASE("R\0\0\0\x08\0\0\0\0"), /* who are you? */
        CASE("D\0\0\0\x0a\0\1\0\0\0\1" COMPLETE READY),   /* a value longer than its row */
        CASE("D\0\0\0\5\0" COMPLETE READY),               /* not even a number of columns */
        CASE("D\0\0\0\x0c\0\1\0\0\0\1ab" COMPLETE READY), /* shorter than its row */
#undef CASE
    };
    struct err err;
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(give(asked(), cases[i].bytes, cases[i].size, &err), DIRECT_BROKEN);
        assert_int_equal(err.code, ERR_CONNECTION);
        assert_true(err.message[0] != '\0');
        /* The same byte by byte, somewhere on the way. */
        enum direct_state last = DIRECT_WAITS;
        (void)asked();
        for (size_t at = 0; at < cases[i].size && last == DIRECT_WAITS; at++)
            last = give(&direct, cases[i].bytes + at, 1, &err);
        assert_int_equal(last, DIRECT_BROKEN);
    }
}

/* `size` bytes of a message of this type and length, the beginning as given. */
static char *
long_message(char type, uint32_t length, const char *begin, size_t begin_size)
{
    char *bytes = calloc(1, (size_t)length + 1);

    assert_non_null(bytes);
    bytes[0] = type;
    for (int i = 0; i < 4; i++)
        bytes[1 + i] = (char)(length >> (24 - 8 * i));
    memset(bytes + 5, 'x', (size_t)length - 4);
    memcpy(bytes + 5, begin, begin_size);
    return bytes;
}

/* In pieces of so many bytes, then the rest. */
static enum direct_state
give_long(const char *bytes, size_t size, size_t piece, const char *rest, size_t rest_size,
          struct err *err)
{
    for (size_t at = 0; at < size; at += piece) {
        size_t some = size - at < piece ? size - at : piece;
        assert_int_equal(give(&direct, bytes + at, some, err), DIRECT_WAITS);
    }
    return give(&direct, rest, rest_size, err);
}

static void
long_messages_are_not_kept_but_taken(void **state)
{
    static const char error[] = "SERROR\0C40001\0Mhm\0W";
    enum { LENGTH = 3 * DIRECT_KEPT_MAX };
    char *bytes = long_message('E', LENGTH, error, sizeof error - 1);
    struct err err;
    (void)state;

    for (size_t piece = 999; piece < 9000; piece += 4001) {
        (void)asked();
        assert_int_equal(give_long(bytes, LENGTH + 1, piece, READY, sizeof READY - 1, &err),
                         DIRECT_ANSWERED);
        assert_int_equal(direct.answer.state, ANSWER_FAILED);
        assert_string_equal(direct.answer.sqlstate, "40001");
        assert_string_equal(direct.answer.message, "hm");
    }
    free(bytes);
    bytes = long_message('D', LENGTH, "\0\1", 2);
    (void)asked();
    assert_int_equal(
        give_long(bytes, LENGTH + 1, 4096, COMPLETE READY, sizeof COMPLETE READY - 1, &err),
        DIRECT_ANSWERED);
    assert_int_equal(direct.answer.state, ANSWER_OK);
    assert_true(direct.answer.too_long);
    assert_int_equal(direct.answer.reply.rows, 1);
    free(bytes);
}

/* The longest that is kept, and one byte more. */
static void
rows_up_to_the_bound_are_looked_at(void **state)
{
    enum { VALUE_MAX = DIRECT_KEPT_MAX - 11 };
    struct err err;
    (void)state;

    for (uint32_t extra = 0; extra < 2; extra++) {
        uint32_t value = VALUE_MAX + extra, length = value + 10;
        const char begin[] = {0, 1, 0, 0, (char)(value >> 8), (char)value};
        char *bytes = long_message('D', length, begin, sizeof begin);
        (void)asked();
        assert_int_equal(
            give_long(bytes, length + 1, 1000, COMPLETE READY, sizeof COMPLETE READY - 1, &err),
            DIRECT_ANSWERED);
        assert_int_equal(direct.answer.too_long, extra > 0);
        if (extra == 0) {
            assert_int_equal(direct.answer.reply.columns, 1);
            assert_int_equal(direct.answer.reply.values[0].size, VALUE_MAX);
            assert_int_equal(direct.answer.reply.values[0].data[VALUE_MAX - 1], 'x');
        }
        free(bytes);
    }
}

static void
secrets_are_scrubbed(void **state)
{
    struct err err;
    (void)state;

    err_secret("open sesame");
    assert_int_equal(GIVE(asked(),
                          "E\0\0\0\x1d"
                          "CXX000\0Mopen sesame!\0Dx\0\0" READY,
                          &err),
                     DIRECT_ANSWERED);
    assert_string_equal(direct.answer.message, "***!");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_is_sent_in_pieces),
        cmocka_unit_test_teardown(an_answer_in_one_piece, forget_pieces),
        cmocka_unit_test_teardown(an_answer_cut_at_any_byte, forget_pieces),
        cmocka_unit_test_teardown(an_answer_byte_by_byte, forget_pieces),
        cmocka_unit_test_teardown(an_answer_in_three_pieces, forget_pieces),
        cmocka_unit_test_teardown(one_call_after_the_other, forget_pieces),
        cmocka_unit_test_teardown(an_error_is_read_to_its_end, forget_pieces),
        cmocka_unit_test_teardown(an_error_that_ends_the_session_ends_it_at_once, forget_pieces),
        cmocka_unit_test_teardown(the_last_word_is_the_servers, forget_pieces),
        cmocka_unit_test_teardown(ready_alone_is_no_answer, forget_pieces),
        cmocka_unit_test_teardown(rows_are_counted, forget_pieces),
        cmocka_unit_test_teardown(what_makes_no_sense_breaks_it, forget_pieces),
        cmocka_unit_test_teardown(long_messages_are_not_kept_but_taken, forget_pieces),
        cmocka_unit_test_teardown(rows_up_to_the_bound_are_looked_at, forget_pieces),
        cmocka_unit_test_teardown(secrets_are_scrubbed, forget_pieces),
    };

    return cmocka_run_group_tests_name("direct", tests, NULL, NULL);
}

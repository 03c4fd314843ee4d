/* What does not go together in a profile, one case each, and the line that it is said to be in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/buf.h"
#include "profiles/profile.h"

struct mistake {
    const char *inside;  /* of <profile>, which is line 1; this begins in line 2 */
    const char *set;     /* --set of it; NULL: none */
    const char *message; /* after "p.xml:" or the whole */
};

static const struct mistake mistakes[] = {
    {"<ladder virtual-users='1 2 1'/>", NULL, "p.xml:2: virtual-users: 1 stands twice"},
    {"<ladder virtual-users='1..4 2'/>", NULL, "p.xml:2: virtual-users: 2 stands twice"},
    {"", "ladder=1 1", "--set: virtual-users: 1 stands twice"},
    /* load */
    {"<workload pacing='standard'\nrate='60'/>", NULL,
     "p.xml:3: rate: excludes pacing: with a rate the clock decides when "
     "transactions begin, with pacing the terminals do"},
    {"<workload arrivals='regular'/>", NULL,
     "p.xml:2: arrivals: only an open load has arrivals: it needs a rate"},
    {"<workload sessions='9'/><ladder virtual-users='1..8'/>", NULL,
     "p.xml:2: sessions: 9 sessions for at most 8 virtual users"},
    {"<workload sessions='1001'/><ladder search='knee'/>", NULL,
     "p.xml:2: sessions: 1001 sessions for at most 1000 virtual users"},
    {"<workload call='statements'\nprotocol='simple'/>", NULL,
     "p.xml:3: protocol: plain statements go in pipelines, which the simple protocol does not "
     "have"},
    {"<workload protocol='simple'/>\n<sweep call='functions statements'/>", NULL,
     "p.xml:2: protocol: plain statements go in pipelines, which the simple protocol does not "
     "have"},
    {"<workload call='statements'\nprocedures='classic'/>", NULL,
     "p.xml:3: procedures: plain statements call none"},
    {"<workload delivery-sessions='2'/>", NULL,
     "p.xml:2: delivery-sessions: only deferred deliveries have sessions of their own"},
    {"<workload delivery='deferred'\nmix='50,50,0,0,0'/>", NULL,
     "p.xml:3: delivery: the mix has no delivery"},
    {"<workload mix='lookup'\npacing='standard'/>", NULL,
     "p.xml:3: pacing: the probe \"lookup\" has no keying and think times"},
    {"<workload pacing='0.5'/>\n<sweep mix='standard null'/>", NULL,
     "p.xml:2: pacing: the probe \"null\" has no keying and think times"},
    {"<metrics interval='50ms'/>", NULL,
     "p.xml:2: interval: \"50ms\" is below 100ms; 0s looks at nothing"},
    {"<ladder search-steps='9'/>", NULL,
     "p.xml:2: search-steps: there is no search that it could be of"},
    {"<ladder search='knee'\norder='random'/>", NULL,
     "p.xml:3: order: a search decides itself which level comes next"},
    {"<ladder search='knee' search-steps='5'\nrepeats='6'/>", NULL,
     "p.xml:3: repeats: more runs of a level than the search has steps"},
    {"<ladder search='knee'/>\n<workload rate='60'/>", NULL,
     "p.xml:3: rate: excludes a search: it is the clock that sets the throughput then"},
    {"<ladder search='knee'\nrepeat-first='true'/>", NULL,
     "p.xml:3: repeat-first: a search decides itself which level comes next"},
    {"<ladder order='random'\nrepeat-first='true'/>", NULL,
     "p.xml:3: repeat-first: only an ascending ladder has a first level"},
    {"<workload transactions='5'/><timing precision='1%' measure-most='5m'/>", NULL,
     "p.xml:2: transactions: excludes a precision: each ends the window"},
    /* times */
    {"<timing ramp-up='10s' measure='5s'/>", NULL,
     "p.xml:2: measure: a window of 5s is shorter than the ramp-up of 10s"},
    {"<timing precision='1%'/>", NULL,
     "p.xml:2: precision: needs measure-most, or a step might never end"},
    {"<timing measure-most='5m'/>", NULL,
     "p.xml:2: measure-most: there is no precision that the window could wait for"},
    {"<timing precision='0%' measure-most='5m'/>", NULL,
     "p.xml:2: measure-most: there is no precision that the window could wait for"},
    {"<timing precision='1%' measure='5m' measure-most='3m'/>", NULL,
     "p.xml:2: measure-most: 3m is less than the 5m that are measured anyway"},
    {"<timing precision='1%' measure='2m' measure-most='3m'/>", "measure=4m",
     "p.xml:2: measure-most: 3m is less than the 4m that are measured anyway"},
    /* layout */
    {"<scale warehouses='2' partitions='3'/>", NULL,
     "p.xml:2: partitions: \"3\" ranges for 2 warehouses"},
    {"<scale partitions='3'/>\n<sweep warehouses='5 2'/>", NULL,
     "p.xml:2: partitions: \"3\" ranges for 2 warehouses"},
    {"<scale fillfactor='stok=80'/>", NULL, "p.xml:2: fillfactor: there is no table \"stok\""},
    {"<scale fillfactor='stock=80,item=90,stock=85'/>", NULL,
     "p.xml:2: fillfactor: stock stands twice"},
    {"<scale warehouses='2'\npartition-by='hash'/>", NULL,
     "p.xml:3: partition-by: there are no partitions"},
    /* limits */
    {"<workload mix='read-only'/>\n<limits new-order='1s'/>", NULL,
     "p.xml:3: new-order: the mix has no such transaction"},
    {"<sweep mix='read-only 100,0,0,0,0'/>\n<limits payment='1s'/>", NULL,
     "p.xml:3: payment: the mix has no such transaction"},
    {"<limits percentile='99'/>", NULL,
     "p.xml:2: percentile: there is no limit that it could be of"},
    {"<workload mix='read-only'/>\n<timing precision='1%' measure-most='5m'/>", NULL,
     "p.xml:3: precision: it is about NOPM, and the mix has no new-order"},
    {"<sweep mix='lookup insert'/>\n<stop over-limits='true'/>", NULL,
     "p.xml:3: over-limits: no transaction of the mix has a limit"},
    {"<sweep mix='lookup insert'/>\n<stop below-peak='80%'/>", NULL,
     "p.xml:3: below-peak: it is about NOPM, and the mix has no new-order"},
    {"<workload mix='lookup'/>\n<limits payment='1s'/>", NULL,
     "p.xml:3: payment: the mix has no such transaction"},
    /* sweeps */
    {"<scale warehouses='2'/>\n<sweep warehouses='1 2'/>", NULL,
     "p.xml:2: warehouses: <sweep> says it already"},
    {"<workload mix='deck'/><sweep mix='deck standard'/>", NULL,
     "p.xml:2: mix: <sweep> says it already"},
    {"<workload call='functions'/><sweep call='functions procedures'/>", NULL,
     "p.xml:2: call: <sweep> says it already"},
    {"<sweep warehouses='1 2 1'/>", NULL, "p.xml:2: warehouses: 1 stands twice"},
    {"<sweep warehouses='7 1 007'/>", NULL, "p.xml:2: warehouses: 007 stands twice: 7 is the same"},
    {"<sweep mix='standard deck 45,43,4,4,4'/>", NULL,
     "p.xml:2: mix: 45,43,4,4,4 stands twice: standard is the same"},
    {"<sweep mix='deck deck'/>", NULL, "p.xml:2: mix: deck stands twice"},
    {"<sweep call='procedures functions procedures'/>", NULL,
     "p.xml:2: call: procedures stands twice"},
    {"<connection schema='a234567890a234567890a234567890a234567890a234567890a23456'/>\n<sweep "
     "warehouses='1 2'/>",
     NULL, "p.xml:2: schema: the name leaves no room for \"_w100000\" within 63 bytes"},
    {"<sweep warehouses='1 2'/>", "schema=a234567890a234567890a234567890a234567890a234567890a23456",
     "--set: schema: the name leaves no room for \"_w100000\" within 63 bytes"},
    {"<reset method='template'/><connection dbname='service=x'/>", NULL,
     "p.xml:2: dbname: reset=\"template\" needs the database by its name, not in a connection "
     "string, "
     "to name the copy"},
    {"<servers><server name='a' dbname='one'/>\n<server name='b' "
     "dbname='postgres://h/two'/></servers>"
     "<reset method='template'/>",
     NULL,
     "p.xml:3: dbname: reset=\"template\" needs the database by its name, not in a connection "
     "string, "
     "to name the copy"},
    /* servers and configurations */
    {"<servers><server name='a'/>\n<server name='a'/></servers>", NULL,
     "p.xml:3: name: there are two servers \"a\""},
    {"<servers><server name='scale'/></servers>", NULL,
     "p.xml:2: name: \"scale\" is an element of the language"},
    {"<connection dbname='service=x'/>\n<servers><server name='a'/></servers>", NULL,
     "p.xml:2: dbname: a connection string here would win over the servers"},
    {"<configurations><configuration name='a'/>\n<configuration name='a'/></configurations>", NULL,
     "p.xml:3: name: there are two configurations \"a\""},
    {"<configurations><configuration name='hooks'/></configurations>", NULL,
     "p.xml:2: name: \"hooks\" is an element of the language"},
    {"<servers><server name='a'/></servers>\n<configurations><configuration name='a'/>"
     "</configurations>",
     NULL, "p.xml:3: name: \"a\" is a server already"},
    {"<workload session-settings='jit'/>", NULL,
     "p.xml:2: session-settings: \"jit\" is not of the form NAME=VALUE"},
    {"<configurations><configuration name='a'\nsession-settings='a=1; b c=2'/></configurations>",
     NULL, "p.xml:3: session-settings: \"b c=2\" is not of the form NAME=VALUE"},
    {"<workload session-settings='jit=on;\nwork_mem=1MB; JIT=off'/>", NULL,
     "p.xml:3: session-settings: jit stands twice"},
    {"<configurations><configuration name='a' session-settings='application_name=x'/>"
     "</configurations>",
     NULL, "p.xml:2: session-settings: application_name is how the kit knows its own sessions"},
    {"<workload isolation='serializable' session-settings='Default_transaction_isolation=x'/>",
     NULL,
     "p.xml:2: session-settings: default_transaction_isolation is what isolation says already"},
    {"<workload isolation='serializable'/><configurations><configuration name='a'\n"
     "session-settings='default_transaction_isolation=x'/></configurations>",
     NULL,
     "p.xml:3: session-settings: default_transaction_isolation is what isolation says already"},
    /* policies */
    {"<checks consistency='none' when='both'/>", NULL, "p.xml:2: when: nothing is to be checked"},
    {"<ladder search='knee'/><stop below-peak='50%'/>", NULL,
     "p.xml:2: below-peak: a search decides itself which levels it needs"},
    {"<ladder search='knee'/>\n<stop over-limits='true'/>", NULL,
     "p.xml:3: over-limits: a search decides itself which levels it needs"},
    {"<unattended on-failure='stop' max-failures='2'/>", NULL,
     "p.xml:2: max-failures: the first failure ends the run already"},
    {"<reset method='none'\nautovacuum-wait='5s'/>", NULL,
     "p.xml:3: autovacuum-wait: reset=\"none\" does not wait for autovacuum"},
    {"<hooks time-limit='5s'/>", NULL, "p.xml:2: time-limit: there is no hook that it could be of"},
    /* size */
    {"\n<ladder virtual-users='1..64' repeats='100'/><sweep call='functions procedures'/>", NULL,
     "p.xml:3: 12800 steps; at most 10000 can be planned"},
    {"<ladder search='knee' search-steps='500'/>\n<sweep warehouses='1 2 3 4 5 6 7 8 "
     "9 10 11 12 13 14 15 16 17 18 19 20 21'/>",
     NULL, "p.xml:2: 10500 steps; at most 10000 can be planned"},
    {"<ladder virtual-users='1..64'/><sweep call='functions procedures'/>", "repeats=100",
     "--set: 12800 steps; at most 10000 can be planned"},
};

static bool
parse(const char *inside, const char *set, struct err *err)
{
    struct settings settings;
    struct profile profile;
    struct buf text = {0};

    settings_init(&settings);
    if (set)
        assert_true(settings_set(&settings, SET_SET, set, SETTING_OPTION, err));
    buf_printf(&text, "<profile name='p' version='1'>\n%s\n</profile>\n", inside);
    bool ok = profile_parse(&profile, "p.xml", buf_text(&text), text.length, &settings, err);
    buf_free(&text);
    settings_free(&settings);
    return ok;
}

static void
every_mistake_has_its_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        const struct mistake *mistake = &mistakes[i];
        bool in_profile = strncmp(mistake->message, "p.xml:", 6) == 0;
        struct err err = {0};
        if (parse(mistake->inside, mistake->set, &err))
            fail_msg("accepted: %s", mistake->inside);
        assert_string_equal(err.message, mistake->message);
        assert_int_equal(err.code, in_profile ? ERR_PROFILE : ERR_USAGE);
    }
}

/* The same pairs where they do go together. */
static void
what_goes_together_is_taken(void **state)
{
    static const char *const fine[] = {
        "<workload rate='60' arrivals='regular' pacing='none' sessions='8'/>"
        "<ladder virtual-users='1..8'/>",
        "<workload sessions='1000'/><ladder search='knee' search-steps='9'/>",
        "<workload call='statements' protocol='extended'/>",
        "<workload delivery='deferred' delivery-sessions='2'/><sweep mix='read-only standard'/>",
        "<metrics interval='0s'/>",
        "<timing ramp-up='5s' measure='5s'/>",
        "<timing measure='5s'/>", /* the ramp-up of 10s was not asked for */
        "<timing precision='0.5%' measure='1m' measure-most='1m'/>",
        "<workload transactions='5'/><timing precision='0%'/>",
        "<scale warehouses='3' partitions='3' partition-by='hash'/>",
        "<sweep mix='read-only standard'/><limits new-order='1s' percentile='99.9'/>",
        "<servers><server name='a' dbname='service=x'/></servers><connection schema='s'/>"
        "<configurations><configuration name='b' session-settings=' a.b = 1 ;; c=x y '/>"
        "</configurations>",
        "<reset method='template'/><servers><server name='a'/><server name='b' "
        "dbname='x'/></servers>",
        "<reset method='template'/><sweep warehouses='1 2'/>",
        "<ladder order='random' repeat-first='false'/><reset method='none' autovacuum-wait='0s'/>",
        "<ladder repeat-first='true'/><reset method='template' autovacuum-wait='9s'/>",
        "<workload session-settings='jit=on'/><configurations><configuration name='b' "
        "session-settings='jit=off'/></configurations>",
        "<checks consistency='none'/>",
        "<checks consistency='fast' when='steps'/>",
        "<unattended on-failure='continue' max-failures='2'/>",
        "<hooks after-run='true' time-limit='5s'/>",
        "<configurations><configuration name='b' before-step='true'/></configurations>"
        "<hooks time-limit='5s'/>",
        "<ladder virtual-users='1..64' repeats='78'/><sweep call='functions procedures'/>",
    };

    (void)state;
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        struct err err = {0};
        if (!parse(fine[i], NULL, &err))
            fail_msg("%s: %s", fine[i], err.message);
    }
}

/* 16 servers with 17 configurations. */
static void
too_many_curves(void **state)
{
    struct buf inside = {0};
    struct err err = {0};

    (void)state;
    buf_puts(&inside, "<servers>");
    for (int i = 0; i < 16; i++)
        buf_printf(&inside, "<server name='s%d'/>", i);
    buf_puts(&inside, "</servers>\n<configurations>");
    for (int i = 0; i < 17; i++)
        buf_printf(&inside, "<configuration name='c%d'/>", i);
    buf_puts(&inside, "</configurations>");
    assert_false(parse(buf_text(&inside), NULL, &err));
    assert_string_equal(err.message, "p.xml:3: 272 curves; at most 256 can be planned");
    buf_free(&inside);
}

static void
options_of_servers(void **state)
{
    static const char text[] = "<profile name='p' version='1'><servers><server name='old'/>"
                               "</servers></profile>";
    struct settings settings;
    struct profile profile;
    struct err err = {0};

    (void)state;
    settings_init(&settings);
    assert_true(settings_set(&settings, SET_HOST, "x", SETTING_OPTION, &err));
    assert_false(profile_parse(&profile, "p.xml", text, strlen(text), &settings, &err));
    assert_string_equal(err.message, "--host: the profile names its servers itself");
    assert_string_equal(err.hint, "--set old@host=VALUE changes one of them");
    settings_free(&settings);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mistake_has_its_line),
        cmocka_unit_test(what_goes_together_is_taken),
        cmocka_unit_test(too_many_curves),
        cmocka_unit_test(options_of_servers),
    };
    return cmocka_run_group_tests_name("profile_check", tests, NULL, NULL);
}

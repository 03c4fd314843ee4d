# What a level leaves behind on the server, and a server that does not answer before a level begins.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Test::More;
use Time::HiRes qw(time);
use Kit;
use Loaded;

my $schema = loaded_schema(2);
my @frozen;
END { kill 'CONT', @frozen if @frozen }

# ---- nothing is left of a sound level ----

my ($exit, $json, $err) = run_json($schema, '-u', 3, '-t', '1s');
ok($exit == 0 || $exit == 1, 'a sound level') or diag $err;
unlike($err, qr/still on the server/, 'leaves no session, and says nothing of it');
is("$json->{sessions_left}|$json->{sessions_left_named}", '0|', 'as the result does');
ok(sessions_ended(), 'nor is there one');

# ---- a session that does not end is named ----

# Terminals that think: the one that is stopped is idle, and holds no lock that others wait for.
my $run = in_background('run', '--schema', $schema, '--terminals', 2, '--pacing', 'standard', '-t', '60s',
    '--ramp-up', '0s', '--json');
my $mine = "from pg_stat_activity where application_name = 'ordermill run'";
ok(wait_until(sub { psql("select count(*) $mine") == 2 }), 'two terminals are at work');
# Another ordermill, with the same name: it is none of this level.
my $other = Kit::Process->start({env => {PGAPPNAME => 'ordermill run'}}, 'psql', '-X', '-q', '-c',
    'select pg_sleep(600)');
ok(wait_until(sub { psql("select count(*) $mine") == 3 }), 'and somebody else under their name');
@frozen = psql("select pid $mine and query not like '%pg_sleep%' and state = 'idle' order by pid limit 1");
kill 'STOP', @frozen;
sleep 1;
$run->signal('INT');
my $asked = time;
($exit, $json, $err) = result_of($run);
my $took = time - $asked;
is($exit, 130, 'interrupted') or diag $err;
like($err, qr/^ordermill: warning: 1 session of this level is still on the server: process $frozen[0] \(\w[\w ()]* for \d+ s\)$/m,
    'the session that is left is named, and no other');
is($json->{sessions_left}, 1, 'in the result as well');
like($json->{sessions_left_named}, qr/^$frozen[0] \(\w[\w ()]* for \d+ s\)\z/, 'with the same name');
cmp_ok($took, '<', 8, 'which holds nobody up');
kill 'CONT', @frozen;
@frozen = ();
psql("select pg_terminate_backend(pid) $mine");
$other->finish;
sessions_ended();

# ---- a preflight that gets no answer ----

my $holder = Kit::Process->start({env => {PGAPPNAME => 'holder'}}, 'psql', '-X', '-q', '-c',
    qq{begin; lock table "$schema".ordermill_build in access exclusive mode; select pg_sleep(600)});
ok(wait_until(sub { psql(q{select count(*) from pg_stat_activity where application_name = 'holder'
    and wait_event = 'PgSleep'}) == 1 }), 'somebody holds what the preflight reads');
$run = in_background('run', '--schema', $schema, '-u', 2, '-t', '1s');
ok(wait_until(sub { psql("select count(*) from pg_stat_activity where application_name =
    'ordermill run control' and wait_event_type = 'Lock'") == 1 }), 'the preflight waits');
$asked = time;
$run->signal('INT');
($exit, undef, $err) = $run->finish;
is($exit, 130, 'Ctrl-C ends it') or diag $err;
cmp_ok(time - $asked, '<', 5, 'within seconds');
$asked = time;
($exit, my $out, $err) = kit({timeout => 60}, 'run', '--schema', $schema, '-u', 2, '-t', '1s');
$took = time - $asked;
is("$exit|$out", '4|', 'without an answer there is no level') or diag $err;
is($err, "ordermill: no answer in 20s\n", 'and one clear line');
ok($took > 18 && $took < 40, 'after the time that it says') or diag $took;
psql(q{select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'holder'});
$holder->finish;
ok(sessions_ended(), 'no session of the preflight is left');

done_testing;

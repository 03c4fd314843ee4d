# A server that falls silent after the load, before its sums have been read: the level ends in a
# bounded time, says what it does not know, and obeys signals.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Test::More;
use Time::HiRes qw(time);
use Kit;
use Loaded;
use Small;

my $schema = loaded_schema(2);
my ($postmaster) =
  split /\n/, slurp(psql("select setting from pg_settings where name = 'data_directory'") . '/postmaster.pid');
my $watch = Session->new;    # answers though nobody can connect any more
my @frozen;
END { kill 'CONT', @frozen if @frozen }

# A level whose control session, and with it the whole server where asked for, is stopped while it
# runs; its virtual users go on to the end.
sub muted {
    my ($whole, @args) = @_;
    my $run = in_background('run', '--schema', $schema, '-u', 2, '-t', '3s', '--ramp-up', '0s',
        @args);
    ok(wait_until(sub { sessions_of('run') == 2 }), 'two virtual users run');
    @frozen = (
        psql("select pid from pg_stat_activity where application_name = 'ordermill run control'"),
        $whole ? $postmaster : ());
    kill 'STOP', @frozen;
    return $run;
}

sub thaw {
    kill 'CONT', reverse @frozen;
    @frozen = ();
    return;
}

sub wait_for_drain {
    return ok(
        wait_until(sub {
            $watch->ask("select count(*) from pg_stat_activity where application_name = 'ordermill run'") eq '0';
        }),
        'its virtual users have ended');
}

# ---- only the control session: another one takes its place ----

my $run = muted(0, '--json');
my ($exit, $out, $err) = $run->finish;
thaw();
my $json = eval { JSON::PP::decode_json($out) } or diag $err;
is($json->{status}, 'complete', 'a control session that falls silent is replaced');
is($json->{verdicts}{consistency}, 'PASS', 'and the sums are read');

# ---- the whole server ----

$run = muted(1, '--reconnect', '1s');
($exit, my $text, $err) = $run->finish;
thaw();
is($exit, 1, 'a server that falls silent fails the level') or diag $err;
like($text, qr/\AFAILED: the order counters could not be read after the run:\s+no\s+answer\s+in\s+5s$/m,
    'in a bounded time, with one clear line');
like($text, qr/^New-Order +[1-9]/m, 'and shows what was measured');
like($text, qr/^  consistency +NOT TESTED/m, 'but not what was not tested');

# ---- a signal meanwhile ----

$run = muted(1);
wait_for_drain();
$run->signal('TERM');
my $asked = time;
($exit, $text, $err) = $run->finish;
thaw();
is($exit, 143, 'it obeys a signal') or diag $err;
cmp_ok(time - $asked, '<', 20, 'and does not wait for the server');
like($text, qr/\APARTIAL RESULT: interrupted by SIGTERM in the verification$/m, 'and says where');

# ---- a signal before: what is known is printed ----

$run = muted(1);
$run->signal('INT');
($exit, $text, $err) = $run->finish;
thaw();
is($exit, 130, 'interrupted before') or diag $err;
like($text, qr/\APARTIAL RESULT: interrupted by SIGINT/m, 'the result is partial');
like($text, qr/^  consistency +NOT TESTED/m, 'and its sums are not known');

# ---- two of them ----

$run = muted(1);
wait_for_drain();
kill 'STOP', $run->pid;    # so that both are there before it looks
kill $_, $run->pid for 'INT', 'TERM';
kill 'CONT', $run->pid;
($exit, $text, $err) = $run->finish;
thaw();
cmp_ok($exit, '>=', 130, 'a second signal ends it at once');
is($text, '', 'without a result');

ok(wait_until(sub { sessions_of('run') == 0 && sessions_of('run control') == 0 }),
    'no session is left when the server wakes up');
done_testing;

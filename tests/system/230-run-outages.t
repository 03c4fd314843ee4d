# Connections that go while a level runs: virtual users connect again, nothing is counted twice or
# left out, and the outage is shown.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Test::More;
use Kit;
use Loaded;

my $schema = loaded_schema(2);

# A run that has committed for some seconds, so that it has a level to come back to.
sub begun {
    my (@args) = @_;
    sessions_ended();
    my $run = in_background({timeout => 200}, 'run', '--schema', $schema, '--ramp-up', '0s', @args);
    ok(wait_until(sub { sessions_of('run') == 4 }), 'four virtual users run');
    ok(orders_placed($schema, 20), 'and place orders');
    return $run;
}

sub pid_of_one {
    return psql("select pid from pg_stat_activity where application_name = 'ordermill run'"
          . ' order by pid limit 1');
}

sub lost {
    my ($json) = @_;
    my $lost = 0;
    $lost += $_->{lost} for values %{$json->{transactions}};
    return $lost;
}

sub counts_agree {
    my ($json, $after) = @_;
    my $sum = $json->{growth}{new_orders};
    cmp_ok($sum->{database}, '>=', $sum->{driver}, "after $after all committed new-orders are there");
    cmp_ok($sum->{database}, '<=', $sum->{driver} + $sum->{uncertain},
        'and no more than those of unknown outcome beside');
    is($json->{verdicts}{consistency}, 'PASS', 'which is consistent');
    return;
}

# ---- sessions that an administrator ends ----

my $run = begun('-u', 4, '-t', '8s', '--json');
for (1 .. 2) {
    psql('select pg_terminate_backend(' . pid_of_one() . ', 10000)');    # and wait for its end
    ok(wait_until(sub { sessions_of('run') == 4 }), 'the virtual user comes back');
}
my ($exit, $json, $err) = result_of($run);
is($exit, 1, 'a lost connection fails the level') or diag $err;
is($json->{status}, 'complete', 'which was completed');
is($json->{connections_lost}, 2, 'both losses are counted');
is($json->{virtual_users_lost}, 0, 'every virtual user lived on');
is(lost($json), 2, 'and so are their transactions');
is($json->{verdicts}{errors}, 'FAIL', 'the verdict says so');
is(scalar @{$json->{outages}}, 2, 'there are two outages');
for my $outage (@{$json->{outages}}) {
    is($outage->{connections_lost}, 1, 'of one connection');
    cmp_ok($outage->{end_s}, '>', $outage->{start_s}, 'which end');
}
counts_agree($json, 'two losses');

# ---- sessions that have nothing to do, of an open load: they come back and are used again ----

$run = begun('-u', 4, '-t', '6s', '--rate', 600, '--json');
psql("select pg_terminate_backend(pid) from pg_stat_activity"
      . " where application_name = 'ordermill run'");
ok(wait_until(sub { sessions_of('run') == 4 }), 'all sessions come back');
($exit, $json, $err) = result_of($run);
is($json->{status}, 'complete', 'the open load goes on') or diag $err;
is($json->{connections_lost}, 4, 'all losses are counted');
counts_agree($json, 'losses of an open load');

# ---- a backend that is killed: the server goes through crash recovery, all sessions are lost ----

$run = begun('-u', 4, '-t', '20s', '--json');
ok(crash_server(pid_of_one()), 'the server crashes, recovers and is back');
($exit, $json, $err) = result_of($run);
is($exit, 1, 'a crash fails the level') or diag $err;
is($json->{connections_lost}, 4, 'all connections were lost, once each');
is($json->{virtual_users_lost}, 0, 'every virtual user lived on');
is(scalar @{$json->{outages}}, 1, 'there is one outage');
is($json->{outages}[0]{connections_lost}, 4, 'of all connections');
ok(exists $json->{outages}[0]{recovery_s}, 'with the time to the former level, if it was seen');
counts_agree($json, 'a crash');
ok(sessions_ended(), 'no session is left');

# ---- beyond the deadline ----

psql("create role shut_out login superuser");
$run = in_background({env => {PGUSER => 'shut_out'}}, 'run', '--schema', $schema, '--ramp-up', '0s',
    '-u', 3, '-t', '60s', '--reconnect', '1s');
ok(wait_until(sub { sessions_of('run') == 3 }), 'three virtual users run');
psql("alter role shut_out nologin");
psql("select pg_terminate_backend(pid) from pg_stat_activity"
      . " where application_name = 'ordermill run'");
($exit, my $text, $err) = $run->finish;
is($exit, 1, 'a level whose virtual users cannot come back fails') or diag $err;
like($text, qr/\AFAILED: all virtual users lost\s+their\s+connection.* in\s+the\s+measured\s+window$/ms,
    'and says so');
like($text, qr/^outages +from +to +lost .*\n +\d+\.\d s +not over +3 /m, 'the outage is not over');
psql('drop role shut_out');

# ---- a server that does not answer any more: neither transactions nor cancel requests ----

$run = begun('-u', 4, '-t', '5s');
my ($postmaster) = split /\n/,
  slurp(psql("select setting from pg_settings where name = 'data_directory'") . '/postmaster.pid');
my @frozen = ($postmaster, split /\n/,
    psql("select pid from pg_stat_activity where application_name = 'ordermill run'"));
kill 'STOP', @frozen;
($exit, $text, $err) = $run->finish;
kill 'CONT', reverse @frozen;
is($exit, 1, 'a level on a server that froze ends') or diag $err;
like($text, qr/\AFAILED: transactions did not end, and could not be cancelled,/, 'and says why');
ok(wait_until(sub { sessions_of('run') == 0 }), 'its sessions end when the server wakes up');

($exit, my $out, $err) = kit('check', '--schema', $schema);
is($exit, 0, 'all conditions hold after all of this') or diag "$out$err";

done_testing;

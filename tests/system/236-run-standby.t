# A real standby: it is refused before the first virtual user; of several hosts the one that can be
# written to is found; and a level goes on through a failover, whose lost commits do not go unseen.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Kit;
use Loaded;
use OwnServer;
use Test::More;

my $first = OwnServer->start(settings => "listen_addresses = ''\nmax_wal_senders = 4\n");
sub at { my ($server) = @_; return {PGHOST => $server->folder, PGPORT => 5432, PGUSER => 'own', PGDATABASE => 'postgres'} }
sub ask { my ($server, $sql) = @_; return psql($sql, env => at($server)) }

my $second = $first->standby or plan skip_all => 'the server has no pg_basebackup';
is +(kit({env => at($first)}, 'load', '-q', '-w', 1))[0], 0, 'one warehouse';
my $written = ask($first, 'select pg_current_wal_lsn()');
ok wait_until(sub { ask($second, "select pg_last_wal_replay_lsn() >= '$written'") eq 't' }), 'which the standby has too';

# ---- a standby alone ----

for my $command (['run', '-u', 2, '-t', '1s'], ['run', '-u', 2, '-t', '1s', '--mix', 'read-only'],
    ['load', '-w', 1, '--replace'], ['calibrate', '-t', '1s']) {
    my ($exit, $out, $err) = kit({env => at($second)}, @$command);
    is "$exit|$out", '5|', "a standby: @$command";
    is $err, "ordermill: the server is read-only: it is in recovery\n"
      . "hint: connect to the primary; target_session_attrs=read-write finds it\n", 'is refused in one line';
}
my ($exit, $out, $err) = kit({env => at($second)}, 'check', '--fast');
is $exit, 0, 'what only reads may look at it' or diag "$out$err";
($exit, $out) = kit({env => at($second)}, 'doctor');
like $out, qr/^spoils +recovery\n +the server is a standby\n/m, 'the doctor says what it is';

# ---- failovers ----

# Four virtual users that find their server among two, the standby first. It is the new primary when the
# old one has gone; `before` is what happens to it meanwhile.
sub fail_over {
    my ($primary, $standby, $before) = @_;
    my $hosts = join ',', map { $_->folder } $standby, $primary;
    my $run = in_background({env => {map { $_ => undef } qw(PGHOST PGPORT PGUSER PGDATABASE)}}, 'run', '--json', '-d',
        "host=$hosts port=5432 user=own dbname=postgres target_session_attrs=read-write", '-u', 4, '-t', '5s',
        '--ramp-up', '0s');
    my $orders = sub { ask($primary, 'select sum(d_next_o_id) from ordermill.district') };
    my $begun  = $orders->();
    ok wait_until(sub { $orders->() > $begun + 20 }), 'the host that can be written to is found';
    $before->();
    $primary->stop;
    $standby->control('promote');
    my ($status, $json, $said) = result_of($run);
    is $status, 1, 'a failover fails the level' or diag $said;
    is $json->{status}, 'complete', '... which goes on to its end';
    is $json->{connections_lost}, 4, '... every connection was lost once';
    is $json->{virtual_users_lost}, 0, '... no virtual user was';
    is scalar @{$json->{outages}}, 1, '... in one outage';
    cmp_ok $json->{outages}[0]{end_s}, '>', $json->{outages}[0]{start_s}, '... that is over';
    is $json->{verdicts}{errors}, 'FAIL', '... and the verdict says so';
    return $json;
}

ask($first, "alter system set synchronous_standby_names = '*'");
ask($first, 'select pg_reload_conf()');
ok wait_until(sub { ask($first, 'select sync_state from pg_stat_replication') eq 'sync' }), 'commits wait for the standby';
my $json = fail_over($first, $second, sub { });
my $sum = $json->{growth}{new_orders};
cmp_ok $sum->{database}, '>=', $sum->{driver}, 'all that committed is on the new primary';
cmp_ok $sum->{database}, '<=', $sum->{driver} + $sum->{uncertain}, '... and what may have, but no more';
is $json->{verdicts}{consistency}, 'PASS', '... which is consistent';
is +(kit({env => at($second)}, 'check'))[0], 0, '... as all its conditions are';

# Now nobody waits for the standby, and it falls behind.
my $third = $second->standby;
my $missed = 0;
$json = fail_over($second, $third, sub {
    ask($third, "alter system set primary_conninfo = ''");
    ask($third, 'select pg_reload_conf()');
    wait_until(sub { ask($second, 'select count(*) from pg_stat_replication') == 0 });
    my $orders = 'select sum(d_next_o_id) from ordermill.district';
    my $reached = ask($second, $orders);
    ok wait_until(sub { ask($second, $orders) > $reached + 50 }), 'orders are placed that the standby never sees';
});
$sum = $json->{growth}{new_orders};
cmp_ok $sum->{database}, '<', $sum->{driver} - 40, 'commits that the failover lost are missing';
is $json->{verdicts}{consistency}, 'FAIL', '... which does not go unseen';

done_testing;

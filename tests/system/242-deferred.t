# Deferred delivery: terminals queue it, sessions of their own carry it out, and a file has a row
# for each.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Holder;
use Test::More;
use Time::HiRes qw(time);
use Kit;
use Loaded;

my $schema = loaded_schema(2);
my $file = folder() . '/deliveries.csv';

# How many orders were delivered, by warehouse and district.
sub delivered {
    return psql("select count(*) from $schema.orders where o_carrier_id is not null");
}

# The rows of the file, without the heading.
sub rows {
    my ($heading, @rows) = split /\n/, slurp($file);
    is($heading, join(',', qw(queued warehouse carrier completed), map { "order_of_district_$_" } 1 .. 10),
        'the file has a heading');
    return map { [split /,/] } @rows;
}

# ---- a sound level ----

my $before = delivered();
my ($exit, $json, $err) = run_json($schema, '-u', 4, '-t', '3s', '--delivery', 'deferred',
    '--delivery-file', $file);
is($json->{verdicts}{errors}, 'PASS', 'a level with deferred deliveries') or diag $err;
my $deferred = $json->{deferred_delivery};
cmp_ok($deferred->{sessions}, '>=', 1, 'has sessions for them');
cmp_ok($deferred->{queued}, '>', 0, 'queues some');
is($deferred->{queued}, $json->{transactions}{delivery}{committed}, 'as many as terminals entered');
is($deferred->{done}, $deferred->{queued}, 'and carries them out');
is($deferred->{in_time}, $deferred->{queued}, 'in time');
is("$deferred->{failed} $deferred->{lost} $deferred->{left}", '0 0 0', 'all of them');
is($json->{new_orders_driver}, $json->{new_orders_database}, 'all orders are counted');
cmp_ok($json->{transactions}{delivery}{response_us}{p50}, '<', $deferred->{latency_us}{p50},
    'the terminal is answered before its delivery is done');
my @rows = rows();
cmp_ok(scalar @rows, '>=', $deferred->{done}, 'each has a row');
is(scalar(grep { @$_ == 14 } @rows), scalar @rows, 'of fourteen columns');
my $orders = 0;
$orders += grep { /\A\d+\z/ } @{$_}[4 .. 13] for @rows;
is($orders, delivered() - $before, 'which tell every order that was delivered');
my $wrong = 0;
for my $row (@rows[0 .. 9]) {
    my (undef, $w, $carrier, undef, @of_district) = @$row;
    for my $d (1 .. 10) {
        next if $of_district[$d - 1] eq 'skipped';
        $wrong += psql("select o_carrier_id <> $carrier from $schema.orders"
              . " where o_w_id = $w and o_d_id = $d and o_id = $of_district[$d - 1]") ne 'f';
    }
}
is($wrong, 0, 'with its carrier');

$before = delivered();
($exit, $json, $err) = run_json($schema, '-u', 2, '-t', '1s', '--delivery', 'deferred',
    '--delivery-file', $file, '--call', 'statements', '--mix', '0,50,0,50,0');
$orders = 0;
$orders += grep { /\A\d+\z/ } @{$_}[4 .. 13] for rows();
cmp_ok($orders, '>', 0, 'statements deliver too');
is($orders, delivered() - $before, 'and their orders are told');

# ---- deliveries that have to wait: terminals do not ----

my $holder = hold("lock table $schema.new_order in exclusive mode");
ok(wait_until(sub { psql("select count(*) from pg_locks where mode = 'ExclusiveLock'"
          . " and relation = '$schema.new_order'::regclass") > 0 }), 'a lock is held');
my @mix = ('--mix', '0,50,10,30,10');
my $run = in_background('run', '--schema', $schema, '--json', '-u', 2, '-t', '4s', '--ramp-up', '0s',
    '--rate', 1200, '--delivery', 'deferred', '--delivery-file', $file, @mix);
ok(wait_until(sub { sessions_of('run') > 2 }), 'a level runs');
sleep 2;
release($holder);
($exit, my $out, $err) = $run->finish;
$json = JSON::PP::decode_json($out);
$deferred = $json->{deferred_delivery};
is($json->{verdicts}{errors}, 'PASS', 'a level whose deliveries had to wait') or diag $err;
is($deferred->{done}, $deferred->{queued}, 'all were carried out');
cmp_ok($deferred->{latency_us}{max}, '>', 1_500_000, 'late');
cmp_ok($json->{transactions}{delivery}{response_us}{p90}, '<', 1_000_000, 'which terminals do not see');
cmp_ok($deferred->{waiting_most}, '>', 1, 'several at a time');

# ---- connections that go: what ran is lost, and not begun again ----

$run = in_background('run', '--schema', $schema, '--json', '-u', 4, '-t', '8s', '--ramp-up', '0s',
    '--threads', 1, '--delivery', 'deferred', '--delivery-sessions', 2);
ok(wait_until(sub { sessions_of('run') == 6 }), 'six sessions run');
for my $round (1 .. 2) {
    sleep 1;
    psql("select pg_terminate_backend(pid) from pg_stat_activity"
          . " where application_name = 'ordermill run'");
    ok(wait_until(sub { sessions_of('run') == 6 }), 'all come back');
}
($exit, $out, $err) = $run->finish;
$json = JSON::PP::decode_json($out);
$deferred = $json->{deferred_delivery};
is($json->{status}, 'complete', 'the level goes on') or diag $err;
is($json->{connections_lost}, 12, 'every loss is counted');
is($deferred->{done} + $deferred->{failed} + $deferred->{lost} + $deferred->{left},
    $deferred->{queued}, 'every delivery that was queued has its end');
is($json->{verdicts}{consistency}, 'PASS', 'new-orders are counted as ever');
is(sessions_of('run'), 0, 'no session is left');

# ---- a level that is ended: bounded, and what is left is counted ----

$holder = hold("lock table $schema.new_order in exclusive mode");
ok(wait_until(sub { psql("select count(*) from pg_locks where mode = 'ExclusiveLock'"
          . " and relation = '$schema.new_order'::regclass") > 0 }), 'a lock is held');
$run = in_background('run', '--schema', $schema, '-u', 2, '-t', '60s', '--ramp-up', '0s', '--rate',
    1200, '--threads', 1, '--delivery', 'deferred', @mix);
ok(wait_until(sub { sessions_of('run') == 3 }), 'a level runs');
sleep 2;
$run->signal('INT');
my $asked = time;
($exit, my $text, $err) = $run->finish;
is($exit, 130, 'it can be interrupted') or diag $err;
cmp_ok(time - $asked, '<', 20, 'without waiting for its deliveries');
like($text, qr/^Delivery +\d+ +0 +1 +0 +[1-9]\d* +0\.00 %$/m,
    'one was cancelled, the others were left, and both are told');
is(sessions_of('run'), 0, 'no session is left');
release($holder);
($exit, $out, $err) = kit('check', '--schema', $schema);
is($exit, 0, 'all conditions hold') or diag "$out$err";

# ---- refusals ----

my @short = ('--schema', $schema, '-t', '1s', '--ramp-up', '0s');
($exit, $out, $err) = kit('run', @short, '--delivery-file', $file);
is("$exit|$out", '2|', 'a file without deferred deliveries');
like($err, qr/\Aordermill: a file of deliveries .*\nhint: add --delivery deferred\n\z/, 'one clear line');
($exit, $out, $err) =
  kit({env => {PGHOST => '/nowhere'}}, 'run', @short, '--delivery', 'deferred', '--delivery-file',
    '/nowhere/x');
is("$exit|$out", '7|', 'a file that cannot be written');
like($err, qr{\Aordermill: cannot write the deliveries to "/nowhere/x": }, 'is found before connecting');

# ---- in a profile ----

my $profile = folder() . '/deferred.xml';
spew($profile, <<"XML");
<profile name="deferred" version="1">
  <connection schema="$schema"/>
  <scale warehouses="2"/>
  <workload delivery="deferred" delivery-sessions="2"/>
  <ladder virtual-users="2"/>
  <timing ramp-up="0s" measure="2s"/>
</profile>
XML
($exit, $out, $err) = kit('autopilot', $profile, '-o', folder() . '/run', '--json');
$json = eval { JSON::PP::decode_json($out) } or diag $err;
$deferred = $json->{steps}[0]{run}{deferred_delivery};
is($deferred->{sessions}, 2, 'a profile may say so');
$file = folder() . '/run/deliveries-1.csv';
cmp_ok(scalar rows(), '>=', $deferred->{done}, 'and its run folder has the rows');

done_testing;

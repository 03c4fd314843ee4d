# One load level: its figures, and that they agree with the database.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Test::More;
use Kit;
use Loaded;

my $schema = loaded_schema(2);
my @types = qw(new_order payment order_status delivery stock_level);

sub counters {
    my $sql = "select (select sum(d_next_o_id) from $schema.district),"
      . " (select count(*) from $schema.history)";
    return split /\|/, psql($sql);
}

# ---- a sound level ----

my ($orders, $payments) = counters();
my ($exit, $json, $err) = run_json($schema, '-u', 4, '-t', '3s', '--threads', 2);
my ($orders_after, $payments_after) = counters();
is($exit, 0, 'exit status of a sound level') or diag $err;
is($json->{status}, 'complete', 'it is complete');
is($json->{new_orders_driver}, $orders_after - $orders,
    'new-orders the driver saw commit = growth of the order counters');
is($json->{new_orders_database}, $orders_after - $orders, 'as the driver read them itself');
is($json->{verdicts}{consistency}, 'PASS', 'and so it says');
is($json->{verdicts}{errors}, 'PASS', 'no errors');
is_deeply($json->{errors}, {}, 'none at all');
is("$json->{virtual_users} $json->{threads} $json->{warehouses} $json->{seed}", '4 2 2 42',
    'the level is described');
is($json->{isolation}, 'read committed', 'the isolation level is the server\'s');

my $new_order = $json->{transactions}{new_order};
my $minutes = $json->{elapsed_s} / 60;
cmp_ok(abs($json->{elapsed_s} - 3), '<', 0.5, 'the window is as long as asked for');
cmp_ok(abs($json->{nopm} - $new_order->{committed} / $minutes), '<', 0.1, 'NOPM');
my $ended = 0;
$ended += $_->{committed} + $_->{rolled_back} for values %{$json->{transactions}};
cmp_ok(abs($json->{tpm} - $ended / $minutes), '<', 0.1, 'TPM');
for my $type (@types) {
    my $figures = $json->{transactions}{$type};
    cmp_ok($figures->{committed}, '>', 0, "$type committed");
    my $response = $figures->{response_us};
    ok($response->{p50} <= $response->{p90} && $response->{p90} <= $response->{p99}
          && $response->{p99} <= $response->{max}, "$type: percentiles rise");
}
is($json->{inputs}{new_orders}, $new_order->{committed} + $new_order->{rolled_back},
    'inputs are those of the new-orders of the window');
is($new_order->{rolled_back}, $json->{inputs}{rollbacks_intended},
    'exactly the orders with an unused item were rolled back');
cmp_ok($payments_after - $payments, '>=', $json->{transactions}{payment}{committed},
    'every payment left its history');
cmp_ok($json->{client}{cpu_us_per_transaction}, '>', 0, 'client CPU is measured');

# ---- text ----

($exit, my $text, $err) =
  kit('run', '--schema', $schema, '-u', 3, '-t', '1s', '--ramp-up', '0s', '--mix', '0,100,0,0,0');
is($exit, 0, 'a level of payments alone') or diag $err;
like($text, qr{^  NOPM not applicable   no new-order in the mix$}m, 'has no NOPM');
like($text, qr/^Payment +[1-9]\d* +100\.00%/m, 'and nothing but payments');
like($text, qr/^  consistency   PASS/m, 'its verdicts are there');
like($text, qr/derived from the TPC-C Benchmark and is not comparable/, 'and the disclaimer');
is_deeply([grep { length > 80 } split /\n/, $text], [], 'in 80 columns');
like($err, qr/3 virtual users share 2 warehouses/, 'more virtual users than warehouses are noted');

# ---- a limit on transactions ----

($exit, $json, $err) = run_json($schema, '-u', 2, '-t', '60s', '--transactions', 50);
is($json->{status}, 'complete', 'a limit on transactions ends a level') or diag $err;
is($json->{cut_by_transactions}, JSON::PP::true(), 'which is flagged');
is($json->{transactions_max}, 50, 'with the limit');
cmp_ok($json->{elapsed_s}, '<', 30, 'long before its time');
$ended = 0;
$ended += $_->{committed} + $_->{rolled_back} for values %{$json->{transactions}};
cmp_ok($ended, '>=', 50, 'and not before the limit');
cmp_ok(abs($json->{tpm} - $ended / $json->{elapsed_s} * 60), '<', 0.1, 'rates divide by the time it was');
is($json->{verdicts}{consistency}, 'PASS', 'counts agree');
($exit, $text, $err) =
  kit('run', '--schema', $schema, '-u', 2, '-t', '60s', '--ramp-up', '0s', '--transactions', 1);
like($text, qr/^CUT SHORT: the limit of 1 transaction ended the window of 1m00s$/m, 'and in text');
is($json->{max_error_share}, 0.01, 'the share of errors allowed is told');
($exit, $json, $err) = run_json($schema, '-t', '1s', '--transactions', 1000000000);
is($json->{cut_by_transactions}, JSON::PP::false(), 'a limit that is not reached is no flag');

# ---- virtual users that come slowly ----

($exit, $json, $err) = run_json($schema, {env => {PGOPTIONS => '-c post_auth_delay=1'}},
    '-u', 20, '-t', '1s', '--ramp-up', '0s', '--threads', 1);
is($json->{status}, 'complete', 'slow logins only delay the window') or diag $err;
cmp_ok($json->{elapsed_s}, '<', 2, 'which is no longer for it');
is($json->{verdicts}{consistency}, 'PASS', 'transactions before the window are counted too');

# ---- calibrate ----

($exit, my $out, $err) =
  kit('calibrate', '--schema', $schema, '-u', 2, '-t', '1s', '--ramp-up', '0s', '--json');
is($exit, 0, 'calibrate') or diag $err;
my $calibration = JSON::PP::decode_json($out);
cmp_ok($calibration->{calls}, '>', 100, 'calls are made');
is($calibration->{failed}, 0, 'none fails');
cmp_ok($calibration->{client}{cpu_us_per_call}, '>', 0, 'each costs something');
($exit, $out, $err) = kit('calibrate', '--schema', $schema, '-t', '1s', '--ramp-up', '0s');
like($out, qr/^client CPU +[\d.]+ us   per call/m, 'calibrate as text');

# ---- what others on the machine see ----

{
    my $dbname = "dbname=$ENV{PGDATABASE} user=$ENV{PGUSER} password=hidden";
    sessions_ended();
    my $run = in_background('run', '-d', $dbname, '--schema', $schema, '-t', '2s', '--ramp-up', '0s');
    ok(wait_until(sub { psql("select count(*) from pg_stat_activity where application_name like
                              'ordermill %'") > 1 }), 'a level with a password runs');
    my $words = slurp('/proc/' . $run->pid . '/cmdline');
    like($words, qr/--schema\0$schema\0/, 'the process list shows its options');
    unlike($words, qr/hidden/, 'but not its password');
    is(($run->finish)[0], 0, 'and it was connected by it');
}
($exit, $out, $err) = run('sh', '-c', "exec '$ENV{ORDERMILL}' check --schema $schema >&-");
is($exit, 7, 'without a standard output: exit status');
like($err, qr/^ordermill: cannot write to standard output: Bad file descriptor$/m,
    'nothing else takes its place');

# ---- afterwards ----

ok(sessions_ended(), 'no session is left');
($exit, $out, $err) = kit('check', '--schema', $schema);
is($exit, 0, 'all conditions hold') or diag $out;

done_testing;

# Paced terminals that share sessions, and open load against a server that stands still.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use JSON::PP ();
use Test::More;
use Time::HiRes qw(sleep);
use Kit;
use Loaded;

my $schema = loaded_schema(2);

# ---- paced terminals ----

my ($exit, $json, $err) =
  run_json($schema, '--pacing', '0.02', '--sessions', 3, '--mix', 'deck', '-t', '4s');
is($json->{status}, 'complete', 'a paced run is complete') or diag $err;
is($json->{virtual_users}, 20, 'ten terminals for each warehouse');
my $load = $json->{load};
is("$load->{sessions} $load->{pacing} $load->{home} $load->{arrivals}", '3 0.02 spread closed',
    'the load is described');
is($load->{efficiency}, undef, 'no efficiency but at the standard\'s pace');
is($json->{new_orders_driver}, $json->{new_orders_database}, 'all orders are counted');
like($json->{verdict_figures}{errors}, qr/; 0 of 3 sessions lost\z/, 'what can be lost are sessions');
cmp_ok(abs($load->{keying_s_mean}{new_order} - 0.36), '<', 1e-6, 'keying 18 s * 0.02');
cmp_ok(abs($load->{keying_s_mean}{payment} - 0.06), '<', 1e-6, 'keying 3 s * 0.02');
cmp_ok($load->{think_s_mean}{new_order}, '>', 0.12, 'think times are drawn');
cmp_ok($load->{think_s_mean}{new_order}, '<', 0.48, 'around 12 s * 0.02');
my $thinks = 0;
$thinks += $_ for @{$load->{think_distribution}{new_order}{counts}},
  $load->{think_distribution}{new_order}{beyond};
cmp_ok($thinks, '>', 0, 'their distribution is there');
# 20 terminals * 60 s / (20.99 s * 0.02 and what the server takes) are at most 2858 a minute.
cmp_ok($json->{tpm}, '<', 2858 * 1.25, 'the waits hold the load down');
cmp_ok($json->{tpm}, '>', 0, 'and not altogether');

($exit, $json, $err) = run_json($schema, '--pacing', 'standard', '-t', '3s');
cmp_ok($json->{load}{efficiency}, '>=', 0, 'efficiency at the standard\'s pace');
is($json->{load}{sessions}, 20, 'a session each where there are few terminals');
cmp_ok($json->{client}{cpu_user_s}, '>=', 0, 'a driver that has little to do takes no less than nothing');
cmp_ok($json->{client}{cpu_system_s}, '>=', 0, 'of either kind');

# ---- homes ----

($exit, $json, $err) = run_json($schema, '-u', 2, '--home', 'any', '-t', '2s');
is($json->{load}{home}, 'any', 'homes drawn anew');
my $homes = $json->{load}{home_new_orders};
cmp_ok($homes->{least}, '>', 0, 'every warehouse has its work');
is($homes->{median}, $homes->{least}, 'the lower one of two is in the middle');
cmp_ok($homes->{least} + $homes->{most}, '==', $json->{new_orders_driver},
    'and together they have all of it');

# ---- open load ----

my @stopped;

# Stops the whole server for so long.
sub stop_server {
    my ($seconds) = @_;
    my ($postmaster) = split /\n/,
      slurp(psql("select setting from pg_settings where name = 'data_directory'") . '/postmaster.pid');
    @stopped = ($postmaster, split /\n/, psql('select pid from pg_stat_activity'));
    kill 'STOP', $_ for @stopped;
    sleep $seconds;
    kill 'CONT', $_ for reverse @stopped;
    @stopped = ();
    return;
}
END { kill 'CONT', reverse @stopped if @stopped }

sessions_ended();
my $run = in_background('run', '--schema', $schema, '--json', '-u', 4, '--rate', 3000,
    '--arrivals', 'regular', '--ramp-up', '500ms', '-t', '12s');
ok(wait_until(sub { sessions_of('run') == 4 }), 'four virtual users run');
sleep 3;
stop_server(5);
my (undef, $out) = $run->finish;
$json = JSON::PP::decode_json($out);
is($json->{status}, 'complete', 'the run went on');
is($json->{load}{arrivals}, 'regular', 'an open load');
is($json->{load}{skipped}, 0, 'nothing was skipped');
cmp_ok($json->{load}{waiting_most}, '>', 150, 'a backlog of most of 250 was seen');
my $new_order = $json->{transactions}{new_order};
cmp_ok($new_order->{response_us}{p99}, '>', 4_000_000,
    'a stop of five seconds is in the response times');
cmp_ok($new_order->{service_us}{p90}, '<', 1_000_000, 'and hidden in the service times');
cmp_ok($json->{load}{queue_us}{p99}, '>', 3_500_000, 'the wait is told apart');
# 50 arrivals a second, whatever the server did: all of twelve seconds but those still to end.
my $all = 0;
$all += $_->{committed} + $_->{rolled_back} for values %{$json->{transactions}};
cmp_ok($all + $json->{load}{waiting} + $json->{unfinished}, '>=', 580, 'arrivals kept coming');

($exit, $out, $err) =
  kit('run', '--schema', $schema, '--rate', 100, '--pacing', 'standard');
is($exit, 2, 'rate and pacing exclude each other');
like($err, qr/\Aordermill: a rate and pacing exclude each other\nhint: /, 'and it is said why');

done_testing();

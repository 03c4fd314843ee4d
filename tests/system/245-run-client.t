# A driver that has too little of the machine must say so: pinned to one processor, which others
# use as well, with 16 virtual users who call a procedure that does nothing.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Test::More;
use Kit;
use Loaded;

my $schema = loaded_schema(2);
my ($first) = slurp('/proc/self/status') =~ /^Cpus_allowed_list:\s+(\d+)/m;
my @pinned = ('taskset', '-c', $first);

my @others = map { Kit::Process->start({}, @pinned, 'perl', '-e', '1 while 1') } 1 .. 8;
my ($exit, $out, $err) = run(@pinned, $ENV{ORDERMILL}, 'calibrate', '--schema', $schema, '-u', 16,
    '-t', '5s', '--ramp-up', '1s', '--json');
$_->kill_all for @others;
is($exit, 0, 'the calibration runs') or diag $err;
my $json = JSON::PP::decode_json($out);
is($json->{threads}, 1, 'one thread for one processor');
is($json->{verdicts}{client}, 'FAIL', 'the client was the limit');
like($json->{verdict_figures}{client},
    qr/\ACLIENT LIMITED: driver used \d+ % of 1 core and waited for one \d+ %; /, 'with figures');

# ---- memory: what a transaction takes it gives back ----

my $run = in_background('calibrate', '--schema', $schema, '-u', 4, '-t', '10s', '--ramp-up', '1s', '--json');
sub resident_kb { return slurp('/proc/' . $run->pid . '/status') =~ /^VmRSS:\s+(\d+)/m ? $1 : undef }
ok(wait_until(sub { sessions_of('calibrate') == 4 }), 'a calibration runs');
sleep 3;
my $before = resident_kb();
sleep 4;
my $growth = resident_kb() - $before;
($exit, $out, $err) = $run->finish;
cmp_ok(JSON::PP::decode_json($out)->{calls}, '>', 1000, 'many calls') or diag $err;
cmp_ok($growth, '<', 512, 'and memory does not grow with them');

($exit, $json, $err) = run_json($schema, '-u', 2, '-t', '1s');
cmp_ok($json->{client}{rtt_us_before}, '>', 0, 'the round trip before') or diag $err;
cmp_ok($json->{client}{rtt_us_after},  '>', 0, 'and after the load');
cmp_ok($json->{client}{host_busy_percent}, '>', 0, 'how busy the host was');
ok(exists $json->{client}{host_steal_percent}, 'and what its hypervisor took');

done_testing;

# Killed at random moments and resumed each time, a run of the autopilot comes to the end that it would
# have come to: the same steps, settings and report, and nothing that was stored is measured again.
#
# Goes on until AUTOPILOT_KILLS (6) ends were survived; a run that completed before its end came is
# compared, and another begun. AUTOPILOT_KILL_SEED repeats the moments of another run, as far as the
# machine does.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use Kit;
use Loaded;
use RunFolder;
use Test::More;
use Time::HiRes qw(sleep time);

my $wanted = $ENV{AUTOPILOT_KILLS}     // 6;
my $seed   = $ENV{AUTOPILOT_KILL_SEED} // time % 100000;
srand $seed;
diag "AUTOPILOT_KILL_SEED=$seed";

my $schema  = loaded_schema(1);
my $profile = folder() . '/kills.xml';
spew($profile, <<"END");
<profile name="kills" version="1">
  <connection schema="$schema"/>
  <scale warehouses="1"/>
  <ladder virtual-users="1 2" repeats="2" order="random"/>
  <timing ramp-up="0" measure="1s"/>
  <hooks before-run="echo begin" before-step="echo before; sleep 0.2; echo more" after-step="echo after"
         after-run="echo end"/>
</profile>
END

# --- undisturbed ---------------------------------------------------------------------------------

my $whole = folder() . '/whole';
my $begun = time;
my ($exit, $out, $err) = kit('autopilot', $profile, '-o', $whole, '--allow-hooks');
my $takes = time - $begun;
ok $exit == 0 || $exit == 1, 'undisturbed' or diag "exit $exit\n$err";
my $steps = 'select number, virtual_users, repeat, seed, status, warehouses, ramp_up_us, measure_us from step';
my $run   = 'select name, profile, fingerprint, build, status, steps_planned, check_done, check_moment from run';
my %expected = map { $_ => store($whole, $_) } $steps, $run, 'select * from run_setting';

# --- the kills -----------------------------------------------------------------------------------

my ($folder, %survived);
my ($kills, $runs, $stored) = (0, 0, '');

# Where it was: in the last state that its journal knows.
sub where {
    return 'the beginning' if !-s "$folder/run.sqlite";
    my ($exit, $what) = run('sqlite3', '-cmd', '.timeout 9000', "$folder/run.sqlite",
        'select what from journal order by ordinal desc limit 1');
    chomp $what;
    return $exit != 0 || !length $what ? 'the beginning' : "after: $what";
}

# One attempt; whether it was killed before its end. A kill between the last word of the journal and the
# end of the process leaves a complete run, and there is nothing to go on with.
sub disturb {
    my @arguments = -s "$folder/run.sqlite" ? ('--resume', $folder) : ($profile, '-o', $folder);
    my $run = in_background('autopilot', @arguments, '--allow-hooks');
    my $end = time + rand $takes;
    sleep 0.005 while $run->alive && time < $end;
    $run->signal('KILL');
    my ($exit, $out, $err) = $run->finish;
    my $was_over = $exit == 7 && $err =~ /is complete: there is nothing to go on with/;
    ok $exit == 0 || $exit == 1 || $exit == 137 || $was_over, "ends as it should: $exit" or diag $err;
    $survived{where()}++ if $exit == 137;
    return $exit == 137;
}

# What is stored is whole, and what was there before is still there.
sub look {
    return if !-s "$folder/run.sqlite";
    my ($exit, $sound) = run('sqlite3', '-cmd', '.timeout 9000', "$folder/run.sqlite", 'pragma integrity_check');
    is $sound, "ok\n", 'the store is sound';
    my ($status, $now) = run('sqlite3', '-cmd', '.timeout 9000', "$folder/run.sqlite",
        'select number, started_wall_us, new_orders_driver from step');
    is substr($status == 0 ? $now : '', 0, length $stored), $stored, 'what was stored is as it was';
    $stored = $status == 0 ? $now : '';
    return;
}

sub compare {
    is store($folder, $_), $expected{$_}, 'the same: ' . (/from (\w+)/)[0] for sort keys %expected;
    is without_figures($folder), without_figures($whole), 'the report is what it would have been';
    my @missing = grep { !-e "$folder/hooks/$_" } map { /([^\/]+)\z/ } glob "$whole/hooks/*";
    is "@missing", '', 'every hook has left what it printed';
    ok !-e "$folder/run.lock", 'no lock is left';
    return;
}

while ($kills < $wanted && $runs < 5 * $wanted) {
    if (!defined $folder) {
        ($folder, $stored) = (folder() . '/killed-' . ++$runs, '');
    }
    my $killed = disturb();
    $kills += $killed;
    look();
    if (!$killed) {
        compare();
        undef $folder;
    }
}
if (defined $folder) {
    my @arguments = -s "$folder/run.sqlite" ? ('--resume', $folder) : ($profile, '-o', $folder);
    ($exit, $out, $err) = kit('autopilot', @arguments, '--allow-hooks');
    ok $exit == 0 || $exit == 1, 'the last one comes to its end' or diag "exit $exit\n$err";
    compare();
}
diag "survived: $_: $survived{$_}" for sort keys %survived;
diag "survived: $kills in all";
is $kills, $wanted, 'so many ends were survived';

done_testing;

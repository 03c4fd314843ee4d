# Locks that nobody lets go of: each state keeps its limit of time, and a signal ends each of them
# within seconds. The locks are held for ten minutes, so that a test which waits for one fails.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use Holder;
use Kit;
use Loaded;
use RunFolder;
use Test::More;

my $schema  = loaded_schema(1);
my $profile = folder() . '/limits.xml';

spew($profile, <<"END");
<profile name="limits" version="1">
  <connection schema="$schema"/>
  <scale warehouses="1"/>
  <ladder virtual-users="1"/>
  <timing ramp-up="0" measure="1s"/>
</profile>
END

sub lock_of { return qq{lock table "$schema"."$_[0]" in access exclusive mode} }

my ($exit, $out, $err);

# The states before the first step: an error, and no folder.
for my $case (['ordermill_build', 'build'], ['item', 'environment']) {
    my ($table, $state) = @$case;
    my $folder = folder() . "/$state";
    my $holder = hold(lock_of($table));
    ($exit, $out, $err) = kit('autopilot', $profile, '-o', $folder, '--set', 'patience=1s');
    is $exit, 5, "$state: its limit ends it";
    like $err, qr/^ordermill: $state: no answer within the limit of time$/m, "$state: said so";
    ok !-e $folder, "$state: no folder";

    my $run = in_background('autopilot', $profile, '-o', $folder);
    ok waits_for_a_lock(), "$state: stuck";
    $run->signal('INT');
    ($exit, $out, $err) = $run->finish;
    is $exit, 130, "$state: a signal ends it" or diag $err;
    ok !-e $folder, "$state: interrupted: no folder";
    release($holder);
}

# A session of the kit that does not go: the step fails, which is the end of the only one.
{
    my $folder = folder() . '/reset';
    my $holder = hold('select 1', 'ordermill other');
    ($exit, $out, $err) = kit('autopilot', $profile, '-o', $folder, '--set', 'patience=1s');
    is $exit, 5, 'reset: the run failed' or diag $err;
    is store($folder, 'select status, reason from step'),
      'failed|1 other session of ordermill in this database after 1 s', 'reset: its limit ends it';
    ok -s "$folder/report.html", 'reset: and it is reported';

    $folder = folder() . '/reset-signal';
    my $run = in_background('autopilot', $profile, '-o', $folder);
    ok wait_for_row($folder, q{select 1 from journal where what = 'reset'}), 'reset: begun';
    $run->signal('TERM');
    ($exit, $out, $err) = $run->finish;
    is $exit, 143, 'reset: a signal ends it' or diag $err;
    is store($folder, 'select status, steps_planned from run'), 'interrupted|1', 'reset: labelled';
    like slurp("$folder/report.txt"), qr/interrupted/, 'reset: and reported';
    release($holder);
}

# A signal while everybody waits for a lock, in the step and in the check.
{
    my $folder = folder() . '/signal';
    my $run = in_background('autopilot', $profile, '-o', $folder, '--set', 'measure=60s');
    $run->wait_for(qr/measuring for/);
    my $holder = hold(lock_of('district'));
    ok waits_for_a_lock(), 'step: stuck';
    $run->signal('INT');
    ($exit, $out, $err) = $run->finish;
    is $exit, 130, 'step: a signal ends it' or diag $err;
    is store($folder, 'select status from step'), 'interrupted', 'step: labelled';
    like slurp("$folder/report.txt"), qr/interrupted/, 'step: and reported';
    like $err, qr{^hint: "ordermill autopilot --resume \Q$folder\E" goes on$}m, 'step: says how to go on';

    # It goes on there; the check then waits for the same lock.
    $run = in_background('autopilot', '--resume', $folder);
    ok waits_for_a_lock(), 'resumed: stuck';
    $run->signal('INT');
    ($exit, $out, $err) = $run->finish;
    is $exit, 130, 'resumed: a signal ends it' or diag $err;
    ok -e "$folder/run.sqlite", 'resumed: its folder stays';
    release($holder);
}

# A hanging gnuplot does not keep it either; a second signal ends it at once.
{
    mkdir folder() . '/bin' or die $!;
    spew(folder() . '/bin/gnuplot', "#!/bin/sh\nexec sleep 600\n");
    chmod 0755, folder() . '/bin/gnuplot';
    my %env = (PATH => folder() . "/bin:$ENV{PATH}");
    my $folder = folder() . '/report';
    my $run = in_background({env => \%env}, 'autopilot', $profile, '-o', $folder);
    $run->wait_for(qr/writing the report/);
    $run->signal('INT');
    ($exit, $out, $err) = $run->finish;
    is $exit, 130, 'report: a signal ends it' or diag $err;
    ok -s "$folder/report.html", 'report: it is there, without charts';
    ok -s "$folder/report.txt", 'report: and as text';

    $folder = folder() . '/twice';
    $run = in_background({env => \%env}, 'autopilot', $profile, '-o', $folder);
    $run->wait_for(qr/writing the report/);
    $run->signal('INT');
    wait_until(sub { 0 }, 0.2);
    $run->signal('INT');
    ($exit) = $run->finish;
    is $exit, 130, 'twice: exit 130';
    ok !-e "$folder/report.html", 'twice: at once, without a report';
}

done_testing;

# A run that is killed in each of its states, one after the other, and resumed each time: in the end
# it is what it would have been.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use Holder;
use Kit;
use RunFolder;
use Test::More;

my $schema  = fresh_schema('resume');
my $profile = folder() . '/resume.xml';
my $folder  = folder() . '/broken';

my $text = <<"END";
<profile name="resume" version="1">
  <connection schema="$schema"/>
  <scale warehouses="1" seed="7"/>
  <ladder virtual-users="1 2" repeat-first="false"/>
  <timing ramp-up="0" measure="1s"/>
</profile>
END
spew($profile, $text);

sub sessions {
    return psql(q{select count(*) from pg_stat_activity where application_name like 'ordermill %'});
}

sub killed {
    my ($where, $run, $pattern, $until) = @_;
    $run->wait_for($pattern) if $pattern;
    ok wait_until($until), "$where: it is there" if $until;
    $run->signal('KILL');
    my ($exit, $out, $err) = $run->finish;
    is $exit, 137, "$where: killed" or diag $err;
    is $out, '', "$where: nothing was printed";
    return $err;
}

sub resume { return in_background(@_, 'autopilot', '--resume', $folder) }

# While it builds.
killed('BUILD', in_background('autopilot', $profile, '-o', $folder), qr/building 1 warehouse/);
is store($folder, 'select status, build from run'), 'interrupted|', 'BUILD: no load is known yet';

# Before the first step, and in it. The profile may be gone: all that counts is in the store.
unlink $profile or die $!;
my $holder = hold('select 1', 'ordermill other');
my $err = killed('RESET', resume(), undef,
    sub { store($folder, q{select count(*) from journal where what = 'reset'}) });
like $err, qr/^going on with the run in \S+: 0 of 2 steps are there; broken off in build, which began at/m,
  'RESET: says where it goes on';
release($holder);
killed('STEP 1', resume(), qr/step 1 of 2: 1 virtual user, measuring/);

# Between the steps, and in the second.
my $run = resume();
$run->wait_for(qr/step 1 of 2: 1 virtual user, measuring/);
$holder = hold('select 1', 'ordermill between');
$err = killed('between', $run, qr/step 1 of 2: 1 virtual user: .* NOPM/,
    sub { store($folder, q{select count(*) from journal where what = 'reset' and step = 2}) });
release($holder);
is store($folder, 'select number, status from step'), '1|complete', 'between: the first step is stored';
my $first = store($folder, 'select started_wall_us, new_orders_driver from step');
$err = killed('STEP 2', resume(), qr/step 2 of 2: 2 virtual users, measuring/);
like $err, qr/1 of 2 steps are there; broken off in reset of step 2/, 'STEP 2: says where it goes on';
unlike $err, qr/building|step 1 of 2/, 'STEP 2: does nothing twice';
ok wait_until(sub { sessions() == 0 }), 'no session is left';

# The machine was restarted, and another program has the process number that the lock file names.
chomp(my $host = `uname -n`);
spew("$folder/run.lock", "process $$ on $host\n");

# In the check, and in the report, which gnuplot holds up.
killed('CHECK', resume(), qr/checking consistency/);
mkdir folder() . '/bin' or die $!;
spew(folder() . '/bin/gnuplot', "#!/bin/sh\nexec sleep 600\n");
chmod 0755, folder() . '/bin/gnuplot';
killed('REPORT', resume({env => {PATH => folder() . "/bin:$ENV{PATH}"}}), qr/writing the report/,
    sub { store($folder, 'select status from run') eq 'complete' });
ok !-e "$folder/report.html", 'REPORT: there is none yet';

# To the end.
my ($exit, $out);
($exit, $out, $err) = resume()->finish;
ok $exit == 0 || $exit == 1, 'the end: with a verdict' or diag "exit $exit\n$err";
like $err, qr/2 of 2 steps are there; broken off in report/, 'the end: goes on with the report';
unlike $err, qr/checking|measuring/, 'the end: and with nothing else';
is store($folder, 'select started_wall_us, new_orders_driver from step where number = 1'), $first,
  'the end: what was stored is as it was';
ok !-e "$folder/run.lock", 'the end: no lock is left';
is store($folder, q{select what || coalesce(' ' || nullif(step, 0), '') from journal
        where what in ('resumed', 'complete')}),
  join("\n", 'resumed', 'resumed 1', 'resumed 1', 'resumed 2', 'resumed 2', 'resumed', 'resumed', 'complete'),
  'the end: the journal says where it was broken off';

# The same without a break.
spew($profile, $text);
($exit, $out, $err) = kit('autopilot', $profile, '-o', folder() . '/whole');
ok $exit == 0 || $exit == 1, 'without a break' or diag "exit $exit\n$err";
my $steps = 'select number, virtual_users, repeat, seed, status, warehouses, ramp_up_us, measure_us from step';
is store($folder, $steps), store(folder() . '/whole', $steps), 'the steps are the same';
my $run_row = 'select name, profile, fingerprint, build, status, steps_planned, check_done, check_moment from run';
is store($folder, $run_row), store(folder() . '/whole', $run_row), 'the run is the same';
is store($folder, 'select * from run_setting'), store(folder() . '/whole', 'select * from run_setting'),
  'and so are its settings';

is without_figures($folder), without_figures(folder() . '/whole'),
  'the report is what it would have been';

# Ended by a signal: the step that it cut short is measured anew.
{
    my $cut = folder() . '/cut';
    my $run = in_background('autopilot', $profile, '-o', $cut, '--set', 'measure=3s');
    $run->wait_for(qr/step 2 of 2: 2 virtual users, measuring/);
    $run->signal('INT');
    my ($exit, $out, $err) = $run->finish;
    is $exit, 130, 'cut short: exit 130' or diag $err;
    is store($cut, 'select status from step'), "complete\ninterrupted", 'cut short: labelled';
    ($exit, $out, $err) = kit('autopilot', '--resume', $cut);
    ok $exit == 0 || $exit == 1, 'cut short: resumed' or diag "exit $exit\n$err";
    is store($cut, 'select number, virtual_users, seed, status from step'),
      "1|1|1007|complete\n2|2|2007|complete", 'cut short: measured anew, with the same seed';
    is store($cut, 'select count(*) from (select step from step_second group by step)'), 2,
      'cut short: nothing of the first try is left';
    unlike slurp("$cut/report.txt"), qr/interrupted/, 'cut short: the report is whole';
}

done_testing;

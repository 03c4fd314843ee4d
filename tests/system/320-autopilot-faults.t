# A step that fails, and a run that is ended by a signal: what was measured is kept and labelled.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use Holder;
use Kit;
use RunFolder;
use Test::More;

my $schema  = fresh_schema('faults');
my $profile = folder() . '/faults.xml';
my $count   = 0;

spew($profile, <<"END");
<profile name="faults" version="1">
  <connection schema="$schema"/>
  <scale warehouses="1"/>
  <ladder virtual-users="1 2 3" repeat-first="false"/>
  <timing ramp-up="0" measure="4s"/>
</profile>
END

# Ended while it builds: nothing was measured, nothing is left of the folder.
{
    my $folder = folder() . '/early';
    my $run = in_background('autopilot', $profile, '-o', $folder);
    $run->wait_for(qr/building 1 warehouse/);
    $run->signal('TERM');
    my ($exit, $out, $err) = $run->finish;
    is $exit, 143, 'SIGTERM while building: exit 143';
    is $out, '', 'no summary';
    ok !-e $folder, 'no folder';
    ok sessions_ended(), 'no session is left';
    ($exit, $out, $err) = kit('load', '-w', 1, '--schema', $schema, '-q', '--replace');
    is $exit, 0, 'and the load can be done again' or diag $err;
}

# Ended before the first step, while it waits for somebody's lock: no result, no report, no folder.
{
    my $folder = folder() . '/before';
    my $holder = hold("lock table \"$schema\".history");
    my $run = in_background('autopilot', $profile, '-o', $folder);
    ok waits_for_a_lock(), 'the size of the schema waits for a table that is locked';
    $run->signal('INT');
    my ($exit, $out, $err) = $run->finish;
    is $exit, 130, 'SIGINT before the first step: exit 130' or diag $err;
    is $out, '', 'no summary of nothing';
    ok !-e $folder, 'no folder with a report of nothing';
    ok sessions_ended(), 'no session is left';
    release($holder);
}

# The same of every command that reads what is there before it begins.
{
    my $holder = hold("lock table \"$schema\".ordermill_build");
    for my $command (['autopilot', $profile, '-o', folder() . '/none'],
        map { [@$_, '--schema', $schema] } ['run', '-t', '1s'], ['check'], ['checksum'], ['drop'],
        ['load', '--resume']) {
        my $run = in_background(@$command);
        ok waits_for_a_lock(), "$command->[0] waits for a table that is locked";
        $run->signal('TERM');
        my ($exit, $out, $err) = $run->finish;
        is $exit, 143, '... and is ended by the first SIGTERM' or diag $err;
        is_deeply [grep { /^ordermill/ } split /\n/, $err], ['ordermill: terminated'],
          '... which it says';
        ok sessions_ended(), '... no session is left';
    }

    # Even where the server does not answer.
    my $run = in_background('check', '--schema', $schema);
    ok waits_for_a_lock(), 'check waits for a table that is locked';
    my $frozen = psql(q{select pid from pg_stat_activity where application_name like 'ordermill%'});
    kill 'STOP', $frozen;
    $run->signal('INT');
    is +($run->finish)[0], 130, '... and is ended by the first SIGINT though its session is frozen';
    kill 'CONT', $frozen;
    ok sessions_ended(), '... no session is left when it thaws';
    release($holder);
}

# Ended in the middle of the second step.
{
    my $folder = folder() . '/partial';
    my $run = in_background('autopilot', $profile, '-o', $folder);
    $run->wait_for(qr/step 2 of 3: 2 virtual users, measuring/);
    $run->signal('INT');
    my ($exit, $out, $err) = $run->finish;
    is $exit, 130, 'SIGINT while measuring: exit 130' or diag $err;
    like $err, qr/^ordermill: interrupted$/m, 'says so';
    unlike $err, qr/checking consistency/, 'loses no time with checks';
    is store($folder, 'select status, check_done from run'), 'interrupted|0', 'the run is labelled';
    is store($folder, 'select number, status from step'), "1|complete\n2|interrupted",
      'the step before is whole, the step itself labelled';
    like $out, qr/interrupted|partial/i, 'so is the summary';
    like slurp("$folder/report.txt"), qr/interrupted|partial/i, 'so is the text report';
    like slurp("$folder/report.html"), qr/interrupted|partial/i, 'so is the HTML report';
    ok sessions_ended(), 'no session is left';
}

# A procedure goes while the first step runs: the other steps cannot begin, and say why.
{
    my $folder = folder() . '/broken';
    my $run = in_background('autopilot', $profile, '-o', $folder, '--set', 'measure=3s');
    $run->wait_for(qr/step 1 of 3: 1 virtual user, measuring/);
    my $names = psql(qq{select string_agg(format('%s', oid::regprocedure), ';') from pg_proc
        where pronamespace = '"$schema"'::regnamespace and proname = 'stock_level'});
    psql(qq{alter function $names rename to stock_level_gone});
    my ($exit, $out, $err) = $run->finish;
    is $exit, 1, 'a failed step: exit 1' or diag $err;
    like $err, qr/^ordermill: warning: step 2 of 3, 2 virtual users: failed: .*stock_level/m,
      'said when it happens';
    is store($folder, 'select status, steps_planned, check_done from run'), 'complete|3|1',
      'the run goes on to its end';
    is store($folder, 'select number, virtual_users, status from step'),
      "1|1|complete\n2|2|failed\n3|3|failed", 'every step is recorded';
    like store($folder, 'select reason from step where number = 3'), qr/stock_level/, 'with its reason';
    ok -s "$folder/report.html", 'and reported';
    $names =~ s/stock_level/stock_level_gone/;
    psql(qq{alter function $names rename to stock_level});
}

# The report cannot be written: the summary is printed all the same.
{
    my $folder = folder() . '/no-report';
    my $run = in_background('autopilot', $profile, '-o', $folder, '--set', 'ladder=1');
    $run->wait_for(qr/step 1 of 1: 1 virtual user, measuring/);
    mkdir "$folder/report.html" or die $!;
    my ($exit, $out, $err) = $run->finish;
    is $exit, 7, 'no report: exit 7' or diag $err;
    like $err, qr/^ordermill: .*report\.html/m, 'no report: named';
    like $out, qr/NOPM/, 'no report: but a summary';
    is store($folder, 'select count(*) from step_summary where nopm > 0'), 1, 'no report: but the step';
}

# Killed in the second step: the first one is there, and can be reported.
{
    my $folder = folder() . '/killed';
    my $run = in_background('autopilot', $profile, '-o', $folder);
    $run->wait_for(qr/step 2 of 3: 2 virtual users, measuring/);
    $run->signal('KILL');
    my ($exit) = $run->finish;
    is $exit, 137, 'killed';
    is store($folder, 'select number, status from step'), '1|complete', 'killed: the step before is whole';
    my ($code, $out, $err) = kit('report', $folder, '--format', 'text');
    ok $code == 0 || $code == 1, 'killed: a report can be made' or diag $err;
    like slurp("$folder/report.txt"), qr/interrupted|partial/i, 'killed: and is labelled';
    ok sessions_ended(), 'killed: no session is left';
}

done_testing;

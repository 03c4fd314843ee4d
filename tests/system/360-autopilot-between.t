# What happens between the steps: vacuum and checkpoint, for roles with and without the right to; steps
# that fail, and a server that is away for a while.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use Holder;
use Kit;
use RunFolder;
use Test::More;

my $schema  = fresh_schema('between');
my $profile = folder() . '/between.xml';

spew($profile, <<"END");
<profile name="between" version="1">
  <connection schema="$schema"/>
  <scale warehouses="1"/>
  <ladder virtual-users="1 2 3 4 5" repeat-first="false"/>
  <timing ramp-up="0" measure="1s"/>
</profile>
END

my ($exit, $out, $err) = kit('load', '-w', 1, '--schema', $schema, '-q');
is $exit, 0, 'one warehouse' or diag $err;

# Somebody vacuums while the run would begin; then it vacuums itself.
{
    my $folder = folder() . '/vacuum';
    my $vacuum = hold(qq{lock table "$schema".customer in share update exclusive mode});
    my $run = in_background('autopilot', $profile, '-o', $folder, '--set', 'ladder=1 2',
        '--set', 'repeat-first=true');
    ok wait_for_row($folder, q{select 1 from journal where what = 'reset'}), 'the run waits for it';
    release($vacuum);
    ($exit, $out, $err) = $run->finish;
    ok $exit == 0 || $exit == 1, 'a run of two levels' or diag $err;
    is store($folder, 'select number, virtual_users, repeat, seed from step'), "1|1|1|1042\n2|2|1|2042\n3|1|2|1043",
      'the first level once more at the end';
    like store($folder, q{select detail from journal where what = 'first level again'}),
      qr/^1 virtual user: [\d,]+ NOPM in step 1, [\d,]+ in step 3: \d\.\d{3} of it$/, 'compared with the first';
    is store($folder, q{select group_concat(step || ' ' || what, ', ') from journal where elapsed_us >= 0}),
      '1 autovacuum, 1 vacuum, 1 checkpoint, 2 vacuum, 2 checkpoint, 3 vacuum, 3 checkpoint', 'what was done is in the journal';
    cmp_ok store($folder, q{select min(bytes) from journal where what = 'vacuum'}), '>', 50e6,
      'with the size of the tables';
    cmp_ok psql(qq{select min(vacuum_count) from pg_stat_user_tables where schemaname = '$schema'
        and relname not like 'ordermill%'}), '>=', 2, 'and it was really done';
    like $out, qr/^Course of the run\n-+\nstep 1: autovacuum, .*\nstep 1: vacuum, \S+, \d+\.?\d* MB\n/m,
      'and in the report';
    like slurp("$folder/report.html"), qr/checkpoint/, 'in both of them';
}

# A role that may neither vacuum nor checkpoint.
{
    my $role = 'worker_' . $$;
    psql(qq{create role $role login; grant usage on schema "$schema" to $role;
        grant select, insert, update, delete on all tables in schema "$schema" to $role;
        grant execute on all functions in schema "$schema" to $role});
    my $folder = folder() . '/role';
    ($exit, $out, $err) = kit('autopilot', $profile, '-o', $folder, '-U', $role, '--set', 'ladder=1',
        '--set', 'autovacuum-wait=0');
    my $events = store($folder, q{select what || ': ' || detail from journal where detail <> ''});
    psql(qq{drop owned by $role; drop role $role});
    ok $exit == 0 || $exit == 1, 'a role without rights: measures' or diag $err;
    like $events, qr/^vacuum: \d+ tables belong to another role, and were left out$/m, 'says what it left out';
    like $events, qr/^checkpoint: refused: must be .*42501/m, 'and what was refused';
}

# Steps that fail: three in a row are enough; or one, where that is asked for.
{
    my $name = psql(qq{select oid::regprocedure from pg_proc where pronamespace = '"$schema"'::regnamespace
        and proname = 'stock_level'});
    # The preflight would find it before the first step: so it goes while that one runs.
    (my $back = $name) =~ s/stock_level/stock_level_gone/;
    my $folder = folder() . '/three';
    my $run = in_background('autopilot', $profile, '-o', $folder, '--set', 'reset=none', '--set', 'measure=2s');
    $run->wait_for(qr/step 1 of 5: 1 virtual user, measuring/);
    psql(qq{alter function $name rename to stock_level_gone});
    ($exit, $out, $err) = $run->finish;
    is $exit, 5, 'three failures: exit 5';
    like $err, qr/^ordermill: ended after 3 failed steps in a row$/m, 'three failures: said so';
    is store($folder, 'select group_concat(status) from step'), 'complete,failed,failed,failed',
      'three failures: the ladder ends there';
    is store($folder, 'select status, steps_planned from run'), 'failed|5', 'three failures: recorded';
    ok -s "$folder/report.html", 'three failures: and reported';

    # Mended, it goes on; with the other policy one failure ends it.
    psql(qq{alter function $back rename to stock_level});
    ($exit, $out, $err) = kit('autopilot', '--resume', $folder);
    ok $exit == 0 || $exit == 1, 'mended: goes on' or diag $err;
    is store($folder, 'select group_concat(status) from step'), 'complete,failed,failed,failed,complete',
      'mended: with the next step';

    $folder = folder() . '/stop';
    $run = in_background('autopilot', $profile, '-o', $folder, '--set', 'reset=none', '--set', 'measure=2s',
        '--set', 'on-failure=stop');
    $run->wait_for(qr/step 1 of 5: 1 virtual user, measuring/);
    psql(qq{alter function $name rename to stock_level_gone});
    ($exit, $out, $err) = $run->finish;
    psql(qq{alter function $back rename to stock_level});
    is $exit, 5, 'stop: exit 5';
    like $err, qr/^ordermill: ended after a failed step, as on-failure=stop has it$/m, 'stop: said so';
    is store($folder, 'select group_concat(status) from step'), 'complete,failed', 'stop: at the first failure';
}

# The server restarts in the middle of a step: that one has failed, the next one waits and begins.
{
    my $folder = folder() . '/restart';
    my $run = in_background('autopilot', $profile, '-o', $folder, '--set', 'ladder=1 2', '--set', 'measure=3s',
        '--set', 'reconnect=0s', '--set', 'wait-for-server=60s');
    $run->wait_for(qr/step 1 of 2: 1 virtual user, measuring/);
    crash_server(psql(q{select pid from pg_stat_activity where application_name like 'ordermill %' limit 1}));
    ($exit, $out, $err) = $run->finish;
    is $exit, 1, 'restart: a failed step: exit 1' or diag $err;
    is store($folder, 'select group_concat(status) from step'), 'failed,complete', 'restart: the ladder goes on';
    isnt store($folder, 'select reason from step where number = 1'), '', 'restart: with the reason of the first';
    is store($folder, 'select status, check_done from run'), 'complete|1', 'restart: to its end';
}

done_testing;

# A small profile from an empty database to its report, then once more on the same warehouses.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use JSON::PP;
use Kit;
use RunFolder;
use Test::More;

my $schema  = fresh_schema('auto Pilot');
my $folder  = folder() . '/run';
my $profile = folder() . '/small.xml';

spew($profile, <<"END");
<profile name="small" version="1">
  <title>Two levels &amp; two repeats</title>
  <connection schema="$schema"/>
  <scale warehouses="1" seed="7"/>
  <ladder virtual-users="2 1" repeats="2" order="interleaved"/>
  <timing ramp-up="0" measure="20s"/>
</profile>
END

# What the dry run says, and that it touches nothing.
{
    my ($exit, $out, $err) = kit('autopilot', $profile, '--dry-run', '--set', 'measure=1s', '-o', $folder);
    is $exit, 0, 'dry run';
    like $out, qr/^profile small: 4 steps of 0 ramp-up and 1s measurement$/m, 'says the plan';
    like $out, qr/^ +1 +1 +1\n +2 +2 +1\n +3 +1 +2\n +4 +2 +2$/m, 'in its order';
    is $err, '', 'and nothing else';
    ok !-e $folder, 'makes no folder';
    is psql(qq{select count(*) from pg_namespace where nspname = '$schema'}), 0, 'and no schema';

    ($exit, $out) = kit('autopilot', $profile, '--dry-run', '--json');
    my $plan = decode_json($out);
    is $plan->{profile}, 'small', 'as JSON';
    is join(' ', map { $_->{virtual_users} } @{$plan->{steps}}), '1 2 1 2', 'with the steps';
    is $plan->{total_s}, 4 * (20 + 2), 'and the time';
}

# The whole of it.
{
    my ($exit, $out, $err) = kit({env => {HOME => undef, PGOPTIONS => '-c work_mem=5MB -c jit=off'}},
        'autopilot', $profile, '--set', 'measure=1s', '-o', $folder);
    ok $exit == 0 || $exit == 1, 'ends with a verdict' or diag "exit $exit\n$err";
    like $out, qr{^report: \Q$folder\E/report\.html$}m, 'names the report';
    my ($command) = $out =~ m{^other forms \(JSON, XML, CSV, charts\): ordermill (report .*) DIR\n\z}m;
    ok $command, 'and the command for the other forms, last';
    my ($made) = run('sh', '-c', "exec \"\$ORDERMILL\" $command \"\$0\"", folder() . '/forms');
    is $made, $exit, 'which works as printed';
    ok -s folder() . "/forms/$_", "$_ is there" for qw(result.json result.xml csv/seconds.csv charts/curve-1.svg);
    like $err, qr/^building 1 warehouse$/m, 'builds what is missing';
    like $err, qr/^step 1 of 4: 1 virtual user, measuring for 1s$/m, 'says which phase it is in';
    like $err, qr/^step 4 of 4: 2 virtual users: [\d,]+ NOPM/m, 'and what each step gave';
    unlike $err, qr/\e|\r/, 'without terminal codes';
    ok -s "$folder/$_", "$_ is there" for qw(run.sqlite report.html report.txt);
    is((stat $folder)[2] & 07777, 0750, 'the folder is private');
    is((stat "$folder/$_")[2] & 0027, 0, "$_ is private") for qw(run.sqlite report.html report.txt);
    cmp_ok index($out, slurp("$folder/report.txt")), '>=', 0, 'prints the text report';
    like slurp("$folder/report.txt"), qr/^ordermill load --warehouses 1 --seed 7$/m, 'how to load the same rows again';
    (my $text = slurp("$folder/report.txt")) =~ s/\s+/ /g;
    like $text, qr/More virtual users \(up to 2\) than warehouses \(1\): 100 % of them share their home warehouse /,
      'who waits for whom';

    is store($folder, 'select name, status, steps_planned, check_done from run'),
      'small|complete|4|1', 'the run is complete';
    is store($folder, 'select number, virtual_users, repeat, seed, warehouses, status from step'),
      "1|1|1|1007|1|complete\n2|2|1|2007|1|complete\n3|1|2|1008|1|complete\n4|2|2|2008|1|complete",
      'all steps are stored, each with a seed of its own';
    is store($folder, 'select count(*) from step_summary where nopm > 0'), 4, 'and measured';
    is store($folder, 'select count(*) from step where new_orders_driver = new_orders_database'),
      4, 'and counted right';
    is store($folder, 'select count(*), sum(tested), sum(violations) from check_condition'),
      '13|13|0', 'the data are consistent';
    is store($folder, "select value, detail from environment where name = 'plan_cache_mode'"),
      'force_generic_plan|asked for at connection start', 'what the sessions asked for is disclosed';
    is store($folder, q{select name, value, detail from environment where fact_group = 'setting'}
          . q{ and name in ('jit', 'work_mem', 'application_name', 'client_encoding') order by name}),
      "jit|off|asked for at connection start\nwork_mem|5MB|asked for at connection start",
      'what PGOPTIONS asks for is too';
    is store($folder, "select value, detail from environment where fact_group = 'kit' and name = 'measure'"),
      '1s|option', 'what was overridden is disclosed';
    is store($folder, 'select profile from run'), slurp($profile), 'with the profile itself';
    is psql(q{select count(*) from pg_stat_activity where application_name like 'ordermill%'}),
      0, 'no session is left';
}

# A folder that holds results is not touched.
{
    my $before = slurp("$folder/run.sqlite");
    my ($exit, $out, $err) = kit('autopilot', $profile, '-o', $folder);
    is $exit, 7, 'a folder with results is refused';
    is $err, "ordermill: \"$folder\" is not empty\n"
      . "hint: name a new folder for the results, or leave the option out\n", 'with a line that says so';
    is slurp("$folder/run.sqlite"), $before, 'and left alone';
}

# The warehouses are used again, the default folder is a new one, sessions of others are waited for.
{
    my $other = Kit::Process->start({env => {PGAPPNAME => 'ordermill run'}}, 'psql', '-XAqtc',
        'select pg_sleep(4)', '-c', 'select (extract(epoch from clock_timestamp()) * 1e6)::bigint');
    wait_until(sub {
        psql(q{select count(*) from pg_stat_activity where application_name = 'ordermill run'
               and wait_event = 'PgSleep'}) > 0;
    });
    my ($exit, $out, $err) = kit({cwd => folder()}, 'autopilot', $profile, '--json',
        '--set', 'measure=1s', '--set', 'ladder=1', '--set', 'repeats=1', '--set', 'order=ascending');
    ok $exit == 0 || $exit == 1, 'a second run' or diag "exit $exit\n$err";
    unlike $err, qr/building/, 'builds nothing';
    my $result = decode_json($out);
    is scalar @{$result->{steps}}, 1, 'one document on stdout';
    is $result->{steps}[0]{virtual_users}, 1, 'with its step';
    my $failed = grep { $_ eq 'FAIL' } map { ref $_ ? $_->{outcome} // $_->{verdict} // '' : $_ }
      values %{$result->{verdicts}};
    is $exit, $failed ? 1 : 0, 'the exit status is what the verdicts say';

    my ($default) = glob folder() . '/ordermill-runs/small-*';
    like $default, qr/small-\d{8}-\d{6}$/, 'a folder of its own';
    my (undef, $ended) = $other->finish;
    $ended =~ s/\s//g;
    cmp_ok store($default, 'select started_wall_us from step'), '>', $ended,
      'the step began when no other session was left';
}

done_testing;

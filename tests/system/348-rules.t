# What a profile asks for around its steps: hooks, levels left out, checks, and windows that end when
# NOPM is known well enough.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use Kit;
use Loaded;
use RunFolder;
use Test::More;

my $schema = loaded_schema(1);
my $count  = 0;

sub profile {
    my ($inside, $ladder) = @_;
    my $path = folder() . '/p' . ++$count . '.xml';
    $ladder //= 'virtual-users="1" repeat-first="false"';
    spew($path, qq{<profile name="p" version="1">\n<connection schema="$schema"/>\n}
          . qq{<scale warehouses="1"/>\n$inside\n<ladder $ladder/>\n<reset method="none"/>\n}
          . ($inside =~ /<timing/ ? '' : qq{<timing ramp-up="0" measure="1s"/>}) . "\n</profile>\n");
    return $path;
}

# Hooks: only when allowed, in their order, with what they are told, and their output kept.
{
    my $folder = folder() . '/hooks';
    my $log = folder() . '/log';
    my $path = profile(<<"END");
<configurations>
  <configuration name="a"/>
  <configuration name="b" before-step="echo b-before &gt;&gt; $log" after-step="echo b-after &gt;&gt; $log"/>
</configurations>
<hooks before-run="echo begin &gt;&gt; $log; echo said; echo wrong &gt;&amp;2"
       before-step="echo \$ORDERMILL_STEP \$ORDERMILL_CONFIGURATION \$ORDERMILL_VIRTUAL_USERS \$ORDERMILL_WAREHOUSES &gt;&gt; $log; psql -XAtqc 'select 41 + 1'"
       after-step="echo after &gt;&gt; $log" after-run="echo end &gt;&gt; $log" time-limit="30s"/>
END
    my ($exit, $out, $err) = kit('autopilot', $path, '-o', $folder);
    is $exit, 3, 'hooks are not run unasked';
    $err =~ s/\Q$path\E/FILE/;
    is $err, "ordermill: FILE:10: before-run: the profile has shell commands, which run only with "
      . "--allow-hooks\nhint: read them first: they run as you\n", 'and said so';
    ok !-e $log && !-e $folder, 'nothing has run';
    ($exit, $out, $err) = kit('autopilot', $path, '--dry-run');
    is $exit, 0, 'a dry run runs none';

    ($exit, $out, $err) = kit({timeout => 120}, 'autopilot', $path, '-o', $folder, '--allow-hooks');
    ok $exit == 0 || $exit == 1, 'allowed' or diag "exit $exit\n$err";
    is slurp($log), "begin\n1 a 1 1\nafter\n2 b 1 1\nb-before\nb-after\nafter\nend\n", 'each in its place';
    is slurp("$folder/hooks/before-run.txt"), "said\nwrong\n", 'both streams are kept';
    is slurp("$folder/hooks/0001-before-step.txt"), "42\n", 'psql finds the server';
    is((stat "$folder/hooks/before-run.txt")[2] & 0027, 0, 'for its owner');
    is store($folder, q{select step || '|' || what || '|' || detail from journal where elapsed_us >= 0
        and what in ('before-run', 'before-step', 'after-step', 'after-run')}),
      join("\n", '0|before-run|11 bytes printed, in hooks/before-run.txt',
        '1|before-step|3 bytes printed, in hooks/0001-before-step.txt',
        '1|after-step|0 bytes printed, in hooks/0001-after-step.txt',
        '2|before-step|3 bytes printed, in hooks/0002-before-step.txt',
        '2|after-step|0 bytes printed, in hooks/0002-after-step.txt',
        '0|after-run|0 bytes printed, in hooks/after-run.txt'), 'each has a line in the journal';
    like slurp("$folder/report.txt"), qr{^step 1: before-step, \S+: 3 bytes printed, in\s+hooks/0001-before-step\.txt$}m,
      'and in the report';
    ($exit, $out, $err) = kit('autopilot', '--resume', $folder, '--allow-hooks');
    is $exit, 7, 'after the last hook the run is complete all the same' or diag $err;
    like $err, qr/is complete: there is nothing to go on with/, 'and says so';
    ($exit, $out, $err) = kit('autopilot', '--again', $folder, '-o', "$folder-again");
    is $exit, 3, 'a repeated run needs to be allowed anew';
    like $err, qr/^ordermill: the stored profile:10: before-run: .* only with --allow-hooks$/m, 'says so';
}

# A hook that fails, and one that takes too long, cost the step; the one after it runs all the same.
{
    my $folder = folder() . '/failing';
    my $log = folder() . '/restored';
    my $path = profile(qq{<hooks before-step="echo no; exit 3" after-step="echo x >> $log"/>});
    my ($exit, $out, $err) = kit('autopilot', $path, '-o', $folder, '--allow-hooks');
    is $exit, 7, 'a hook that fails' or diag $err;
    is store($folder, 'select status, reason from step'),
      'failed|before-step: env: exit status 3', 'its step has failed';
    is slurp("$folder/hooks/0001-before-step.txt"), "no\n", 'what it said is kept';
    is slurp($log), "x\n", 'what restores the state has run';
    is store($folder, q{select detail from journal where what = 'before-step' and elapsed_us >= 0}),
      'before-step: env: exit status 3; 3 bytes printed, in hooks/0001-before-step.txt', 'the journal knows';

    # Both that come after a step, though the first of them fails.
    $folder = folder() . '/both';
    ($exit, $out, $err) = kit('autopilot', profile(qq{<configurations><configuration name="a" after-step="echo own; exit 2"/>}
          . qq{</configurations><hooks after-step="echo of all; exit 3"/>}), '-o', $folder, '--allow-hooks');
    is slurp("$folder/hooks/0001-after-step.txt"), "own\nof all\n", 'after a step both have their turn';
    is store($folder, 'select status, reason from step'), 'failed|after-step: env: exit status 2', 'the first reason counts';

    # Before the run: there are no results, but there is what it printed; mended, the run goes on there.
    $folder = folder() . '/failing-run';
    my $switch = folder() . '/switch';
    ($exit, $out, $err) = kit('autopilot', profile(qq{<hooks before-run="echo first; test -e $switch"/>}),
        '-o', $folder, '--allow-hooks');
    is $exit, 7, 'a hook before the run that fails' or diag $err;
    like $err, qr{^hint: what it printed is in \Q$folder\E/hooks/before-run\.txt$}m, 'says where its output is';
    is slurp("$folder/hooks/before-run.txt"), "first\n", 'and there it is';
    spew($switch, '');
    ($exit, $out, $err) = kit('autopilot', '--resume', $folder, '--allow-hooks');
    ok $exit == 0 || $exit == 1, 'mended: goes on' or diag "exit $exit\n$err";
    is slurp("$folder/hooks/before-run.txt"), "first\n", 'mended: the first output is still there';
    is slurp("$folder/hooks/before-run.2.txt"), "first\n", 'mended: beside the second one';
    ($exit, $out, $err) = kit('autopilot', profile('<hooks before-run="sleep 60" time-limit="1s"/>'),
        '-o', folder() . '/slow', '--allow-hooks');
    is $exit, 7, 'a hook that hangs' or diag $err;
    like $err, qr/^ordermill: before-run: env: did not end within 1\.00s$/m, 'is ended';
}

# Killed in the middle of a hook: what it printed until then is there, and the run knows where it was. A
# monitor that a hook leaves behind keeps its place to write to.
{
    my $folder = folder() . '/killed';
    my $switch = folder() . '/killed-switch';
    my $path = profile(qq{<hooks before-step="echo first; while test ! -e $switch; do sleep 0.05; done; echo last"
        after-step="(sleep 0.3; echo late) &amp; echo soon" after-run="test -e $switch-end || exec sleep 60"/>});
    my $run = in_background('autopilot', $path, '-o', $folder, '--allow-hooks');
    my $output = "$folder/hooks/0001-before-step.txt";
    ok wait_until(sub { -s $output }), 'a hook that prints and goes on';
    $run->signal('KILL');
    $run->finish;
    is slurp($output), "first\n", 'killed in it: what it printed is there';
    spew($switch, '');
    ok wait_until(sub { slurp($output) =~ /last/ }), 'killed in it: and what it prints afterwards';
    $run = in_background('autopilot', '--resume', $folder, '--allow-hooks');
    $run->wait_for(qr/0 of 1 steps are there; broken off in before-step of step 1, which began at/);
    pass 'killed in it: the run knows where it was';
    ok wait_until(sub { -e "$folder/report.txt" && store($folder, q{select 1 from journal where what = 'after-run'}) }),
      'the hook after the run';
    $run->signal('KILL');
    $run->finish;
    is slurp("$folder/hooks/0001-before-step.2.txt"), "first\nlast\n", 'the second time has a file of its own';
    ok wait_until(sub { slurp("$folder/hooks/0001-after-step.txt") eq "soon\nlate\n" }), 'what a hook leaves behind writes on';
    spew("$switch-end", '');
    my ($exit, $out, $err) = kit('autopilot', '--resume', $folder, '--allow-hooks');
    ok $exit == 0 || $exit == 1, 'killed in the hook after the run: goes on for its sake' or diag "exit $exit\n$err";
    like $err, qr/1 of 1 steps are there; broken off in after-run, which began at/, '... and says so';
    is store($folder, q{select count(*) from journal where what = 'after-run' and elapsed_us >= 0}), 1, '... to its end';
    ($exit, $out, $err) = kit('autopilot', '--resume', $folder, '--allow-hooks');
    is $exit, 7, '... which is the end' or diag $err;
}

# A level over its limits: those above it are left out, and the run is whole.
{
    my $folder = folder() . '/stop';
    my $path = profile('<limits new-order="1ms" payment="1ms"/><stop over-limits="true"/>'
          . '<checks consistency="fast" when="steps"/>', 'virtual-users="1 2 3" repeat-first="false"');
    my ($exit, $out, $err) = kit({timeout => 120}, 'autopilot', $path, '-o', $folder, '--set',
        'limit-percentile=99.9');
    is $exit, 1, 'over the limits is a verdict' or diag $err;
    is store($folder, 'select virtual_users, status, reason from step'),
      "1|complete|\n2|skipped|1 virtual user: over the response-time limits\n"
      . '3|skipped|1 virtual user: over the response-time limits', 'the higher levels are left out';
    is store($folder, 'select status, steps_planned from run'), 'complete|3', 'the run is complete';
    like $err, qr/^step 3 of 3, 3 virtual users: left out: 1 virtual user: over/m, 'and says so';
    is store($folder, 'select count(*) from check_condition where tested'), 5, 'a fast check';
    unlike slurp("$folder/report.txt"), qr/failed or were interrupted|did not reach its end/, 'no warning';
}

# No check where none is wanted; broken data before the first step are found.
{
    my $folder = folder() . '/checks';
    my ($exit, $out, $err) = kit('autopilot', profile('<checks consistency="none"/>'), '-o', $folder);
    is store($folder, 'select check_done from run'), 0, 'no check';
    unlike $err, qr/checking consistency/, 'and no word of it';
    psql(qq{update "$schema".warehouse set w_ytd = w_ytd + 1});
    ($exit, $out, $err) = kit('autopilot', profile('<checks when="both"/>'), '-o', folder() . '/broken');
    is $exit, 6, 'broken data';
    like $err, qr/^ordermill: the data break the consistency conditions before the first step: \d+ violations?$/m,
      'are found before the first step';
    psql(qq{update "$schema".warehouse set w_ytd = w_ytd - 1});
}

# A window that goes on until NOPM is known: a coarse precision at once after enough seconds, an
# impossible one never.
{
    my $folder = folder() . '/precise';
    my $path = profile('<timing ramp-up="0" measure="5s" precision="100%" measure-most="60s"/>');
    my ($exit, $out, $err) = kit('autopilot', $path, '--dry-run');
    like $out, qr/^profile p: 1 step of 0 ramp-up and 5s to 1m measurement$/m, 'dry run: both times';
    like $out, qr/^at most 1m02s for the steps/m, 'and the most';
    ($exit, $out, $err) = kit({timeout => 120}, 'autopilot', $path, '-o', $folder);
    ok $exit == 0 || $exit == 1, 'precise' or diag "exit $exit\n$err";
    is store($folder, 'select precision, elapsed_us between 20000000 and 59000000,
        precision_reached between 0 and 1, measure_most_us from step'), '1.0|1|1|60000000',
      'the window ended when twenty whole seconds were there';
    ($exit, $out, $err) = kit('autopilot', $path, '-o', "$folder-not", '--set', 'precision=0.001%',
        '--set', 'measure=2s', '--set', 'measure-most=3s');
    is store("$folder-not", 'select elapsed_us / 1000000, precision_reached from step'), '3|-1.0',
      'the longest window';
    like slurp("$folder-not/report.txt"), qr/1 of 1 windows ended at their longest/, 'is warned of';
}

done_testing;

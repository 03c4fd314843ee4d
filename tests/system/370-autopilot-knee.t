# A search for the knee, killed in the middle and resumed: it finds its steps again and goes on.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use JSON::PP;
use Kit;
use RunFolder;
use Test::More;

my $schema  = fresh_schema('knee');
my $profile = folder() . '/knee.xml';
my $folder  = folder() . '/run';

spew($profile, <<"END");
<profile name="knee" version="1">
  <connection schema="$schema"/>
  <scale warehouses="1"/>
  <ladder virtual-users="1 4" search="knee" search-steps="7" repeats="2"/>
  <timing ramp-up="0" measure="1s"/>
  <reset method="none"/>
</profile>
END

my ($exit, $out, $err) = kit('autopilot', $profile, '--dry-run');
is $exit, 0, 'dry run' or diag $err;
like $out, qr/^profile knee: a search from 1 to at most 4 virtual users\nat most 7 steps of 0 ramp-up and 1s measurement, each level at most 2 times\n/,
  'says what it does not know yet';

my $run = in_background('autopilot', $profile, '-o', $folder);
$run->wait_for(qr/step 3 of 7: \d virtual users, measuring/);
$run->signal('KILL');
$run->finish;
my $first = store($folder, 'select number, virtual_users, repeat, seed from step');
like $first, qr/^1\|1\|1\|1042\n2\|2\|1\|2042$/, 'doubles first';

($exit, $out, $err) = kit('autopilot', '--resume', $folder);
ok $exit == 0 || $exit == 1, 'resumed: to its end' or diag "exit $exit\n$err";
like $err, qr/2 of 7 steps are there/, 'resumed: with what is stored';
my $steps = store($folder, 'select number, virtual_users, repeat, seed from step');
like $steps, qr/^\Q$first\E\n3\|4\|1\|4042\n/, 'goes on with the search';
my ($count, $planned) = split /\|/, store($folder, 'select (select count(*) from step), steps_planned from run');
cmp_ok $count, '<=', 7, 'within its budget';
is $planned, $count, 'the run has as many steps as the search took';
is store($folder, 'select status from run'), 'complete', 'and is complete';
my $top = store($folder, 'select virtual_users from step_summary group by virtual_users having count(*) > 1 limit 1');
isnt $top, '', 'the best levels were repeated';
like $out, qr/^[\d,]+ NOPM at \d virtual users?/m, 'the report names the peak';
unlike $out, qr/did not reach its end|interrupted/, 'and misses no step';

done_testing;

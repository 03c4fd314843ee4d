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

# What the search found, wherever somebody may read it; and the document of the report.
my $found = store($folder, q{select detail from journal where what = 'search'});
like $found, qr/\Ahighest within the limits: (?:none|[\d,]+ NOPM at \d virtual users? \([^()]+\)); peak: [\d,]+ NOPM at \d virtual users? \([^()]+\); one run scatters by \d+\.\d %.*; (?:ended with its budget of 7 steps, not because nothing was open|nothing was open after \d steps)\z/s,
  'what was found is in the journal, once';
(my $words = quotemeta $found) =~ s/\\ /\\s+/g;
like $err, qr/^search: $words$/m, 'and was said';
like $out, qr/^search: $words$/m, 'is in the report on the terminal';
like slurp("$folder/report.txt"), qr/^search: $words$/m, 'in report.txt';
like slurp("$folder/report.html"), qr/\Q$found\E/, 'in report.html';
my (undef, $json) = kit('report', $folder, '--format', 'json');
ok scalar(grep { ($_->{what} // '') eq 'search' && $_->{detail} eq $found } @{decode_json($json)->{journal}}),
  'and in JSON';
unlike $out, qr/did not reach its end|interrupted/, 'and misses no step';

# Made again: the steps that it found, in their order and with their seeds, and what they show this time.
my $again = folder() . '/again';
($exit, $out, $err) = kit('autopilot', '--again', $folder, '-o', $again);
ok $exit == 0 || $exit == 1, 'again' or diag "exit $exit\n$err";
is store($again, 'select number, virtual_users, repeat, seed from step'), $steps, 'again: the same steps';
my $now = store($again, q{select detail from journal where what = 'search'});
like $now, qr/\Ahighest within the limits: .*; peak: [\d,]+ NOPM at \d virtual users? .*; in the $count steps of the search that was made again\z/,
  'again: with a line of what they show';
($words = quotemeta $now) =~ s/\\ /\\s+/g;
like $_, qr/^search: $words$/m, 'again: which is said' for $err, $out;
is store($again, 'select status, steps_planned from run'), "complete|$count", 'again: and the run is complete';

# A search without bounds goes as far as the role has connections; one with bounds that the server has
# no room for does not begin.
my $role = 'narrow_' . $$;
psql(qq{create role $role login connection limit 5; grant usage on schema "$schema" to $role;
    grant select, insert, update, delete on all tables in schema "$schema" to $role;
    grant execute on all functions in schema "$schema" to $role});
$folder = folder() . '/narrow';
(my $open = slurp($profile)) =~ s/virtual-users="1 4" //;
spew(folder() . '/open.xml', $open);
($exit, $out, $err) = kit('autopilot', folder() . '/open.xml', '-o', $folder, '-U', $role, '--set', 'search-steps=4');
ok $exit == 0 || $exit == 1, 'a role with five connections: searches' or diag "exit $exit\n$err";
# One is the driver's own, one the sampler's.
is store($folder, q{select detail from journal where what = 'search limit'}),
  'curve 1: at most 3 virtual users: more connections are not free', 'and says how far';
cmp_ok store($folder, 'select max(virtual_users) from step'), '<=', 3, 'no further';
is store($folder, q{select count(*) from step where status <> 'complete'}), 0, 'no step fails for want of one';
($exit, $out, $err) = kit('autopilot', $profile, '-o', folder() . '/refused', '-U', $role, '--set', 'ladder=1 8');
is $exit, 5, 'asked for more than there is: refused' or diag $err;
like $err, qr/^ordermill: search up to 8: 8 virtual users need as many connections, but the server has only 4 free for this role \(CONNECTION LIMIT 5 of the role\)$/m,
  'with the reason, before the first step';
psql(qq{drop owned by $role; drop role $role});

done_testing;

# A run made again: the same steps with the same seeds in a new folder, and what both say together.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use Kit;
use RunFolder;
use Test::More;

my $schema  = fresh_schema('again');
my $profile = folder() . '/again.xml';
my ($old, $new) = (folder() . '/old', folder() . '/new');

spew($profile, <<"END");
<profile name="again" version="1">
  <connection schema="$schema"/>
  <scale warehouses="1" seed="11"/>
  <ladder virtual-users="1 2" repeats="3" order="random"/>
  <timing ramp-up="0" measure="5s"/>
  <reset method="none"/>
</profile>
END

my ($exit, $out, $err) = kit('autopilot', $profile, '-o', $old, '--set', 'measure=1s');
ok $exit == 0 || $exit == 1, 'the first run' or diag $err;
my $before = slurp("$old/run.sqlite");
unlink $profile or die $!;

($exit, $out, $err) = kit('autopilot', '--again', $old, '-o', $new);
ok $exit == 0 || $exit == 1, 'again' or diag "exit $exit\n$err";
my $steps = 'select number, virtual_users, repeat, seed, measure_us from step';
is store($new, $steps), store($old, $steps), 'the same steps, with the same seeds';
is store($new, 'select profile, fingerprint from run'), store($old, 'select profile, fingerprint from run'),
  'the same profile and settings';
is slurp("$old/run.sqlite"), $before, 'the first run stays as it was';
like $out, qr/^Again: this run against the one in \Q$old\E\n.*NOPM then.*\n +1 +[\d,]+ +[\d,]+ +\d\.\d+ +\d+\.\d+-\d+\.\d+ .*\n +2 /m,
  'says what both say together';
like $out, qr/^(?:reproduced: |not shown to be reproduced: \d of 2 levels are, \d differ)/m, 'with a verdict';
is index($out, slurp("$new/again.txt")) >= 0, 1, 'which is in the folder too';
is store($new, q{select detail from journal where what = 'again'}), $old, 'as is what it repeats';

# A level that was left out then is left out again, and none that was not: here by a hand in the store.
store($old, q{update step set status = 'skipped', reason = 'somebody said so' where virtual_users = 2});
($exit, $out, $err) = kit('autopilot', '--again', $old, '-o', "$new-less");
ok $exit == 0 || $exit == 1, 'a level left out' or diag "exit $exit\n$err";
is store("$new-less", 'select distinct virtual_users, status, reason from step order by 1'),
  "1|complete|\n2|skipped|as in the run that this one repeats: somebody said so", 'is left out again';

sub refused {
    my ($what, $status, $wanted, @options) = @_;
    my ($code, $text, $said) = kit('autopilot', '--again', @options);
    is $code, $status, "$what: exit $status";
    like $said, qr/\Aordermill: $wanted$/m, "$what: said so";
    return;
}
refused('another setting', 2, qr/--again: profile and settings are those of the run, --set does not go with it/,
    $old, '--set', 'measure=2s');
refused('a profile', 2, qr/--again: profile and settings are those of the run, a profile does not go with it/,
    $old, $profile);
refused('both', 2, qr/--resume and --again exclude each other/, $old, '--resume', $old);
refused('no run', 7, qr{"\Q@{[folder()]}\E" is not the folder of a run: it has no run\.sqlite}, folder());

done_testing;

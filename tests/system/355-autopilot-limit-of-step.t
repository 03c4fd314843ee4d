# A lock in the middle of a step that nobody lets go of: step and check keep their limits of time.
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

# A lock in the middle of a step: it fails, the check fails, each within its limit, and the report says
# so.
{
    my $folder = folder() . '/step';
    my $run = in_background('autopilot', $profile, '-o', $folder, '--set', 'patience=2s', '--set',
        'wait-for-server=0', '--set', 'measure=2s');
    $run->wait_for(qr/measuring for/);
    my $holder = hold(lock_of('district'));
    ($exit, $out, $err) = $run->finish;
    is $exit, 5, 'step: exit 5';
    like $err, qr/^ordermill: check: .*no answer within the limit of time/m, 'check: its limit ends it';
    is store($folder, 'select status, check_done from run'), 'failed|0', 'step: recorded as it was';
    like store($folder, 'select status, reason from step'),
      qr/^failed\|the order counters could not be read after the run: no answer within the limit/,
      'step: its limit ends it';
    ok -s "$folder/report.html", 'step: and there is a report';
    release($holder);
}

done_testing;

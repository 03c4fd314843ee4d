# A disk that fills up in the middle of a run: what is stored is summed up on the terminal, and with
# room again the run goes on.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use Kit;
use Loaded;
use RunFolder;
use Test::More;

my $schema = loaded_schema(2);
my $small  = folder() . '/small';
my $folder = "$small/run";
my $mounted;
END { my $status = $?; run('umount', $small) if $mounted; $? = $status }

mkdir $small or die "$small: $!\n";
my ($exit, $out, $err) = run('mount', '-t', 'tmpfs', '-o', 'size=32m', 'tmpfs', $small);
plan skip_all => "a file system cannot be mounted here: $err" if $exit != 0;
$mounted = 1;

my $profile = folder() . '/full.xml';
spew($profile, <<"END");
<profile name="full" version="1">
  <connection schema="$schema"/>
  <ladder virtual-users="1 2" repeat-first="false"/>
  <timing ramp-up="0" measure="3s"/>
  <reset method="none"/>
</profile>
END

my $run = in_background('autopilot', $profile, '-o', $folder);
$run->wait_for(qr/step 2 of 2: 2 virtual users, measuring/);
open my $filler, '>:raw', "$small/filler" or die "$small/filler: $!\n";
1 while defined syswrite $filler, 'x' x 65536;    # until the disk is full
1 while defined syswrite $filler, 'x';
close $filler;
($exit, $out, $err) = $run->finish;
is $exit, 7, 'a full disk' or diag $err;
is scalar(() = $err =~ /^ordermill: (?!warning)/mg), 1, 'one error line' or diag $err;
like $err, qr/^ordermill: .*(?:full|No space left on device)/m, 'that says so';
like $err, qr{^hint: "ordermill autopilot --resume \Q$folder\E" goes on$}m, 'and what to do';
like $out, qr/\AOrdermill report: full$/m, 'the summary is printed all the same';
like $out, qr/^[\d,]+ NOPM at 1 virtual user on 2 warehouses/m, 'of the step that is stored';
is store($folder, 'select group_concat(number || status) from step'), '1complete', 'a step is there whole or not at all';

unlink "$small/filler" or die "$small/filler: $!\n";
($exit, $out, $err) = kit('autopilot', '--resume', $folder);
ok $exit == 0 || $exit == 1, 'with room again it goes on' or diag "exit $exit\n$err";
is store($folder, 'select group_concat(number || status) from step'), '1complete,2complete', 'to its end';
ok -s "$folder/report.html", 'with its report';

done_testing;

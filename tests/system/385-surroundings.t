# What a run makes of the account and the shell that it starts in: no home, no umask, root.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use File::Find ();
use Kit;
use Loaded;
use Test::More;

my $schema  = loaded_schema(2);
my $folder  = folder();
my $profile = "$folder/bare.xml";
spew($profile, <<"XML");
<profile name="bare" version="1"><connection schema="$schema"/><scale warehouses="2"/>
<ladder virtual-users="1"/><timing ramp-up="0" measure="1s"/></profile>
XML
mkdir "$folder/here" or die "$folder/here: $!\n";

# Everything that is in the folder and that others may write, or strangers read.
sub open_to_others {
    my ($path) = @_;
    my @found;
    File::Find::find(sub { push @found, $_ if (lstat)[2] & 0027 && !-l && $_ ne '.' }, $path);
    return @found;
}

my ($exit, $out, $err) = run({cwd => "$folder/here", env => {HOME => undef}}, 'sh', '-c',
    "umask 000; exec '$ENV{ORDERMILL}' autopilot '$profile'");
ok $exit == 0 || $exit == 1, 'a run without a home and without a umask' or diag "exit $exit: $err";
my ($results) = glob "$folder/here/ordermill-runs/bare-*";
ok -s "$results/report.html", 'has its report';
is join(' ', open_to_others("$folder/here")), '', 'and nothing that others may write or strangers read';
is scalar(() = $err =~ /^ordermill: warning: .*root/mg), $> == 0 ? 1 : 0,
  $> == 0 ? 'that it ran as root is said once' : 'nothing is said of root';

($exit, $out, $err) = run({cwd => "$folder/here", env => {HOME => undef}}, 'sh', '-c',
    "umask 000; exec '$ENV{ORDERMILL}' report '$results' -o new/reports");
ok $exit == 0 || $exit == 1, 'a report into a new folder' or diag "exit $exit: $err";
is join(' ', open_to_others("$folder/here")), '', 'which is closed to others too';
unlike $err, qr/root/, 'reading results as root is nobody\'s business';

for my $command (['check'], ['run', '-u', 1, '-t', '1s', '--ramp-up', '0s'], ['plan', '-w', 1]) {
    my @schema = $command->[0] eq 'plan' ? () : ('--schema', $schema);
    ($exit, $out, $err) = kit({env => {HOME => undef}}, @$command, @schema);
    is $exit, 0, "$command->[0] without a home" or diag $err;
    unlike $err, qr/root/, '... and without a word on root';
}

done_testing;

# The demo from end to end, and that nothing of its server is left however it ends.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use Kit;
use Test::More;

# The user's own settings must not matter.
my %env = (PGSERVICE => 'nowhere', PGHOST => '/nonexistent', PGOPTIONS => '-c nonsense=1',
    PGSSLMODE => 'verify-full', PGPORT => '1');
my @small = ('-w', 1, '--set', 'ladder=1 2', '--set', 'repeats=1', '--set', 'ramp-up=0', '--set');

sub server_folder {
    my ($err) = @_;
    my ($folder) = $err =~ m{ in (/\S+), reachable};
    ok $folder, 'says where its server is' or diag $err;
    return $folder;
}

# The command lines of all processes that name this folder.
sub processes_of {
    my ($folder) = @_;
    my @found;
    for my $file (glob '/proc/[0-9]*/cmdline') {
        my $line = eval { slurp($file) } // next;
        push @found, $line if index($line, $folder) >= 0;
    }
    return @found;
}

{
    my $folder = folder() . '/demo';
    my ($exit, $out, $err) = kit({env => \%env}, 'demo', @small, 'measure=1s', '-o', $folder);
    ok $exit == 0 || $exit == 1, 'ends with a verdict' or diag "exit $exit\n$err";
    like $out, qr{^report: \Q$folder\E/report\.html$}m, 'names the report';
    ok -s "$folder/report.html", 'which is there';
    like $err, qr/^1\. Starting a private/m, 'explains: the server';
    like $err, qr/PostgreSQL \d+.*fsync = on/s, 'its version and settings';
    like $err, qr/^2\. Building 1 warehouse there, then measuring 2 steps/m, 'the plan';
    like $err, qr/^3\. Stopping the private server/m, 'the end';
    my $server = server_folder($err);
    ok !-e $server, 'the folder of the server is gone';
    is_deeply [processes_of($server)], [], 'and so are its processes';
}

{
    my $folder = folder() . '/interrupted';
    my $run = in_background({env => \%env}, 'demo', @small, 'measure=1m', '-o', $folder);
    my $server = server_folder($run->wait_for(qr/step 1 of 2: 1 virtual user, measuring/));
    ok -d $server, 'the server runs';
    $run->signal('INT');
    my ($exit, $out, $err) = $run->finish;
    is $exit, 130, 'Ctrl-C: exit 130' or diag $err;
    ok -s "$folder/report.html", 'Ctrl-C: a report of what there is';
    unlike $err, qr/--resume/, 'Ctrl-C: its server is gone, so nothing is said of going on';
    ok !-e $server, 'Ctrl-C: the folder of the server is gone';
    is_deeply [processes_of($server)], [], 'Ctrl-C: and so are its processes';
}

{
    my $folder = folder() . '/full';
    spew(folder() . '/file', 'x');
    my ($exit, $out, $err) = kit('demo', @small, 'measure=1s', '-o', folder() . '/file/x');
    is $exit, 7, 'no folder possible: exit 7';
    my $server = server_folder($err);
    ok !-e $server, 'no folder possible: the folder of the server is gone';
    ($exit, $out, $err) = kit('demo', @small, 'measure=nonsense');
    is $exit, 2, 'a wrong value: exit 2';
    unlike $err, qr/Starting/, 'a wrong value: before the server is started';
}

done_testing;

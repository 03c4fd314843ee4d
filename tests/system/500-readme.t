# What the README tells a newcomer is what the program takes: its commands and its table.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Test::More;
use Kit;

my $root = "$FindBin::Bin/../..";
open my $file, '<', "$root/README.md" or die "README.md: $!";
my $readme = do { local $/; <$file> };
close $file;

my ($exit, $help) = kit('--help');
my ($listed) = $help =~ /^Commands:\n(.*?)\n\n/ms;
my %help = map { s/\s+/ /gr } $listed =~ /^  (\w+) +(\S.*(?:\n {14}.*)*)/mg;
my %table = $readme =~ /^\| `(\w+)` \| (.*) \|$/mg;
is_deeply(\%table, \%help, 'the table of commands is that of --help');

# Without a server a command that the program understands comes as far as the connection (4); what
# needs none does its work, or misses the folder of a run (7); the doctor may find something (1). A mistake of usage would be 2, of a profile 3.
my %ends = (doctor => '[01]', load => 4, run => 4, check => 4, drop => 4, plan => 0, autopilot => 0,
    report => 7, compare => 7);
my @lines = $readme =~ /^ordermill ([^#\n]*[^#\s])/mg;
cmp_ok scalar @lines, '>=', 6, 'the README shows commands';
for my $line (@lines) {
    my ($command, @args) = split ' ', $line;
    s{^(?=profiles/)}{$root/} for @args;
    push @args, '--dry-run' if $command eq 'autopilot';
    my ($status, undef, $talk) = kit({env => {PGHOST => '/nowhere'}}, $command, @args);
    like($status, qr/^$ends{$command}\z/, "ordermill $line") or diag $talk;
}

my ($makefile) = do { local (@ARGV, $/) = "$root/Makefile"; <> };
for my $target (sort { $a cmp $b } $readme =~ /^make (\w+)/mg) {
    like($makefile, qr/^$target:/m, "make $target");
}

done_testing;

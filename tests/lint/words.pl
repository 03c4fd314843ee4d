#!/usr/bin/perl
# Words and marks that no file of the project may carry.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Lint;

my @everywhere = (
    [qr/tpm[C]/,            'a metric name reserved for audited results; a test may write tpm[C]'],
    [qr{(?<![\w.])/wor[k]/}, 'a path of some developer\'s machine'],
    [qr{(?<![\w/])share[d]/}, 'a path outside the project'],
    [qr/^(<<<<<<<|>>>>>>>) /, 'a merge that was not solved'],
);
# A report must open without network. A name space is a name, not an address to fetch.
my $resource = qr{https?://(?!www\.w3\.org/(?:1999|200[01])/)};

for my $path (files()) {
    next if $path eq 'LICENSE' || $path eq 'tests/lint/words.pl' || -B $path;
    my $line = 0;
    for my $text (lines($path)) {
        $line++;
        for my $rule (@everywhere) {
            complain($path, $line, "\"$&\": $rule->[1]") if $text =~ $rule->[0];
        }
        complain($path, $line, 'a resource of the network') if $path =~ m{^reports/} && $text =~ $resource;
        complain($path, $line, 'blanks at the end of the line') if $text =~ /[ \t]$/ && $path !~ /\.md$/;
        complain($path, $line, 'a tab') if $path =~ /\.(c|h|sql|pl|pm|t|sh)$/ && $text =~ /\t/;
    }
}

# Each source opens with a comment that says what it owns.
for my $path (sources()) {
    my ($first) = lines($path);
    complain($path, 1, 'does not open with a comment') if ($first // '') !~ m{^/\*};
}

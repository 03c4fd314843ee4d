#!/usr/bin/perl
# Calls that the sources never make, each with what to use instead.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Lint;

my %instead = (
    (map { $_ => 'snprintf or buf_printf' } qw(sprintf vsprintf)),
    (map { $_ => 'buf_puts, arena_strdup or memcpy' } qw(strcpy strcat strncpy strncat stpcpy)),
    (map { $_ => 'units_parse_...' } qw(atoi atol atoll atof)),
    (map { $_ => 'fork and exec without a shell (fs_run_program)' } qw(system popen)),
    (map { $_ => 'rng_...' } qw(rand srand random srandom drand48 lrand48)),
    (map { $_ => 'fs_... or mkstemp' } qw(tmpnam tempnam mktemp)),
    (map { $_ => 'its _r form' } qw(localtime gmtime ctime asctime strerror_l)),
    gets      => 'fgets',
    strtok    => 'strsep',
    alloca    => 'an arena',
    setlocale => 'nothing: numbers keep to the C locale',
    assert    => 'must',
);
my $names = join '|', map { quotemeta } sort keys %instead;

for my $path (sources()) {
    my $line = 0;
    for my $code (code_lines($path)) {
        $line++;
        complain($path, $line, "$1() is banned here; use $instead{$1}")
          while $code =~ /(?<![\w.>])($names)\s*\(/g;
    }
}

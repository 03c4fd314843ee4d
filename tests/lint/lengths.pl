#!/usr/bin/perl
# No function over 80 lines, unless it is a flat switch; no source file over 800. clang-format puts
# a function's name and its two braces at the start of a line, so counting is enough.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Lint;

my $function_max = 80;
my $file_max     = 800;

for my $path (sources()) {
    my @code = code_lines($path);
    my ($name, $start);
    complain($path, scalar @code, 'file has ' . @code . " lines, limit $file_max")
      if @code > $file_max;
    for my $i (0 .. $#code) {
        $name = $1 if $code[$i] =~ /^(\w+)\(/;
        $start = $i if $code[$i] eq '{';
        next if $code[$i] ne '}' || !defined $start;
        my $length = $i - $start + 1;
        my $cases = grep { /^\s*(case\b|default:)/ } @code[$start .. $i];
        complain($path, $start + 1, ($name // 'function') . " has $length lines, limit $function_max")
          if $length > $function_max && $cases * 3 < $length;
        undef $start;
    }
}

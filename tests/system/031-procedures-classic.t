# The classic set of procedures gives and writes exactly what the default set does: the same test.
use strict;
use warnings;

use FindBin;

our $set = 'classic';
my $test = "$FindBin::Bin/030-procedures.t";
defined do $test or die "$test: ", $@ || $!, "\n";

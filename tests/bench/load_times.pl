#!/usr/bin/perl
# load_times.pl BUILD: how long whole loads take, and how far `ordermill plan` was off.
#
# For each number of warehouses: the plan with its probe, the load itself, checks included, and the ratio
# of the two. Runs inside `ordermill server -- ...`; `make bench-load-times`.
# BENCH_WAREHOUSES ("1 10 50"), BENCH_JOBS (2) and BENCH_ROUNDS (3) change the amounts.
use strict;
use warnings;

use JSON::PP ();

$| = 1;
my $build      = shift // die "usage: load_times.pl BUILD\n";
my @warehouses = split ' ', $ENV{BENCH_WAREHOUSES} // '1 10 50';
my $jobs       = $ENV{BENCH_JOBS}   // 2;
my $rounds     = $ENV{BENCH_ROUNDS} // 3;
die "load_times.pl: PGHOST is not set; run: make bench-load-times\n" if !defined $ENV{PGHOST};

sub kit {
    my @arguments = @_;
    open my $out, '-|', "$build/ordermill", @arguments, '--json' or die "ordermill: $!\n";
    my $text = do { local $/; <$out> };
    close $out or die "ordermill @arguments failed\n";
    return JSON::PP::decode_json($text);
}

printf "%10s %9s %9s %6s %9s   %s\n", 'warehouses', 'planned s', 'took s', 'ratio', 's each',
  'data, indexes, vacuum, check; probe';
for my $count (@warehouses) {
    for my $round (1 .. $rounds) {
        my $plan = kit('plan', '-w', $count, '-j', $jobs)->{load};
        my $load = kit('load', '-q', '--replace', '--schema', 'load_times', '-w', $count, '-j', $jobs);
        printf "%10d %9.1f %9.1f %6.2f %9.2f   %s; %.2f s for %.0f MB\n", $count, $plan->{expected_s},
          $load->{elapsed_s}, $plan->{expected_s} / $load->{elapsed_s}, $load->{elapsed_s} / $count,
          join(', ', map { sprintf '%.1f', $load->{phases}{"${_}_s"} } qw(data indexes analyze check)),
          $plan->{probe_s}, $plan->{probe_bytes} / 1e6;
    }
}
system("$build/ordermill", 'drop', '-q', '--schema', 'load_times') == 0 or exit 1;

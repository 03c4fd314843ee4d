#!/usr/bin/perl
# metrics.pl ORDERMILL: what looking beside the load costs.
#
# Pairs of levels, one with metrics and one without, in an order that turns round from pair to pair,
# so that drift of the machine hits both. Results: NOPM of both, the median of the ratios of the
# pairs with the range of their middle half, and the processor time that the sampler itself used, here
# and in its server session, as a share of the whole machine: that is robust on a busy machine, NOPM
# is not. Runs inside `ordermill server -- ...`; `make bench-metrics`. BENCH_ROUNDS, BENCH_SECONDS,
# BENCH_WAREHOUSES and BENCH_USERS make it shorter or longer.
use strict;
use warnings;

use JSON::PP ();

my $rounds     = $ENV{BENCH_ROUNDS}     // 10;
my $seconds    = $ENV{BENCH_SECONDS}    // 20;
my $warehouses = $ENV{BENCH_WAREHOUSES} // 10;
my $users      = $ENV{BENCH_USERS}      // 4;

my $kit = shift // die "usage: metrics.pl ORDERMILL\n";
die "metrics.pl: PGHOST is not set; run: make bench-metrics\n" if !defined $ENV{PGHOST};

sub output {
    my @command = @_;
    open my $out, '-|', @command or die "$command[0]: $!\n";
    my $text = do { local $/; <$out> };
    close $out;
    die "@command: exit status $?\n" if $? >> 8 > 1;    # 1: a verdict, such as that of the mix
    return $text;
}

sub level {
    my ($interval) = @_;
    return JSON::PP::decode_json(output($kit, qw(run -q --json --ramp-up 2s), '-t', "${seconds}s",
        '-u', $users, '--metrics', $interval));
}

# The value below which so large a part of them lies.
sub quantile {
    my ($part, @values) = @_;
    @values = sort { $a <=> $b } @values;
    return $values[int($part * $#values + 0.5)];
}

output($kit, 'load', '-q', '-w', $warehouses);
level('1s');    # caches
my (@with, @without, @ratios, @shares);
chomp(my $cores = qx(nproc));
for my $round (1 .. $rounds) {
    my %nopm;
    for my $interval ($round % 2 ? qw(1s 0s) : qw(0s 1s)) {
        my $json = level($interval);
        $nopm{$interval} = $json->{nopm};
        my $cpu = $json->{metrics};
        push @shares, ($cpu->{sampler_driver_cpu_percent} + ($cpu->{sampler_server_cpu_percent} // 0))
          / $cores
          if $interval eq '1s';
    }
    push @with,    $nopm{'1s'};
    push @without, $nopm{'0s'};
    push @ratios,  $nopm{'1s'} / $nopm{'0s'};
    printf STDERR "pair %d of %d: with %.0f, without %.0f NOPM\n", $round, $rounds, @nopm{qw(1s 0s)};
}
printf "NOPM, median of %d      with metrics %.0f, without %.0f\n", $rounds, quantile(0.5, @with),
  quantile(0.5, @without);
printf "with/without, median    %.4f (middle half %.4f to %.4f)\n", map { quantile($_, @ratios) }
  0.5, 0.25, 0.75;
printf "sampler's own CPU       %.3f %% of this machine's %d processors, driver and server together\n",
  quantile(0.5, @shares), $cores;

#!/usr/bin/perl
# arrival.pl BUILD: how far the times of arrival that a real load foretells are from what happened.
#
# Runs `ordermill load` on a terminal and notes every progress line with its moment. When the phase is
# over, each line tells how long the phase would have lasted by it: what had passed, and what it said
# was left. The error is that against the phase's real time, of lines from a quarter of that time on.
# Lines tell whole seconds, so half a second is no error. Phases shorter than BENCH_SHORTEST (3) s are
# left out. Runs inside `ordermill server -- ...`; `make bench-arrival`.
# BENCH_WAREHOUSES (20) and BENCH_JOBS (2) are the load; BENCH_OPTIONS are more options of it.
use strict;
use warnings;

use Time::HiRes qw(time);

$| = 1;
my $build      = shift // die "usage: arrival.pl BUILD\n";
my $warehouses = $ENV{BENCH_WAREHOUSES} // 20;
my $jobs       = $ENV{BENCH_JOBS}       // 2;
my $shortest   = $ENV{BENCH_SHORTEST}   // 3;
my $options    = $ENV{BENCH_OPTIONS}    // '';
die "arrival.pl: PGHOST is not set; run: make bench-arrival\n" if !defined $ENV{PGHOST};

my $command = "$build/ordermill load --schema arrival --replace -w $warehouses -j $jobs $options";
open my $terminal, '-|', 'script', '-q', '-e', '-f', '-c', $command, '/dev/null'
  or die "script: $!\n";

# What stands on the terminal, piece by piece, as it is drawn.
my ($begun, @told, @phases) = (time);
my $rest = '';
while (sysread $terminal, my $chunk, 65536) {
    my $now = time;
    $rest .= $chunk;
    while ($rest =~ s/\A([^\r\n]*)[\r\n]+//) {
        my $line = $1;
        $line =~ s/\e\[[0-9;]*[A-Za-z]//g;
        if ($line =~ /\A(.*?): .*?(?:(\d+) %, )?done in ((?:\d+:)?\d+):(\d\d)/) {
            my ($what, $percent, $minutes, $seconds) = ($1, $2, $3, $4);
            $minutes = $1 * 60 + $2 if $minutes =~ /\A(\d+):(\d+)\z/;
            push @told, {at => $now, what => $what, percent => $percent, left => $minutes * 60 + $seconds};
        }
        elsif ($line =~ /\A([a-z-]+) +[\d.]+ ?(?:ms|s|min|m|h|us)/) {
            push @phases, {name => $1, begun => $begun, ended => $now, told => [@told]};
            ($begun, @told) = ($now);
        }
        elsif ($line =~ /\Aordermill: /) { print "$line\n" }
    }
}
close $terminal or die "the load failed\n";

printf "%d warehouses, %d jobs %s\n", $warehouses, $jobs, $options;
print "phase         lasted s  lines   median error   largest error    within 20 %   goes back\n";
for my $phase (@phases) {
    my $lasted = $phase->{ended} - $phase->{begun};
    next if $lasted < $shortest;
    my (@errors, $back, $before);
    for my $line (@{$phase->{told}}) {
        my $passed = $line->{at} - $phase->{begun};
        $back++ if defined $before && defined $line->{percent} && $line->{percent} < $before;
        $before = $line->{percent} if defined $line->{percent};
        next if $passed < $lasted / 4;
        my $error = $passed + $line->{left} - $lasted;
        printf "#   %s %4.0f %% of the time: %3s %%, %d s left, off by %.1f s\n", $phase->{name},
          100 * $passed / $lasted, $line->{percent} // '?', $line->{left}, $error
          if $ENV{BENCH_LINES};
        $error = abs $error < 0.5 ? 0 : $error > 0 ? $error - 0.5 : $error + 0.5;
        push @errors, 100 * $error / $lasted;
    }
    if (!@errors) { printf "%-12s %9.1f      0   none was told\n", $phase->{name}, $lasted; next }
    my @sorted = sort { abs $a <=> abs $b } @errors;
    printf "%-12s %9.1f  %5d  %10.1f %%  %12.1f %%  %11.0f %%  %10d\n", $phase->{name}, $lasted,
      scalar @errors, $sorted[$#sorted / 2], $sorted[-1],
      100 * (grep { abs $_ <= 20 } @errors) / @errors, $back // 0;
}

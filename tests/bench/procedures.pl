#!/usr/bin/perl
# procedures.pl ORDERMILL: what the two sets of procedures cost the server, by function and by CALL, and
# what plain statements do, which need neither.
#
# Each round runs every combination in turn, in an order of its own, so that drift of the machine
# hits all. Server CPU is the scheduler's account of the virtual user's server process, divided by the
# orders placed meanwhile; it is robust on a busy machine, NOPM is not. Results are the least CPU and
# the best NOPM of the rounds, then the medians. Runs inside `ordermill server -- ...`;
# `make bench-procedures`. BENCH_ROUNDS, BENCH_SECONDS, BENCH_WAREHOUSES and BENCH_USERS ("1 2 4 8")
# make it shorter or longer.
use strict;
use warnings;

use JSON::PP ();
use List::Util 'shuffle';

my $rounds     = $ENV{BENCH_ROUNDS}     // 3;
my $seconds    = $ENV{BENCH_SECONDS}    // 5;
my $warehouses = $ENV{BENCH_WAREHOUSES} // 10;
my @users      = split ' ', $ENV{BENCH_USERS} // '1 2 4 8';

my $kit = shift // die "usage: procedures.pl ORDERMILL\n";
die "procedures.pl: PGHOST is not set; run: make bench-procedures\n" if !defined $ENV{PGHOST};

sub output {
    my @command = @_;
    open my $out, '-|', @command or die "$command[0]: $!\n";
    my $text = do { local $/; <$out> };
    close $out;
    die "@command: exit status $?\n" if $? >> 8 > 1;    # 1: a verdict, such as that of the mix
    return $text;
}

# Processor time of the virtual users' server processes in microseconds, and the orders ever placed.
sub look {
    my ($pids, $orders) = output('psql', '-XAtc', "select (select string_agg(pid::text, ' ')
        from pg_stat_activity where application_name = 'ordermill run'),
        (select sum(d_next_o_id) from ordermill.district)") =~ /\A([\d ]*)\|(\d+)/;
    my $us = 0;
    for my $pid (split ' ', $pids) {
        open my $file, '<', "/proc/$pid/schedstat" or die "server process $pid: $!\n";
        $us += (split ' ', <$file>)[0] / 1000;
    }
    return ($us, $orders);
}

# Server CPU per new-order between two looks at a running level, the first when all functions have
# long been compiled.
sub cpu_us {
    my ($call) = @_;
    my $length = $seconds + 3;
    open my $run, '-|', $kit, qw(run -q --json --ramp-up 0s -u 1), '--mix', '100,0,0,0,0',
      '--call', $call,
      '-t', "${length}s"
      or die "$kit: $!\n";
    sleep 2;
    my ($us, $orders) = look();
    sleep $seconds;
    my ($us_after, $orders_after) = look();
    1 while <$run>;
    close $run;
    return ($us_after - $us) / ($orders_after - $orders);
}

# NOPM of the standard mix.
sub nopm {
    my ($call, $users) = @_;
    return JSON::PP::decode_json(output($kit, qw(run -q --json --ramp-up 1s), '-t', "${seconds}s",
        '-u', $users, '--call', $call))->{nopm};
}

sub median {
    my @sorted = sort { $a <=> $b } @_;
    return ($sorted[$#sorted / 2] + $sorted[@sorted / 2]) / 2;
}

output($kit, 'load', '-q', '-w', $warehouses);
my (%cpu, %nopm);
for my $round (1 .. $rounds) {
    for my $set (shuffle qw(default classic none)) {
        output($kit, qw(load -q --only procedures --procedures), $set) if $set ne 'none';
        for my $call ($set eq 'none' ? 'statements' : shuffle qw(functions procedures)) {
            push @{$cpu{"$set $call"}}, cpu_us($call);
            push @{$nopm{"$set $call"}{$_}}, nopm($call, $_) for @users;
        }
    }
}

print "$warehouses warehouses, $rounds rounds of $seconds s; server CPU per new-order at one virtual "
  . "user,\nNOPM of the standard mix; best (median)\n\n";
printf "%-20s %16s" . ' %16s' x @users . "\n", 'set and call', 'us/new-order',
  map { "$_ users" } @users;
for my $key (sort keys %cpu) {
    printf "%-20s %16s", $key,
      sprintf '%.0f (%.0f)', (sort { $a <=> $b } @{$cpu{$key}})[0], median(@{$cpu{$key}});
    printf ' %16s', sprintf '%.0f (%.0f)', (sort { $b <=> $a } @{$nopm{$key}{$_}})[0],
      median(@{$nopm{$key}{$_}})
      for @users;
    print "\n";
}

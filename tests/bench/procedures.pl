#!/usr/bin/perl
# procedures.pl ORDERMILL: what the two sets of procedures cost the server, by function and by CALL.
#
# Each round runs every combination in turn, in an order of its own, so that drift of the machine
# hits all. Server CPU is user and system time of all the server's processes over the run, divided
# by its transactions; it is robust on a busy machine, NOPM is not. Results are the least CPU and
# the best NOPM of the rounds, then the medians. Runs inside `ordermill server -- ...`;
# `make bench-procedures`. BENCH_ROUNDS, BENCH_SECONDS, BENCH_WAREHOUSES and BENCH_USERS ("1 2 4 8")
# make it shorter or longer.
use strict;
use warnings;

use JSON::PP ();
use List::Util qw(shuffle);
use POSIX ();

my $rounds     = $ENV{BENCH_ROUNDS}     // 3;
my $seconds    = $ENV{BENCH_SECONDS}    // 5;
my $warehouses = $ENV{BENCH_WAREHOUSES} // 10;
my @users      = split ' ', $ENV{BENCH_USERS} // '1 2 4 8';

my $kit = shift // die "usage: procedures.pl ORDERMILL\n";
die "procedures.pl: PGHOST is not set; run: make bench-procedures\n" if !defined $ENV{PGHOST};

my ($postmaster) = output('psql', '-XAtc', "select pg_read_file('postmaster.pid')") =~ /\A(\d+)/;

sub output {
    my @command = @_;
    open my $out, '-|', @command or die "$command[0]: $!\n";
    my $text = do { local $/; <$out> };
    close $out;
    die "@command: exit status $?\n" if $? >> 8 > 1;    # 1: a verdict, such as that of the mix
    return $text;
}

# CPU seconds of the postmaster, of its children, and of those that it has seen end.
sub server_cpu {
    my $ticks = 0;
    for my $path (glob '/proc/[0-9]*/stat') {
        open my $file, '<', $path or next;
        my $line = <$file> // next;
        my ($pid, $rest) = $line =~ /\A(\d+) .*\) (.*)/ or next;
        my (undef, $parent, @fields) = split / /, $rest;
        my ($user, $system, $children_user, $children_system) = @fields[9 .. 12];
        $ticks += $user + $system if $pid == $postmaster || $parent == $postmaster;
        $ticks += $children_user + $children_system if $pid == $postmaster;
    }
    return $ticks / POSIX::sysconf(POSIX::_SC_CLK_TCK());
}

# Server CPU in microseconds per transaction, and NOPM, of one level.
sub level {
    my ($set, $call, $users, $mix) = @_;
    my $before = server_cpu();
    my $run = JSON::PP::decode_json(output($kit, qw(run -q --json --ramp-up 0s), '-t', "${seconds}s",
        '-u', $users, '--procedures', $set, '--call', $call, '--mix', $mix));
    my $cpu = server_cpu() - $before;
    my $transactions = 0;
    $transactions += $_->{committed} + $_->{rolled_back} for values %{$run->{transactions}};
    return (1e6 * $cpu / ($transactions || 1), $run->{nopm});
}

sub median {
    my @sorted = sort { $a <=> $b } @_;
    return ($sorted[$#sorted / 2] + $sorted[@sorted / 2]) / 2;
}

output($kit, 'load', '-q', '-w', $warehouses);
my (%cpu, %nopm);
for my $round (1 .. $rounds) {
    for my $set (shuffle qw(default classic)) {
        output($kit, qw(load -q --only procedures --procedures), $set);
        for my $call (shuffle qw(functions procedures)) {
            my ($cpu) = level($set, $call, 1, '100,0,0,0,0');
            push @{$cpu{"$set $call"}}, $cpu;
            push @{$nopm{"$set $call"}{$_}}, (level($set, $call, $_, 'standard'))[1] for @users;
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

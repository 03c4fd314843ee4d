#!/usr/bin/perl
# loader.pl BUILD: what the loader takes, against what the server itself needs for the same rows.
#
# Three ways to load the same bytes into one private server, over the same number of connections:
#   kit      ordermill load, which makes the rows
#   stdin    a bare libpq program that reads them from files made beforehand: COPY ... FROM STDIN
#   file     the same program has the server read those files: COPY ... FROM 'file'
# Tables, indexes and the vacuum are made by the same commands in all three; procedures and checks
# are in none of them. The ways take turns and each round begins with another, so that drift of the
# machine hits all; a ratio is taken within a round, and the median of the rounds is the result. On a
# machine with other work the fastest runs tell more: what disturbs only ever adds.
# Server CPU is user and system time of all of the server's processes, those that ended included.
# Runs inside `ordermill server -- ...` on the server's machine; `make bench-loader`.
# BENCH_WAREHOUSES, BENCH_ROUNDS and BENCH_JOBS ("1 2 4") change the amounts.
use strict;
use warnings;

use File::Temp ();
use JSON::PP   ();
use POSIX      ();
use Time::HiRes qw(sleep time);

$| = 1;

my $warehouses = $ENV{BENCH_WAREHOUSES} // 10;
my $rounds     = $ENV{BENCH_ROUNDS}     // 3;
my @jobs       = split ' ', $ENV{BENCH_JOBS} // '1 2 4';
my @ways       = qw(kit stdin file);
my @phases     = qw(data indexes analyze);

my $build = shift // die "usage: loader.pl BUILD\n";
my $kit   = "$build/ordermill";
die "loader.pl: PGHOST is not set; run: make bench-loader\n" if !defined $ENV{PGHOST};

my $folder = File::Temp->newdir('ordermill-bench-XXXXXX', TMPDIR => 1);
chmod 0755, "$folder";    # the server reads there
system("$build/bench/write_population", "$folder", $warehouses, 42) == 0 or exit 1;
my $bytes = 0;
$bytes += -s for glob "$folder/*";

sub psql {
    my ($sql) = @_;
    open my $out, '-|', qw(psql -X -q -A -t -v ON_ERROR_STOP=1 -c), $sql or die "psql: $!\n";
    my $text = do { local $/; <$out> };
    close $out or die "psql failed: $sql\n";
    chomp $text;
    return $text;
}

# --- CPU and memory of processes, from /proc ----------------------------------------------------

my $tick       = POSIX::sysconf(POSIX::_SC_CLK_TCK());
my $postmaster = (split /\n/, psql("select pg_read_file('postmaster.pid')"))[0];

sub proc_stat {
    my ($pid) = @_;
    open my $file, '<', "/proc/$pid/stat" or return;
    my ($fields) = (<$file> // '') =~ /\) (.*)/ or return;
    my @field = split ' ', $fields;
    return {parent => $field[1], own => $field[11] + $field[12],
        ended => $field[13] + $field[14]};
}

# The postmaster's own time and that of the children it has waited for, and its living children's.
sub server_cpu_s {
    my $ticks = 0;
    my $self  = proc_stat($postmaster) // die "the server has no /proc/$postmaster/stat\n";
    for my $pid (map { m{/proc/(\d+)$} } glob '/proc/[0-9]*') {
        my $stat = proc_stat($pid) // next;
        $ticks += $stat->{own} if $stat->{parent} == $postmaster;
    }
    return ($ticks + $self->{own} + $self->{ended}) / $tick;
}

sub peak_kib {
    my ($pid) = @_;
    open my $file, '<', "/proc/$pid/status" or return 0;
    my ($peak) = join('', <$file>) =~ /^VmHWM:\s+(\d+)/m;
    return $peak // 0;
}

# Runs a program to its end: seconds, user CPU seconds, peak memory. Its output is thrown away.
sub timed {
    my @command = @_;
    my $user    = (times)[2];
    my $began   = time;
    my $pid     = fork // die "fork: $!\n";
    if ($pid == 0) {
        open STDOUT, '>', '/dev/null' or POSIX::_exit(126);
        exec @command or POSIX::_exit(127);
    }
    my $peak = 0;
    while (waitpid($pid, POSIX::WNOHANG()) == 0) {
        my $now = peak_kib($pid);
        $peak = $now if $now > $peak;
        sleep 0.01;
    }
    die "@command: exit status $?\n" if $? != 0;
    return {wall => time - $began, user => (times)[2] - $user, peak => $peak};
}

# --- one load -----------------------------------------------------------------------------------

sub phase { return timed($kit, 'load', '-q', '--schema', 'bench', '--only', @_) }

# What the kit's own data phase would have recorded.
sub record_data {
    psql('insert into bench.ordermill_chunk (warehouse, row_count, byte_count)
          select n, 0, 0 from generate_series(0, (select warehouses from bench.ordermill_build)) n;
          insert into bench.ordermill_phase (phase, elapsed_s) values (\'data\', 0)');
    return;
}

sub data {
    my ($way, $jobs) = @_;
    return phase('data', '-j', $jobs) if $way eq 'kit';
    return timed("$build/bench/copy_floor", $way, "$folder", $warehouses, $jobs, 'bench');
}

sub load {
    my ($way, $jobs) = @_;
    my %result = (way => $way, wall => 0, user => 0, peak => 0, server => 0);
    phase('ddl', '-w', $warehouses);
    psql('checkpoint');
    for my $phase (@phases) {
        my $before = server_cpu_s();
        my $run = $phase eq 'data' ? data($way, $jobs) : phase($phase, '-j', $jobs);
        $result{"$phase server"} = server_cpu_s() - $before;
        $result{$phase} = $run->{wall};
        $result{wall}   += $run->{wall};
        $result{user}   += $run->{user};
        $result{server} += $result{"$phase server"};
        $result{peak} = $run->{peak} if $run->{peak} > $result{peak};
        record_data() if $phase eq 'data' && $way ne 'kit';
    }
    $result{rows} = psql('select (select count(*) from bench.order_line) + (select count(*) from bench.stock)');
    system($kit, 'drop', '-q', '--schema', 'bench') == 0 or exit 1;
    return \%result;
}

# --- the table ----------------------------------------------------------------------------------

sub median {
    my @sorted = sort { $a <=> $b } @_;
    return ($sorted[$#sorted / 2] + $sorted[@sorted / 2]) / 2;
}

sub middle { my ($key, @runs) = @_; return median(map { $_->{$key} } @runs) }

sub best { my ($key, @runs) = @_; return (sort { $a <=> $b } map { $_->{$key} } @runs)[0] }

sub ratio {
    my ($key, $kit_runs, $floor_runs) = @_;
    my @ratios = map { $kit_runs->[$_]{$key} / $floor_runs->[$_]{$key} } 0 .. $#$kit_runs;
    return sprintf '%.2f (%.2f)', median(@ratios), best($key, @$kit_runs) / best($key, @$floor_runs);
}

sub measure {
    my ($jobs) = @_;
    my %runs;
    for my $round (0 .. $rounds - 1) {
        for my $turn (0 .. $#ways) {
            my $way = $ways[($round + $turn) % @ways];
            push @{$runs{$way}}, load($way, $jobs);
        }
    }
    my %rows = map { $_->{rows} => 1 } map { @$_ } values %runs;
    die "the ways loaded different numbers of rows\n" if keys %rows != 1;
    return \%runs;
}

sub print_runs {
    my ($jobs, $runs) = @_;
    for my $way (@ways) {
        my @runs = @{$runs->{$way}};
        printf "%4d  %-6s %7.2f  %7.2f %7.2f %7.2f  %8.2f  %7.2f  %5.1f %%  %6.1f MiB\n", $jobs,
          $way, (map { middle($_, @runs) } 'wall', @phases, 'server', 'user'),
          100 * median(map { $_->{user} / $_->{server} } @runs),
          (sort { $a <=> $b } map { $_->{peak} } @runs)[-1] / 1024;
    }
    return;
}

# Whoever came first would pay for the server's first touch of its memory and its disk.
load('file', 2);
printf "%d warehouses, %.0f MB of COPY bytes, %d rounds, medians; seconds of wall time and of CPU\n\n",
  $warehouses, $bytes / 1e6, $rounds;
printf "%4s  %-6s %7s  %7s %7s %7s  %8s  %7s  %7s  %10s\n", 'jobs', 'way', 'wall', @phases,
  'srv cpu', 'client', 'share', 'peak';
my @ratios;
for my $jobs (@jobs) {
    my $runs = measure($jobs);
    print_runs($jobs, $runs);
    for my $floor (qw(stdin file)) {
        push @ratios, sprintf '%4d  kit / %-6s  wall %s  data phase %s  server cpu %s', $jobs,
          $floor, map { ratio($_, $runs->{kit}, $runs->{$floor}) } 'wall', 'data', 'server';
    }
}
print "\nratios: median of the rounds, and of the least disturbed runs (best to best);\n"
  . "at most 1.10 to stdin and 1.25 to file wanted\n";
print "$_\n" for @ratios;
print "\nclient: user CPU of the loading program; share: of the server's CPU, at most 15 % wanted\n";

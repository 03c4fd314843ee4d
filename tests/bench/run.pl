#!/usr/bin/perl
# run.pl ORDERMILL: what the driver costs this machine per call, against pgbench -M prepared.
#
# Both call the same function that does nothing, from one thread, over the same number of
# connections, in turn (kit, pgbench, pgbench, kit, ...), so that drift of the machine hits both.
# The figure is user and system time of the client process per call; the ratio is taken within each
# pair of runs, and its median is the result. User time alone is shown as well: on a busy machine the
# kernel's share varies with who else runs. Then the kit alone makes two million calls, and its
# resident memory is looked at each second. BENCH_PAIRS, BENCH_SECONDS, BENCH_CLIENTS ("1 4 16 64")
# and BENCH_MEMORY_CALLS make it shorter or longer. Runs inside `ordermill server -- ...`; `make bench`.
use strict;
use warnings;

use File::Temp ();
use JSON::PP ();

my $pairs   = $ENV{BENCH_PAIRS}   // 5;
my $seconds = $ENV{BENCH_SECONDS} // 3;
my @clients = split ' ', $ENV{BENCH_CLIENTS} // '1 4 16 64';
my $calls   = $ENV{BENCH_MEMORY_CALLS} // 2e6;

my $script = File::Temp->new(SUFFIX => '.sql');
print $script "SELECT * FROM ordermill.nothing(:w);\n";
$script->flush;

my $kit = shift // die "usage: run.pl ORDERMILL\n";
die "run.pl: PGHOST is not set; run: make bench\n" if !defined $ENV{PGHOST};

# Runs a program to its end; returns its stdout and the CPU seconds it used, user and system.
sub timed {
    my @command = @_;
    my @before = times;
    open my $out, '-|', @command or die "$command[0]: $!\n";
    my $text = do { local $/; <$out> };
    close $out or die "@command: exit status $?\n";
    my @after = times;
    return ($text, $after[2] - $before[2], $after[3] - $before[3]);
}

# CPU of the measured window, as the kit itself counts it: all of it, user time, calls per second.
sub kit_us {
    my ($clients) = @_;
    my ($text) = timed($kit, 'calibrate', '-q', '--json', '-u', $clients, '--threads', 1,
        '--ramp-up', '500ms', '-t', "${seconds}s");
    my $result = JSON::PP::decode_json($text);
    my $client = $result->{client};
    return ($client->{cpu_us_per_call}, $client->{user_us_per_call}, $result->{calls_per_s});
}

# CPU of the whole process; its start weighs nothing against some hundred thousand calls.
sub pgbench_us {
    my ($clients) = @_;
    my ($text, $user, $system) = timed(qw(pgbench -n -M prepared -j 1 -D w=1 -f), "$script",
        '-c', $clients, '-T', $seconds);
    my ($calls) = $text =~ /transactions actually processed: (\d+)/ or die "pgbench said: $text";
    die "pgbench: calls failed: $text" if $text =~ /failed transactions: [1-9]/;
    return (1e6 * ($user + $system) / $calls, 1e6 * $user / $calls, $calls / $seconds);
}

sub median {
    my @sorted = sort { $a <=> $b } @_;
    return ($sorted[$#sorted / 2] + $sorted[@sorted / 2]) / 2;
}

sub range { return sprintf '%.2f..%.2f', (sort { $a <=> $b } @_)[0, -1] }

timed($kit, 'load', '-q', '-w', 1);
print "client CPU per call of an empty function, one thread, $pairs pairs of $seconds s\n\n";
printf "%8s  %-22s  %-22s  %-22s  %-12s  %s\n", 'clients', 'ordermill us', 'pgbench us',
  'ratio (median, range)', 'ratio (user)', 'calls/s ordermill, pgbench';
for my $clients (@clients) {
    my (@kit, @pgbench, @ratio, @user_ratio, @kit_rate, @pgbench_rate);
    for my $pair (1 .. $pairs) {
        my (%us, %user);
        for my $who ($pair % 2 ? qw(kit pgbench) : qw(pgbench kit)) {
            ($us{$who}, $user{$who}, my $rate) = $who eq 'kit' ? kit_us($clients) : pgbench_us($clients);
            push @{$who eq 'kit' ? \@kit_rate : \@pgbench_rate}, $rate;
        }
        push @kit, $us{kit};
        push @pgbench, $us{pgbench};
        push @ratio, $us{kit} / $us{pgbench};
        push @user_ratio, $user{kit} / $user{pgbench};
    }
    printf "%8d  %6.2f  %-14s  %6.2f  %-14s  %6.2f  %-14s  %12.2f  %.0f, %.0f\n", $clients, median(@kit),
      range(@kit), median(@pgbench), range(@pgbench), median(@ratio), range(@ratio),
      median(@user_ratio), median(@kit_rate), median(@pgbench_rate);
}

# Resident memory in kB, or undef when the process has ended.
sub resident_kb {
    my ($pid) = @_;
    open my $status, '<', "/proc/$pid/status" or return undef;
    my ($kb) = join('', <$status>) =~ /^VmRSS:\s+(\d+)/m;
    return $kb;
}

# The first second is left out: sessions are still being opened.
sub memory_over {
    my ($duration) = @_;
    my $pid = open my $out, '-|', $kit, 'calibrate', '-q', '--json', '-u', 16, '--threads', 1,
      '--ramp-up', '1s', '-t', "${duration}s"
      or die "$kit: $!\n";
    sleep 1;
    my @kb;
    while (defined(my $kb = resident_kb($pid))) {
        push @kb, $kb;
        sleep 1;
    }
    my $result = JSON::PP::decode_json(do { local $/; <$out> });
    close $out or die "calibrate: exit status $?\n";
    return ($result->{calls}, @kb);
}

if ($calls > 0) {
    my (undef, undef, $rate) = kit_us(16);
    my ($made, @kb) = memory_over(1 + int $calls / $rate);
    my $middle = $kb[$#kb / 2];
    printf "\nresident memory over %.1f million calls: %d kB after a second, %d kB half way, "
      . "%d kB at the end\n", $made / 1e6, $kb[0], $middle, $kb[-1];
    die "run.pl: resident memory grows\n" if $kb[-1] - $middle > 256;
}

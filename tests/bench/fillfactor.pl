#!/usr/bin/perl
# fillfactor.pl BUILD: what the fillfactors of the updated tables are worth.
#
# For each set of fillfactors: a load, and levels of virtual users on it; NOPM, the share of updates that
# stayed on their page (HOT), and how the tables grew. The sets take turns, each round begins with
# another. Runs inside `ordermill server -- ...`; `make bench-fillfactor`.
# BENCH_WAREHOUSES (10), BENCH_USERS (8), BENCH_MEASURE (60s) and BENCH_ROUNDS (3) change the amounts;
# BENCH_SETS ("customer=100,stock=100 customer=90,stock=90 ...") the sets.
use strict;
use warnings;

use JSON::PP ();

$| = 1;
my $build      = shift // die "usage: fillfactor.pl BUILD\n";
my $warehouses = $ENV{BENCH_WAREHOUSES} // 10;
my $users      = $ENV{BENCH_USERS}      // 8;
my $measure    = $ENV{BENCH_MEASURE}    // '60s';
my $rounds     = $ENV{BENCH_ROUNDS}     // 3;
my @sets       = split ' ', $ENV{BENCH_SETS}
  // 'warehouse=100,district=100,customer=100,stock=100 customer=100,stock=100 customer=95,stock=95'
  . ' customer=90,stock=90 customer=80,stock=80 customer=70,stock=70';
my @tables = qw(warehouse district customer stock);
my %results;
die "fillfactor.pl: PGHOST is not set; run: make bench-fillfactor\n" if !defined $ENV{PGHOST};

sub output {
    my @command = @_;
    open my $out, '-|', @command or die "$command[0]: $!\n";
    my $text = do { local $/; <$out> };
    close $out;
    my $status = $? >> 8;
    die "@command: exit status $status\n" if $status > 1;
    chomp $text;
    return $text;
}

sub psql { my ($sql) = @_; return output(qw(psql -X -q -A -t -v ON_ERROR_STOP=1 -c), $sql) }

sub median { my @sorted = sort { $a <=> $b } @_; return $sorted[$#sorted / 2] }

# One load and one level on it.
sub round_of {
    my ($set) = @_;
    output("$build/ordermill", 'load', '-q', '--replace', '--schema', 'fill', '-w', $warehouses,
        '--fillfactor', $set);
    psql('select pg_stat_reset()');
    my %before = map { $_ => psql("select pg_relation_size('fill.$_')") } @tables;
    psql('checkpoint');
    my $run = JSON::PP::decode_json(output("$build/ordermill", 'run', '--json', '--schema', 'fill',
        '-u', $users, '-t', $measure));
    psql('select pg_stat_force_next_flush()');
    my %result = (nopm => $run->{nopm});
    for my $table (@tables) {
        $result{"$table hot"} = psql("select round(100.0 * n_tup_hot_upd / greatest(n_tup_upd, 1), 1)
            from pg_stat_user_tables where schemaname = 'fill' and relname = '$table'");
        $result{"$table grew"} = 100 * (psql("select pg_relation_size('fill.$table')") / $before{$table} - 1);
    }
    return \%result;
}

for my $round (0 .. $rounds - 1) {
    for my $i (0 .. $#sets) {
        my $set = $sets[($i + $round) % @sets];
        push @{$results{$set}}, round_of($set);
    }
}
printf "%d warehouses, %d virtual users, %s, medians of %d\n", $warehouses, $users, $measure, $rounds;
for my $set (@sets) {
    my $of = sub { my ($key) = @_; return median(map { $_->{$key} } @{$results{$set}}) };
    printf "%-52s %8.0f NOPM\n", $set, $of->('nopm');
    printf "    %-10s %6.1f %% HOT, grew by %.1f %%\n", $_, $of->("$_ hot"), $of->("$_ grew") for @tables;
}
system("$build/ordermill", 'drop', '-q', '--schema', 'fill') == 0 or exit 1;

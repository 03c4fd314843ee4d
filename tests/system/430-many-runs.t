# ordermill report --list and --merge: many run folders at a glance, and the folders of several load
# hosts made into one.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Test::More;
use Kit;

use File::Basename qw(dirname);
use JSON::PP ();

my $make_run = dirname($ENV{ORDERMILL}) . '/tests/make_run';
my $runs     = folder() . '/runs';
mkdir $runs;
for my $kind (qw(before hostile single empty host-a host-b)) {
    mkdir "$runs/$kind" or die "mkdir: $!";
    my ($exit, undef, $err) = run($make_run, $kind, "$runs/$kind");
    is($exit, 0, "a run $kind") or diag $err;
}

subtest 'a list' => sub {
    mkdir "$runs/no-run";
    mkdir "$runs/old";
    spew("$runs/old/run.sqlite", slurp("$runs/single/run.sqlite"));
    run('sqlite3', "$runs/old/run.sqlite", 'PRAGMA user_version = 1');
    run('sqlite3', "$runs/single/run.sqlite", 'UPDATE run SET started_wall_us = started_wall_us - 1');
    my ($exit, $text, $err) = kit('report', '--list', $runs);
    is($exit, 0, 'exit');
    is($err, '', 'nothing on stderr');
    is_deeply([grep { length > 80 } split /\n/, $text], [], '80 columns');
    my @folders = $text =~ m{^(?:\S+  )?\Q$runs\E/(\S+)$}mg;
    is_deeply(\@folders, [qw(old single before empty host-a host-b hostile)], 'by their time, then by name');
    like($text, qr/warehouses 10; 12 steps; complete: 13,\d{3}\s+NOPM at 8 virtual users \(1[23],\d{3} to 13,\d{3}\)/,
        'server, scale, headline');
    like($text, qr/^  consistency, errors: FAIL; /m, 'verdicts');
    like($text, qr/no\s+valid\s+result/, 'a run without a step');
    like($text, qr/has\s+layout\s+1;\s+this\s+ordermill\s+reads/, 'a store of another layout has its line');
    (undef, my $json) = kit('report', '--list', $runs, '--json');
    my $list = JSON::PP->new->decode($json)->{runs};
    is(scalar @$list, 7, 'as many in JSON');
    ok($list->[0]{trouble} && !exists $list->[0]{server}, 'the trouble');
    is($list->[2]{verdicts}{consistency}, 'PASS', 'a verdict');
    is($list->[2]{limits_nopm}, $list->[2]{peak_nopm}, 'both headlines, here one');
    my ($limited, $peak) = ("$runs/before", '13,\d{3}\s+NOPM\s+at\s+8\s+virtual\s+users');
    # Nine in ten are answered in 21.1 ms by 2 virtual users, and in 24.3 ms by 4.
    run('sqlite3', "$limited/run.sqlite",
        'UPDATE step SET limit_percentile = 90, new_order_limit_us = 22000');
    (undef, $text) = kit('report', '--list', $runs);
    like($text, qr/complete:\s+4,\d{3}\s+NOPM\s+at\s+2\s+virtual\s+users\s+\([^)]+\);\s+peak\s+$peak/,
        'first the one within the limits');
    run('sqlite3', "$limited/run.sqlite", 'UPDATE step SET new_order_limit_us = 1000');
    (undef, $text) = kit('report', '--list', $runs);
    like($text, qr/no\s+level\s+within\s+the\s+latency\s+limits;\s+peak\s+$peak/, 'or that there is none');
    run('sqlite3', "$limited/run.sqlite", 'UPDATE step SET limit_percentile = 0, new_order_limit_us = 0');
    ($exit, undef, $err) = kit('report', '--list', "$runs/nowhere");
    is($exit, 7, 'no such folder');
    ($exit, $text) = kit('report', '--list', "$runs/no-run");
    is($text, "no run there\n", 'a folder without runs');
};

subtest 'two load hosts' => sub {
    my $out = folder() . '/merged';
    my ($exit, $paths, $err) = kit('report', '--merge', "$runs/host-a", "$runs/host-b", '-o', $out);
    is($exit, 0, 'exit') or diag $err;
    like($paths, qr{^\Q$out\E/report\.html$}m, 'its report');
    my %nopm;
    for my $run ("$runs/host-a", "$runs/host-b", $out) {
        my (undef, $json) = kit('report', $run, '--format', 'json');
        $nopm{$run} = [map { $_->{nopm_mean} } @{JSON::PP->new->decode($json)->{levels}}];
    }
    my @sums = map { $nopm{"$runs/host-a"}[$_] + $nopm{"$runs/host-b"}[$_] } 0 .. 1;
    ok(abs($nopm{$out}[$_] - $sums[$_]) < 1, "level $_: NOPM is the sum") for 0 .. 1;
    like(slurp("$out/report.html"), qr/host, load host 2/, 'both hosts are named');
    ($exit, undef, $err) = kit('report', '--merge', "$runs/host-a", "$runs/host-b", '-o', $out);
    is($exit, 7, 'a folder with a run is not written over');
    is_deeply([grep { /merging/ } glob "$out/.* $out/*"], [], 'nothing of the making is left');
};

# A limit of the size of files stands in for a disk that is full.
subtest 'no room for what is merged' => sub {
    my $out  = folder() . '/no-room';
    my $size = -s "$runs/host-a/run.sqlite";
    my $half = int($size / 2 / 512);
    my ($exit, undef, $err) = run('sh', '-c', "trap '' XFSZ; ulimit -f $half; exec \"\$ORDERMILL\" "
          . 'report --merge "$0" "$1" -o "$2"', "$runs/host-a", "$runs/host-b", $out);
    is($exit, 7, 'exit');
    like($err, qr/^ordermill: /, 'says why');
    is_deeply([glob "$out/* $out/.[a-z]*"], [], 'no part of a run is left');
    ($exit) = kit('report', '--merge', "$runs/host-a", "$runs/host-b", '-o', $out);
    is($exit, 0, 'and with room it is made there');
};

subtest 'refusals' => sub {
    my $out   = folder() . '/refused';
    my @cases = (
        [['--merge', "$runs/host-a", "$runs/host-a", '-o', $out], qr/are the same run of one host/],
        [['--merge', "$runs/host-a", "$runs/before", '-o', $out], qr/are not of one run: numbers of steps/],
        [['--merge', "$runs/host-a", '-o', $out],                 qr/--merge needs the folders of two/],
        [['--merge', "$runs/host-a", "$runs/host-b"],             qr/--merge needs a new folder/],
        [["$runs/host-a", "$runs/host-b"],                        qr/takes one folder/],
        [['--merge', '--list', $runs],                            qr/exclude each other/],
    );
    for my $case (@cases) {
        my ($arguments, $message) = @$case;
        my ($exit, undef, $err) = kit('report', @$arguments);
        is($exit, 2, "$message: exit");
        like($err, $message, 'says why');
    }
    ok(!-e $out, 'and nothing was written');
};

done_testing;

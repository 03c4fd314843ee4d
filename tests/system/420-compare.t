# ordermill compare: made-up runs against each other, in every form, and the exit status that a script
# relies on.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Test::More;
use Kit;

use File::Basename qw(dirname);
use JSON::PP ();

my $make_run = dirname($ENV{ORDERMILL}) . '/tests/make_run';
my %run;
for my $kind (qw(before after slight other single hostile)) {
    $run{$kind} = folder() . "/$kind";
    mkdir $run{$kind} or die "mkdir: $!";
    my ($exit, undef, $err) = run($make_run, $kind, $run{$kind});
    is($exit, 0, "a run $kind") or diag $err;
}

subtest 'text' => sub {
    my ($exit, $text, $err) = kit('compare', $run{before}, $run{after});
    is($exit, 0, 'exit');
    is($err, '', 'nothing on stderr');
    is_deeply([grep { length > 80 } map { s/[\x80-\xbf]//gr } split /\n/, $text], [], '80 columns');
    like($text, qr/^comparable: PASS$/m, 'comparable');
    like($text, qr/^peaks: 14\d{3} against 13\d{3}, ratio 1\.100 \(95 % interval 1\.0\d\d to 1\.1\d\d\): B\s+is\s+higher\s+than A/m,
        'ratio, interval, word');
    like($text, qr/^setting: shared_buffers\n  A  1GB\n  B  8GB$/m, 'a setting that differs');
    like($text, qr/^setting: max_wal_size\n  A  4GB\n  B  not recorded$/m, 'one that is not recorded');
    like($text, qr/^state: size of schema$/m, 'a state');
    unlike($text, qr/same configuration/, 'not the same configuration');
    unlike($text, qr/tpm[C]/, 'no reserved metric name');
    (undef, $text) = kit('compare', $run{before}, $run{slight});
    like($text, qr/no\s+difference\s+shown/, 'within the scatter: no difference shown');
    unlike($text, qr/is\s+higher|is\s+lower/, 'and no other word');
    like($text, qr/^Nothing of what was recorded: the same configuration\.$/m, 'the same configuration');
    (undef, $text) = kit('compare', $run{single}, $run{single});
    is_deeply([grep { length > 80 } map { s/[\x80-\xbf]//gr } split /\n/, $text], [],
        '80 columns where levels were measured once');
    like($text, qr/^   10     8 .* -  too few runs$/m, 'which is said');
    ($exit, $text) = kit('compare', $run{before}, $run{other});
    is($exit, 1, 'another workload is refused');
    like($text, qr/^rule: the same mix/m, 'by a rule');
    like($text, qr/^- mix: 45-43-4-4-4 against 50-38-4-4-4$/m, 'its mix');
    unlike($text, qr/ratio \d/, 'no ratio');
};

subtest 'json' => sub {
    my ($exit, $out) = kit('compare', $run{before}, $run{slight}, $run{after}, $run{other}, '--json',
        '--cost-per-hour', '1,2,3.5,4');
    my $json = JSON::PP->new->decode($out);
    is($exit, 1, 'one of them is not comparable');
    is($json->{schema_version}, 1, 'schema version');
    is_deeply([map { $_->{comparable} } @{$json->{comparisons}}], [qw(PASS PASS FAIL)], 'comparable');
    my $peak = $json->{comparisons}[1]{peak};
    ok(abs($peak->{ratio} - 1.1) < 0.001, 'ratio of the peaks');
    ok($peak->{ci95}[0] < $peak->{ratio} && $peak->{ratio} < $peak->{ci95}[1], 'inside its interval');
    is(scalar @{$json->{comparisons}[1]{levels}}, 4, 'four levels in common');
    ok(abs($json->{comparisons}[1]{costs}{server_cpu_us}{ratio} - 1 / 1.1) < 0.001, 'server CPU');
    is($json->{comparisons}[2]{peak}{ratio}, undef, 'no ratio where refused');
    my ($level) = (kit('report', $run{after}, '--format', 'json'))[1];
    my $nopm = JSON::PP->new->decode($level)->{peak}{nopm_mean};
    ok(abs($json->{runs}[2]{stated_by_user}{cost_per_1000_new_orders} - 3.5 * 1000 / 60 / $nopm) < 1e-6,
        'cost of a thousand orders');
};

subtest 'html' => sub {
    my $out = folder() . '/out';
    my ($exit, $paths) = kit('compare', $run{before}, $run{after}, $run{hostile}, '-o', $out);
    is($paths, join('', map { "$out/comparison.$_\n" } qw(html txt json)), 'three files');
    my $html = slurp("$out/comparison.html");
    my $active = join "\n", $html =~ m{<style>.*?</style>}sg, $html =~ /<[^>]*>/g;
    unlike($active, qr{https?:|//|src=|url\(|\@import|<link|<script|<iframe|<img|\bon\w+=}i,
        'no script, and no reference to anything outside');
    is(() = $html =~ /<svg /g, 1, 'the profiles in one chart');
    like($html, qr/<title>B, 8 virtual users: 14,\d{3} NOPM, mean of 3<\/title>/, 'with tooltips');
    my ($status, undef, $complaints) = run('xmllint', '--noout', "$out/comparison.html");
    is($status, 0, 'well-formed') or diag $complaints;
    kit({env => {LC_ALL => 'de_DE.UTF-8', TZ => 'Asia/Tokyo'}},
        'compare', $run{before}, $run{after}, $run{hostile}, '-o', $out);
    ok(slurp("$out/comparison.html") eq $html, 'the same bytes again');
};

subtest 'resampling' => sub {
    for my $kind (qw(five five-after)) {
        mkdir folder() . "/$kind";
        run($make_run, $kind, folder() . "/$kind");
    }
    my $out = folder() . '/resampled';
    kit('compare', folder() . '/five', folder() . '/five-after', '-o', $out);
    my $html = slurp("$out/comparison.html");
    my $peak = JSON::PP->new->decode(slurp("$out/comparison.json"))->{comparisons}[0]{peak};
    my ($low, $high) = map { sprintf '%.3f', $_ } @{$peak->{bootstrap_ci95}};
    ok($low > 1.05 && $low < 1.1 && $high > 1.1 && $high < 1.15, 'five repeats bear it')
      or diag "$low $high";
    like($html, qr{<th scope="col">by resampling</th>}, 'a column in the page');
    like($html, qr{<td>$low\S+$high</td>}, 'the limits of the peak in it');
    like($html, qr{by resampling the interval is $low to $high}, 'and in the headline');
    unlike(slurp(folder() . '/out/comparison.html'), qr/<th scope="col">by resampling/,
        'no empty column with three repeats');
};

subtest 'the status of --fail-under' => sub {
    my @cases = (
        [before => after  => 1.02, 0, 'all of the interval is over it'],
        [after  => before => 0.97, 1, 'all of it is under'],
        [before => slight => 1,    8, 'it holds the ratio: undecided'],
        [before => other  => 0.5,  8, 'not comparable: undecided'],
        [single => single => 0.5,  8, 'one run: undecided'],
    );
    for my $case (@cases) {
        my ($base, $other, $least, $expected, $name) = @$case;
        my ($exit, undef, $err) = kit('compare', $run{$base}, $run{$other}, '--fail-under', $least);
        is($exit, $expected, $name);
        is($err =~ tr/\n//, $expected ? 1 : 0, "$name: a line says why") or diag $err;
        like($err, qr/measured once only/, "$name: in its words") if $base eq 'single';
    }
};

subtest 'refusals' => sub {
    my @cases = (
        [['--fail-under', 'x'],          2, qr/--fail-under: .*"x"/],
        [['--fail-under', '-1'],         2, qr/--fail-under: "-1" is not above 0/],
        [['--cost-per-hour', '1'],       2, qr/--cost-per-hour: 1 figure for 2 runs/],
        [['--cost-per-hour', '1,2,3'],   2, qr/--cost-per-hour: more figures than runs \(2\)/],
        [['--watts', '1,nan'],           2, qr/--watts: .*"nan"/],
    );
    for my $case (@cases) {
        my ($options, $expected, $message) = @$case;
        my ($exit, $out, $err) = kit('compare', $run{before}, $run{after}, @$options);
        is($exit, $expected, "@$options: exit");
        like($err, $message, "@$options: says why");
        is($out, '', "@$options: nothing on stdout");
    }
    my ($exit, undef, $err) = kit('compare', $run{before}, folder() . '/nowhere');
    is($exit, 7, 'no such run');
    ($exit) = kit('compare', $run{before});
    is($exit, 2, 'one run is a usage error');
};

done_testing;

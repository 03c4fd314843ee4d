# ordermill report: made-up runs rendered in every format, and what a report must never do.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Test::More;
use Kit;

use File::Basename qw(dirname);
use JSON::PP ();

my $make_run = dirname($ENV{ORDERMILL}) . '/tests/make_run';
my %folder;
for my $kind (qw(ramp hostile single empty)) {
    $folder{$kind} = folder() . "/$kind";
    mkdir $folder{$kind} or die "mkdir: $!";
    my ($exit, $out, $err) = run($make_run, $kind, $folder{$kind});
    is($exit, 0, "a $kind run") or diag $err;
}

my @sections = qw(headline verdicts profile warehouses latency distribution time waits cores io errors
  inputs consistency steps findings environment settings again departures glossary);

for my $kind (sort keys %folder) {
    my ($exit, $out, $err) = kit('report', $folder{$kind});
    is($exit, $kind eq 'hostile' ? 1 : 0, "$kind: exit status tells whether a verdict is FAIL");
    is($out, "$folder{$kind}/report.html\n", "$kind: the path on stdout");
    is($err, '', "$kind: nothing on stderr");
    my $html = slurp("$folder{$kind}/report.html");

    for my $section (@sections) {
        like($html, qr/ id="$section"/, "$kind: section $section");
    }
    # What the page does stands in its tags and its style; text may say anything.
    my $active = join "\n", $html =~ m{<style>.*?</style>}sg, $html =~ /<[^>]*>/g;
    unlike($active, qr{https?:|//|src=|url\(|\@import|<link|<script|<iframe|<img|\bon\w+=}i,
        "$kind: no script, and no reference to anything outside");
    ok($html !~ /tpm[C]/, "$kind: no reserved metric name");
    my @ids = $html =~ / id=["']([^"']+)/g;
    my %seen;
    is_deeply([grep { $seen{$_}++ } @ids], [], "$kind: every id once");
    my %there = map { $_ => 1 } @ids;
    is_deeply([grep { !$there{$_} } $html =~ /href='#([^']+)/g], [], "$kind: every link has an end");
    my ($status, undef, $complaints) = run('xmllint', '--noout', "$folder{$kind}/report.html");
    is($status, 0, "$kind: well-formed") or diag $complaints;

    kit({env => {LC_ALL => 'de_DE.UTF-8', TZ => 'Asia/Tokyo'}}, 'report', $folder{$kind});
    ok(slurp("$folder{$kind}/report.html") eq $html,
        "$kind: the same bytes again, in another locale and time zone");
}

subtest 'what foreign names become' => sub {
    my $html = slurp("$folder{hostile}/report.html");
    like($html, qr{&lt;/title&gt;&lt;script&gt;alert\(&#39;db&#39;\)&lt;/script&gt;}, 'database name');
    like($html, qr{<title>Ordermill report: &lt;script&gt;}, 'run name');
    like($html, qr{server &lt;b&gt;closed&lt;/b&gt; the connection &amp; left}, 'reason of a step');
    like($html, qr{\x{ef}\x{bf}\x{bd}\[31m&lt;/td&gt;}, 'message of the server');
    like($html, qr{&lt;profile&gt;&lt;!-- &quot;&amp;lt;&quot; --&gt;}, 'profile');
};

subtest 'charts' => sub {
    my $html = slurp("$folder{ramp}/report.html");
    is(() = $html =~ /<svg /g, 21,
        'first screen, curve, response times, five distributions, seven levels over time, waits, '
          . 'cores, four of disks and log');
    like($html, qr{<title>16 virtual users: [\d,]+ NOPM, mean of 3</title>}, 'tooltips without script');
    like($html, qr/var\(--chart-6\)/, 'colours of the page');
    unlike($html, qr/rgb\(/, 'no colours of their own');
};

subtest 'without gnuplot' => sub {
    my $bin = folder() . '/bin';
    mkdir $bin;
    my ($exit, $out, $err) = kit({env => {PATH => $bin}}, 'report', $folder{ramp}, '-o', "$bin/out");
    is($exit, 0, 'no failure');
    like($err, qr/gnuplot is not installed: the report has no charts/, 'a warning');
    my $html = slurp("$bin/out/report.html");
    unlike($html, qr/<svg /, 'no chart');
    is(() = $html =~ /gnuplot is not installed/g, 1, 'said once');
    like($html, qr/<td>15,\d\d\d<\/td>/, 'the tables are there');
};

subtest 'text' => sub {
    my ($exit, $out) = kit('report', $folder{ramp}, '--format', 'text');
    is($exit, 0, 'exit');
    is($out, "$folder{ramp}/report.txt\n", 'the path on stdout');
    my $text = slurp("$folder{ramp}/report.txt");
    like($text, qr/^15,\d{3} NOPM at 16 virtual users on 10 warehouses \(TOO SHORT\)$/m, 'headline');
    is_deeply([grep { length > 80 } split /\n/, $text], [], 'at most 80 columns');
    like($text, qr/Scalability law: peak at 1[56] virtual users/, 'peak of the scalability law');
    # 32 on 10: each has a home with two or three others.
    like($text, qr/More\s+virtual\s+users\s+\(up\s+to\s+32\)\s+than\s+warehouses\s+\(10\):\s+100\s+%\s+of\s+them\s+share/,
        'more virtual users than warehouses, with the share that have a home with others');
};

subtest 'json' => sub {
    my ($exit, $out) = kit('report', $folder{ramp}, '--format', 'json');
    my $json = JSON::PP->new->decode($out);
    is($exit, 0, 'exit');
    is(scalar @{$json->{steps}}, 21, 'steps');
    is_deeply([map { $_->{virtual_users} } @{$json->{levels}}], [1, 2, 4, 8, 16, 24, 32], 'levels');
    is($json->{peak}{virtual_users}, 16, 'peak');
    ok($json->{peak}{nopm_ci95}[0] < $json->{peak}{nopm_mean}
          && $json->{peak}{nopm_mean} < $json->{peak}{nopm_ci95}[1], 'interval holds the mean');
    ok($json->{usl}{claimed}, 'peak claimed');
    ok(abs($json->{usl}{n_star} - 15.4) < 1, 'where the data were made to have it');
    my ($low, $high) = @{$json->{usl}{n_star_ci95}};
    ok($low < $json->{usl}{n_star} && $json->{usl}{n_star} < $high && $high - $low < 4,
        'the interval of the peak');
    my $limits = $json->{peak}{response_us_ci95}{new_order}{p95};
    my $p95 = $json->{peak}{response_us}{new_order}{p95};
    ok($limits->[0] <= $p95 && $p95 <= $limits->[1] && $limits->[1] < 1.1 * $p95,
        'the limits of a percentile');
    my $fit = $json->{curves}[0]{fits}{response_p95_us_per_virtual_user};
    is($fit->{runs}, 21, 'a straight line through all runs');
    ok($fit->{slope_ci95}[0] > 0, 'more virtual users, more response time');
    is_deeply([sort keys %{$json->{verdicts}}],
        [qw(client comparable consistency errors latency mix repeatable steady)], 'verdicts');
    is($json->{steps}[0]{run}{transactions}{new_order}{failed}, 0, 'a step as run prints it');

    (undef, $out) = kit('report', $folder{single}, '--format', 'json');
    $json = JSON::PP->new->decode($out);
    is($json->{verdicts}{consistency}, 'NOT TESTED', 'no check, no verdict');
    is_deeply($json->{peak}{nopm_ci95}, [undef, undef], 'one run, no interval');
    ok(!$json->{usl}{claimed}, 'no peak claimed from one level');

    (undef, $out) = kit('report', $folder{empty}, '--format', 'json');
    is(JSON::PP->new->decode($out)->{peak}, undef, 'no step, no peak');
};

subtest 'bad folders' => sub {
    my ($exit, $out, $err) = kit('report', folder() . '/nowhere');
    is($exit, 7, 'exit status');
    is($out, '', 'nothing on stdout');
    like($err, qr/^ordermill: [^\n]*nowhere/, 'the folder is named');
    ($exit) = kit('report');
    is($exit, 2, 'no operand is a usage error');
};

done_testing;

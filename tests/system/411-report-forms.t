# The other forms of a report, from a made-up run: files kept in tests/golden, the schema of the XML,
# the tables as CSV, the charts, and the same bytes whatever the locale.
#
# GOLDEN=write makes the kept files anew (make golden); read the difference before you keep it.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Test::More;
use Kit;

use File::Basename qw(dirname);
use JSON::PP ();

my $make_run = dirname($ENV{ORDERMILL}) . '/tests/make_run';
my $golden   = "$FindBin::Bin/../golden";
my %folder;
for my $kind (qw(golden grid hostile matrix)) {
    $folder{$kind} = folder() . "/$kind";
    mkdir $folder{$kind} or die "mkdir: $!";
    my ($exit, undef, $err) = run($make_run, $kind, $folder{$kind});
    is($exit, 0, "a $kind run") or diag $err;
}
my $out = folder() . '/out';
my ($exit, $paths, $err) = kit('report', $folder{golden}, '-o', $out);
is($exit, 0, 'a folder alone gets every form') or diag $err;
my @paths = split /\n/, $paths;
is_deeply([grep { !-s } @paths], [], 'every file that is named is there, and not empty');
my %there = map { s{^\Q$out\E/}{}r => 1 } @paths;

my @kept = qw(report.txt result.xml csv/levels.csv csv/latency.csv csv/resources.csv
  hgrm/03-10w-4u-new_order.hgrm);
for my $name (@kept) {
    my $kept = "$golden/" . $name =~ s{.*/}{}r;
    ok($there{$name}, "$name is among them");
    # The departures have a test of their own.
    my $made = slurp("$out/$name") =~ s{^  <departures>.*^  </departures>\n}{}msr
      =~ s{^Departures from the standard\n.*}{}msr;
    spew($kept, $made) if ($ENV{GOLDEN} // '') eq 'write';
    my $same = -e $kept && slurp($kept) eq $made;
    ok($same, "$name is as kept") or diag((run('diff', '-u', $kept, "$out/$name"))[1]);
}

subtest 'xml' => sub {
    for my $kind (sort keys %folder) {
        my ($status, $printed) = kit('report', $folder{$kind}, '--format', 'xml', '-o', "$out/$kind");
        is($printed, "$out/$kind/result.xml\n$out/$kind/result.xsd\n", "$kind: both are named");
        my ($valid, undef, $complaints) = run('xmllint', '--nonet', '--noout', '--schema',
            "$out/$kind/result.xsd", "$out/$kind/result.xml");
        is($valid, 0, "$kind: valid") or diag $complaints;
    }
    my $xml = slurp("$out/hostile/result.xml");
    spew("$out/broken.xml", $xml =~ s/outcome="PASS"/outcome="FINE"/r);
    my ($valid) = run('xmllint', '--noout', '--schema', "$out/hostile/result.xsd", "$out/broken.xml");
    isnt($valid, 0, 'the schema refuses a verdict that there is not');
    like($xml, qr/value="&lt;\/title&gt;&lt;script&gt;/, 'foreign names are text');
};

subtest 'csv' => sub {
    my @lines = split /\r\n/, slurp("$out/csv/seconds.csv");
    my @names = split /,/, shift @lines;
    is(scalar @lines, 6 * (1 + 3 + 20 + 1), 'every second of six steps');
    my %sum;
    for my $line (@lines) {
        my %row;
        @row{@names} = split /,/, $line;
        $sum{$row{phase}} += $row{new_order_committed};
    }
    ok($sum{measure} > 0 && $sum{ramp_up} > 0 && !$sum{drain}, 'by their phases');
    my $sqlite = "SELECT sum(new_order_committed) FROM step_second WHERE phase = 'measure'";
    my (undef, $stored) = run('sqlite3', "$folder{golden}/run.sqlite", $sqlite);
    is("$sum{measure}\n", $stored, 'as the store has them');
    my ($headline) = (split /\r\n/, slurp("$out/csv/levels.csv"))[3];
    like($headline, qr/^,10,4,2,\d+\.\d,/, 'raw numbers');
    like(slurp("$out/csv/metrics.csv"), qr/^1,server,wal_bytes,,bytes,rate,20,\d+\.\d{6},/m, 'metrics');
};

subtest 'json' => sub {
    my $json = JSON::PP->new->decode(slurp("$out/result.json"));
    is($json->{schema_version}, 1, 'schema version');
    my (undef, $printed) = kit('report', $folder{golden}, '--format', 'json');
    ok($printed eq slurp("$out/result.json"), 'printed and written are one');
};

subtest 'charts as files' => sub {
    my @svg = grep { /\.svg$/ } keys %there;
    my @png = grep { /\.png$/ } keys %there;
    is(scalar @svg, scalar @png, 'as many of either');
    ok($there{'charts/curve-1.svg'} && $there{'charts/waits-1.png'}, 'curve and waits');
    for my $name (@svg) {
        my $svg = slurp("$out/$name");
        unlike($svg, qr/var\(|rgb\(|onmouse|<script/, "$name: colours of its own, no script");
        my ($status) = run('xmllint', '--nonet', '--noout', "$out/$name");
        is($status, 0, "$name: well-formed");
    }
    is(substr(slurp("$out/$_"), 0, 8), "\x89PNG\r\n\x1a\n", "$_: a PNG") for @png;
};

subtest 'several numbers of warehouses, and think times' => sub {
    kit('report', $folder{grid});
    my $html = slurp("$folder{grid}/report.html");
    like($html, qr/<svg class="chart" id="$_"/, "chart $_") for qw(warehouses-1 surface-1 think);
    like($html, qr/Think times after New-Order: 8000 of them, mean 12\.\d/, 'how many, and their mean');
    like($html, qr{<td>100</td><td>99</td><td>0</td><td>0</td><td>1</td>.*?<td>98\.00 %</td>},
        'deferred deliveries');
    like($html, qr{<h3>10 warehouses</h3>}, 'a heading for each');
};

subtest 'a matrix with a probe' => sub {
    my $out = "$out/matrix";
    my ($status, undef, $message) = kit('report', $folder{matrix}, '-o', $out);
    is($status, 0, 'exit') or diag $message;
    my $html = slurp("$out/report.html");
    like($html, qr/<svg class="chart" id="$_"/, "chart $_")
      for qw(curves curve-5 warehouses-1 surface-1);
    unlike($html, qr/id="(?:curves-tpm|warehouses-[^1])/, 'no chart of a single curve');
    like($html, qr/all curves: curve 1: 10 warehouses, standard; curve 2: 20 warehouses, standard; curve 3: 20 warehouses, &lt;big&gt;&#39;s\./,
        'which line is which');
    unlike($html, qr/<big>/, 'names of curves are text');
    like($html, qr{<h1 class="headline">[\d,]+ <small>NOPM</small>}, 'the headline is no probe');
    like($html, qr{; the highest of 3 curves: 20 warehouses, standard</p>}, 'and names its curve');
    my $text = slurp("$out/report.txt");
    like($text, qr/^the highest of 3 curves: 20 warehouses, standard$/m, 'in text too');
    is_deeply([grep { length > 80 } split /\n/, $text], [], 'in 80 columns');
    my ($names, @rows) = map { [split /,(?=(?:[^"]*"[^"]*")*[^"]*$)/] } split /\r\n/, slurp("$out/csv/levels.csv");
    my %column = map { $names->[$_] => $_ } 0 .. $#$names;
    is($rows[0][$column{curve}], '"10 warehouses, standard"', 'which curve a row belongs to');
    is($rows[-1][$column{curve}], qq{"20 warehouses, <big>'s"}, 'to the last');
    is($rows[5][$column{nopm_mean}], '', 'a probe has no NOPM');
    like(slurp("$out/result.xml"), qr/^  <peak warehouses="\d+" virtual_users="8" nopm_mean=/m, 'XML');
};

subtest 'what is not in a run' => sub {
    my $html = slurp("$out/report.html");
    like($html, qr/Curves by warehouses: not available; the run has one number of warehouses only\./,
        'curves by warehouses');
    like($html, qr/Think times: not available; virtual users did not think/, 'think times');
    run('sqlite3', "$folder{grid}/run.sqlite", 'DELETE FROM step_sample', 'DELETE FROM step_metric',
        'DELETE FROM finding');
    kit('report', $folder{grid});
    $html = slurp("$folder{grid}/report.html");
    like($html, qr/Wait events: not available; they were not sampled\./, 'wait events');
    like($html, qr/No finding is stored/, 'findings');
    unlike($html, qr/id="waits-1"/, 'and no empty chart');
};

subtest 'any locale' => sub {
    my $locales = folder() . '/locales';
    mkdir $locales;
    my ($made) = run('localedef', '-i', 'de_DE', '-f', 'UTF-8', "$locales/de_DE.UTF-8");
    plan skip_all => 'localedef has no German locale to make (package locales)' if $made;
    my $german = {env => {LC_ALL => 'de_DE.UTF-8', LOCPATH => $locales, TZ => 'Europe/Berlin'}};
    my (undef, $comma) = run($german, 'env', 'printf', '%.1f', '1,5');
    is($comma, '1,5', 'a locale with a comma');
    kit($german, 'report', $folder{golden}, '-o', "$out/de");
    for my $name (sort keys %there) {
        ok(slurp("$out/de/$name") eq slurp("$out/$name"), "$name: the same bytes");
    }
};

subtest 'a copied folder, and a store of another layout' => sub {
    my $copy = folder() . '/copy';
    mkdir $copy;
    spew("$copy/run.sqlite", slurp("$folder{golden}/run.sqlite"));
    kit('report', $copy, '--format', 'text');
    ok(slurp("$copy/report.txt") eq slurp("$out/report.txt"), 'a copy gives the same report');
    run('sqlite3', "$copy/run.sqlite", 'PRAGMA user_version = 1');
    my ($status, $printed, $message) = kit('report', $copy, '--format', 'text');
    is($status, 7, 'another layout is refused');
    like($message, qr/^ordermill: "[^"]*run\.sqlite" has layout 1; this ordermill reads layout \d+$/m,
        'in a clear line');
};

done_testing;

# report.html in a browser: nothing is asked of the network, nothing fails, every chart is drawn and
# has tooltips where the pointer finds them, nothing sticks out at any width, in light and dark; and on
# paper. Needs chromium (scripts/dependencies.sh browser).
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Test::More;
use Kit;

use File::Basename qw(dirname);
use JSON::PP ();

plan skip_all => 'chromium is not installed (scripts/dependencies.sh browser)'
  if !grep { -x "$_/chromium" } split /:/, $ENV{PATH};

my $make_run = dirname($ENV{ORDERMILL}) . '/tests/make_run';
my $probe    = slurp("$FindBin::Bin/lib/probe.js");
my @browser  = (qw(chromium --headless --disable-gpu --hide-scrollbars --no-first-run),
    qw(--disable-background-networking --disable-component-update --disable-sync),
    qw(--disable-dev-shm-usage --enable-logging=stderr --virtual-time-budget=5000),
    '--host-resolver-rules=MAP * ~NOTFOUND', '--user-data-dir=' . folder() . '/profile');
push @browser, '--no-sandbox' if $> == 0;

sub browse {
    my ($page, @more) = @_;
    my ($exit, $out, $err) = run({timeout => 110}, @browser, @more, "file://$page");
    is($exit, 0, "@more: the browser ends well") or diag $err;
    is_deeply([grep { /CONSOLE/ } split /\n/, $err], [], "@more: nothing on the console");
    return $out;
}

# What the probe saw in a copy of the page that ends with it.
sub look {
    my ($page, @more) = @_;
    my $html = slurp($page);
    spew("$page.probe.html", $html =~ s{</body>}{<script>$probe</script></body>}r);
    my $dom = browse("$page.probe.html", '--dump-dom', @more);
    my ($json) = $dom =~ m{<script type="application/json" id="probe">(.*?)</script>}s;
    ok($json, "@more: the probe came to its end") or return;
    return JSON::PP->new->decode($json);
}

my %folder;
for my $kind (qw(grid golden hostile)) {
    $folder{$kind} = folder() . "/$kind";
    mkdir $folder{$kind} or die "mkdir: $!";
    run($make_run, $kind, $folder{$kind});
    kit('report', $folder{$kind});
}

for my $view (['400,900'], ['1000,900'], ['1600,1000'], ['1000,900', '--force-dark-mode',
        '--blink-settings=preferredColorScheme=0']) {
    my ($size, @more) = @$view;
    my $seen = look("$folder{grid}/report.html", "--window-size=$size", @more) or next;
    is_deeply($seen->{resources}, [], "$size: nothing was asked for");
    cmp_ok($seen->{overflow}, '<=', 0, "$size: nothing sticks out of the page");
    is_deeply($seen->{faults}, [], "$size: headings, table headers, captions, contrast");
    ok(@more ? $seen->{dark} : !$seen->{dark}, "$size: light or dark as asked for");
    my %chart = map { $_->{id} => $_ } @{$seen->{charts}};
    ok($chart{$_}, "$size: chart $_") for qw(summary curve-1 warehouses-1 surface-1 latency-1
      distribution-1 time-1 think waits-1 cores-server-1 wal-order-1);
    my @bad = grep { $_->{width} < 150 || $_->{height} < 80 || $_->{drawn} < 10 || !$_->{label} }
      values %chart;
    is_deeply([map { $_->{id} } @bad], [], "$size: every chart is large enough, drawn and labelled");
    my @mute = grep { !$_->{tips} || $_->{shown} < $_->{tips} } values %chart;
    is_deeply([map { "$_->{id}: $_->{shown} of $_->{tips}" } @mute], [], "$size: tooltips");
}

# One curve alone: its charts do not say of which.
my $seen = look("$folder{golden}/report.html", '--window-size=400,900');
is_deeply($seen->{faults}, [], 'one curve: headings, table headers, captions, contrast');
cmp_ok($seen->{overflow}, '<=', 0, 'one curve: nothing sticks out of the page');

$seen = look("$folder{hostile}/report.html", '--window-size=1000,900');
is_deeply($seen->{resources}, [], 'hostile names ask for nothing');

mkdir folder() . "/$_" for qw(before after);
run($make_run, $_, folder() . "/$_") for qw(before after);
kit('compare', (map { folder() . "/$_" } qw(before after)), '-o', folder());
for my $size ('400,900') {
    $seen = look(folder() . '/comparison.html', "--window-size=$size") or next;
    is_deeply($seen->{resources}, [], "comparison, $size: nothing was asked for");
    is_deeply($seen->{faults}, [], "comparison, $size: headings, table headers, captions, contrast");
    cmp_ok($seen->{overflow}, '<=', 0, "comparison, $size: nothing sticks out of the page");
    my ($chart) = @{$seen->{charts}};
    ok($chart->{drawn} > 10 && $chart->{tips} == 8, "comparison, $size: the chart of two profiles");
    is($chart->{shown}, 8, "comparison, $size: its tooltips");
}

# Where the marks of a printed copy lie: name => [page, left, bottom, right, top], in points. A mark is a
# link, since a PDF lists the links of each page with their places, and in the clear.
sub marks {
    my ($pdf)  = @_;
    my %object = $pdf =~ /\b(\d+) 0 obj\b(.*?)\bendobj\b/sg;
    my (%mark, @papers);
    for my $number (sort { $a <=> $b } keys %object) {
        next if $object{$number} !~ m{/Type\s*/Page\b};
        push @papers, [$object{$number} =~ m{/MediaBox\s*\[([^]]*)\]}];
        my ($links) = $object{$number} =~ m{/Annots\s*\[([^]]*)\]} or next;
        for my $link ($links =~ /(\d+) 0 R/g) {
            my ($name) = $object{$link} =~ m{/URI\s*\(http://mark[.]invalid/([\w-]+)\)} or next;
            my ($place) = $object{$link} =~ m{/Rect\s*\[([^]]*)\]} or next;
            $mark{$name} = [$number, split ' ', $place];
        }
    }
    return (\%mark, \@papers);
}

# A4 is 595 by 842 points, and the style asks for margins of 14 and 13 mm.
sub on_paper {
    my ($page, $figures_least) = @_;
    my $html = slurp($page);
    my $mark = sub { qq{<a href="http://mark.invalid/$_[0]">.</a>} };
    my ($tops, $ends, $tables) = (0, 0, 0);
    $html =~ s{<details>.*?</details>}{}gs;    # not on paper
    $html =~ s{<figure>}{'<figure>' . $mark->(++$tops . '-top')}ge;
    $html =~ s{</figure>}{$mark->(++$ends . '-end') . '</figure>'}ge;
    $html =~ s{(?=</th></tr></thead>)}{$mark->(++$tables . '-edge')}ge;
    spew("$page.paper.html", $html);
    my $pdf = "$page.pdf";
    browse("$page.paper.html", "--print-to-pdf=$pdf", '--no-pdf-header-footer');
    my ($mark_of, $papers) = marks(slurp($pdf));
    my @sizes = map { [split ' ', $_->[0] // ''] } @$papers;
    ok(@sizes && !grep({ abs($_->[2] - 595) > 1 || abs($_->[3] - 842) > 1 } @sizes), 'paper: A4')
      or diag explain \@sizes;
    cmp_ok($tops, '>=', $figures_least, 'paper: the figures');
    my (@cut, @beside);
    for my $number (1 .. $tops) {
        my ($top, $end) = map { $mark_of->{"$number-$_"} } qw(top end);
        push @cut, $number
          if !$top || !$end || $top->[0] != $end->[0] || $end->[2] < 38 || $top->[4] > 804;
    }
    is_deeply(\@cut, [], 'paper: every figure lies on one page, caption and all');
    for my $number (1 .. $tables) {
        my $edge = $mark_of->{"$number-edge"};
        push @beside, $number if !$edge || $edge->[3] > 595 - 36;
    }
    is_deeply(\@beside, [], 'paper: no table is cut at the right');
    return;
}
on_paper("$folder{grid}/report.html", 15);
on_paper(folder() . '/comparison.html', 1);
on_paper("$folder{hostile}/report.html", 15);

done_testing;

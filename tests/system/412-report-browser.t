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
for my $kind (qw(grid hostile)) {
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
      distribution-1 time-1 think waits-1 cores-server wal-order-1);
    my @bad = grep { $_->{width} < 150 || $_->{height} < 80 || $_->{drawn} < 10 || !$_->{label} }
      values %chart;
    is_deeply([map { $_->{id} } @bad], [], "$size: every chart is large enough, drawn and labelled");
    my @mute = grep { $_->{id} !~ /^(?:time|surface)-/ && (!$_->{tips} || $_->{shown} < $_->{tips}) }
      values %chart;
    is_deeply([map { "$_->{id}: $_->{shown} of $_->{tips}" } @mute], [], "$size: tooltips");
}

my $seen = look("$folder{hostile}/report.html", '--window-size=1000,900');
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

my $pdf = folder() . '/report.pdf';
browse("$folder{grid}/report.html", "--print-to-pdf=$pdf", '--no-pdf-header-footer');
is(substr(slurp($pdf), 0, 5), '%PDF-', 'on paper');

done_testing;

# Every profile that comes with the program, to its report, at a tiny size: with stand-ins for its hooks,
# and one server under all the names of its servers. Building is for other tests.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use JSON::PP;
use Kit;
use Loaded;
use RunFolder;
use Test::More;

my ($one, $two) = map { loaded_schema($_) } 1, 2;
(my $stem = $one) =~ s/_w1$//;
is $two, "${stem}_w2", 'a sweep finds what is loaded';

my ($exit, $list, $err) = kit('autopilot', '--shipped');
is $exit, 0, 'they are listed' or diag $err;
my @names = $list =~ /^(\S+) +\d+ steps +\S/mg;
is join(' ', @names), join(' ', map { m{([^/]+)\.xml$} } sort glob "$FindBin::Bin/../../profiles/*.xml"),
  'all of them';

($exit, my $out, $err) = kit('autopilot', '--shipped', 'ramp');
is $out, slurp("$FindBin::Bin/../../profiles/ramp.xml"), 'one is printed as it is';
($exit, $out, $err) = kit('autopilot', '--shipped', 'nothing');
is "$exit $out", '2 ', 'one that is not there';
like $err, qr/^ordermill: no profile "nothing" comes with the program\nhint: /, 'is said not to be';

for my $name (@names) {
    my ($status, $json, $talk) = kit('autopilot', $name, '--dry-run', '--json');
    is $status, 0, "$name: is planned by its name" or diag $talk;
    my @curves = @{decode_json($json)->{curves}};
    my (%servers, %configurations, %warehouses);
    for (@curves) {
        $servers{$_->{server}}++ if length $_->{server};
        $configurations{$_->{configuration}}++ if length $_->{configuration};
        $warehouses{$_->{warehouses}}++ if defined $_->{warehouses};
    }
    my @set = map { ('--set', $_) } 'ladder=1', 'repeats=1', 'ramp-up=0', 'measure=1s',
      (%warehouses ? "schema=$stem" : "schema=$one"), 'metrics=0s', 'reset=none', 'repeat-first=false',
      ($name eq 'knee' ? 'search-steps=3' : 'order=ascending'),
      (map { "$_\@host=$ENV{PGHOST}" } sort keys %servers), (map { "$_\@port=$ENV{PGPORT}" } sort keys %servers),
      (map { ("$_\@before-step=true") } sort keys %configurations),
      (%configurations ? ('before-run=true', 'after-run=true') : ()),
      (%warehouses ? 'sweep-warehouses=' . (keys %warehouses > 2 ? '1 2' : '1') : 'warehouses=1');
    push @set, '--set', 'precision=0.001%', '--set', 'measure-most=1s' if $name eq 'machines';
    my $folder = folder() . "/$name";
    ($status, undef, $talk) = kit({timeout => 200}, 'autopilot', $name, @set, '--allow-hooks', '-q', '-o', $folder);
    ok $status == 0 || $status == 1, "$name: runs" or diag "exit $status\n$talk";
    my $steps = (%servers ? keys %servers : 1) * (%configurations ? keys %configurations : 1)
      * (keys %warehouses > 2 ? 2 : 1);
    # With one level there is nothing to search: it is measured three times, which a headline wants.
    is store($folder, q{select count(*), count(distinct curve) from step where status = 'complete'}),
      $name eq 'knee' ? '3|1' : "$steps|$steps", "$name: all its steps, each a curve";
    ok -s "$folder/report.html", "$name: has its report";
}

done_testing;

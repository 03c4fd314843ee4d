# Two servers that differ, each with its data, its settings and its figures: a profile runs on both, turn
# and turn about, and the report tells them apart.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use JSON::PP;
use Kit;
use Loaded;
use OwnServer;
use RunFolder;
use Test::More;

my $schema = loaded_schema(1);
my $own = OwnServer->start(settings => "listen_addresses = ''\nwork_mem = '5MB'\nshared_buffers = '48MB'\n");
my %there = (PGHOST => $own->folder, PGUSER => 'own', PGDATABASE => 'postgres');
my $folder = folder() . '/run';
my $sum = "select sum(d_next_o_id) - 10 * 3001 from $schema.district";

my ($exit, $out, $err) = kit({env => \%there}, 'load', '-w', 1, '--schema', $schema, '-q', '--seed', 7);
is $exit, 0, 'one warehouse on the other server' or diag $err;
my $before = psql($sum);
($exit, $out, $err) = kit('autopilot', 'versions', '-o', $folder, map { ('--set', $_) } "schema=$schema",
    'warehouses=1', 'ladder=2', 'repeats=2', 'ramp-up=0', 'measure=2s',
    'wait-for-server=0', "old\@host=$ENV{PGHOST}",
    "old\@port=$ENV{PGPORT}", "new\@host=$there{PGHOST}", "new\@port=$ENV{PGPORT}", 'new@username=own',
    'new@dbname=postgres');
ok $exit == 0 || $exit == 1, 'the shipped profile runs on both' or diag "exit $exit\n$err";
is store($folder, 'select server, repeat, status from step'),
  "old|1|complete\nnew|1|complete\nold|2|complete\nnew|2|complete", 'turn and turn about';

# What was done on each is done there.
my %orders = map { split /\|/ } split /\n/, store($folder,
    'select server, sum(new_orders_database) from step group by server');
is psql($sum) - $before, $orders{old}, 'the orders of the one are on the one';
is psql($sum, env => \%there), $orders{new}, 'and those of the other on the other';

# What each of them is.
sub fact { return store($folder, "select value from environment where fact_group = '$_[0]' and name = '$_[1]'") }
is fact('setting', 'work_mem') . '', psql('show work_mem') eq '4MB' ? '' : psql('show work_mem'), 'settings of the one';
is fact('setting', 'new: work_mem'), '5MB', 'settings of the other';
isnt fact('setting', 'shared_buffers'), '48MB', 'another setting of the one';
is fact('setting', 'new: shared_buffers'), '48MB', 'and of the other';
is fact('database', 'new: load seed'), '7', 'what is loaded on the other';
my $report = slurp("$folder/report.txt");
like $report, qr/^new: work_mem +5MB/m, 'the report has the settings of the other';
like $report, qr/^new: load seed +7$/m, 'and what is loaded there';
like slurp("$folder/report.html"), qr/new: work_mem/, 'and so has HTML';
like $report, qr/^$_$/m, "the report has a curve of $_" for qw(old new);

# What each of them did, from its own views.
is store($folder, q{select count(distinct s.number) from step s join step_metric m on m.step = s.number
    where m.source = 'server' and m.name = 'wal_bytes' and m.samples > 0}), 4, 'every step has figures of its server';

# The other one goes: its steps fail, and the ladder goes on with the first.
my $gone = folder() . '/gone';
my $run = in_background('autopilot', '--again', $folder, '-o', $gone);
$run->wait_for(qr/step 1 of 4, old: 2 virtual users, measuring/);
$own->stop;
($exit, $out, $err) = $run->finish;
is store($gone, 'select server, status from step'), "old|complete\nnew|failed\nold|complete\nnew|failed",
  'without the other the one is measured all the same' or diag $err;

done_testing;

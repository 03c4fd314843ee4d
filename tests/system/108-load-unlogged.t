# Tables without a log, after a crash of the server: that it has emptied them is noticed and said, by
# every command, and --resume loads the rows again, in the middle of a load or after its end.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use Checksum;
use Kit;
use Test::More;

my $schema = fresh_schema("un'logged");
my $quoted = quote_ident($schema);
my ($exit, $out, $err) =
  kit('load', '-w', 2, '--schema', $schema, '--unlogged', '--partitions', 2);
is $exit, 0, 'a load without log' or diag $err;
my $expected = checksum($schema);

# A clean restart keeps them, a crash does not.
ok crash_server(), 'the server crashes and recovers';
is psql("select count(*) from $quoted.warehouse"), 0, 'the tables are empty';
for my $command (['check'], ['run', '-u', 1, '-t', '1s'], ['checksum'], ['load', '-w', 2]) {
    ($exit, $out, $err) = kit(@$command, '--schema', $schema);
    is $exit, 5, "$command->[0] refuses them";
    is $err, "ordermill: schema \"$schema\" has lost its rows: its tables are unlogged, and the server has"
      . " recovered from a crash\nhint: ordermill load --schema '$schema' --resume loads them again\n",
      '... and says why';
}
($exit, $out, $err) = kit('load', '--resume', '--schema', $schema);
is $exit, 0, '--resume' or diag $err;
like $err, qr/^ordermill: warning: the tables of schema "\Q$schema\E" are unlogged, .*all rows are loaded again$/m,
  '... says what it does';
like $out, qr/^2 warehouses: 1,\d+,\d+ rows, .*\nall 12 consistency conditions hold$/m, '... does it';
is checksum($schema), $expected, '... and they are the same rows';
($exit, $out, $err) = kit('load', '--resume', '--schema', $schema);
like $err, qr/is complete; nothing is left to do$/m, 'once';

# No report follows a single level, so it says itself what its figures are worth.
my $warning = qr/^ordermill: warning: the tables are unlogged: the figures are not comparable/m;
($exit, $out, $err) = kit('run', '-u', 1, '-t', '1s', '--schema', $schema);
like $err, $warning, 'a level on them says so';

# In the middle of a load: what was committed before the crash is not taken for loaded.
$schema = fresh_schema('unlogged');
my $run = in_background('load', '-w', 2, '-j', 1, '--schema', $schema, '--unlogged', '--partitions', 2);
ok wait_until(sub { !$run->alive || psql("select to_regclass('$schema.ordermill_chunk') is not null") eq 't'
      && psql("select count(*) from $schema.ordermill_chunk where warehouse = 1 and row_count > 0") }),
  'a warehouse is loaded';
ok $run->alive, 'and others are not';
ok crash_server(), 'the server crashes and recovers';
is +($run->finish)[0], 4, 'the load has ended';
($exit, $out, $err) = kit('load', '--resume', '--schema', $schema);
is $exit, 0, '--resume' or diag $err;
like $err, qr/all rows are loaded again$/m, '... begins again';
is checksum($schema), $expected, '... and they are the same rows';

# An empty table with a log is somebody's doing, not a crash, and is for the check to find.
$schema = fresh_schema('logged');
($exit, $out, $err) = kit('load', '-q', '-w', 1, '--schema', $schema);
($exit, $out, $err) = kit('run', '-u', 1, '-t', '1s', '--schema', $schema);
unlike $err, $warning, 'a level on tables with a log does not';
psql("truncate $schema.warehouse");
is +(kit('check', '--schema', $schema))[0], 6, 'a table with a log that is empty is inconsistent';

done_testing;

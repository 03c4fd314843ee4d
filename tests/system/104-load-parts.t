# A load in parts: phase by phase, by a DBA's hand from the SQL that --sql prints, and by several
# hosts at once.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use Checksum;
use Kit;
use Test::More;

my $reference = fresh_schema('reference');
is_deeply [(kit('load', '-q', '-w', 2, '--foreign-keys', '--schema', $reference))[0, 2]], [0, ''],
  'reference';
my $expected = checksums($reference);

# What the catalog says of a schema's tables, indexes, constraints and functions.
sub catalog {
    my ($schema) = @_;
    my $text = psql(<<"SQL");
select 'table', relname::text, relkind::text, relpersistence::text, reloptions::text from pg_class
 where relnamespace = '$schema'::regnamespace and relkind in ('r', 'p')
union all select 'column', attrelid::regclass::text, attname::text, format_type(atttypid, atttypmod),
 attnotnull::text from pg_attribute where attnum > 0 and attrelid in
 (select oid from pg_class where relnamespace = '$schema'::regnamespace and relkind = 'r')
union all select 'constraint', conname, pg_get_constraintdef(oid), '', '' from pg_constraint
 where connamespace = '$schema'::regnamespace
union all select 'index', indexname, indexdef, '', '' from pg_indexes where schemaname = '$schema'
union all select 'place', relname, coalesce(spcname, ''), relpersistence::text, reloptions::text
 from pg_class left join pg_tablespace as t on t.oid = reltablespace
 where relnamespace = '$schema'::regnamespace and relkind in ('r', 'p', 'i', 'I')
union all select 'partition', relname, pg_get_expr(relpartbound, oid), '', '' from pg_class
 where relnamespace = '$schema'::regnamespace and relispartition
union all select 'recorded', key, value, '', '' from $schema.ordermill_build, jsonb_each_text(options)
 where key <> 'rows loaded'
union all select 'function', proname, md5(prosrc), '', '' from pg_proc
 where pronamespace = '$schema'::regnamespace
union all select 'phase', phase, '', '', '' from $schema.ordermill_phase where phase <> 'check'
order by 1, 2, 3
SQL
    $text =~ s/\b\Q$schema\E\b/SCHEMA/g;
    $text =~ s/(\|)[0-9a-f]{32}\|/$1md5|/g;    # the sources name the schema
    return $text;
}

# ---- by hand ----

my $schema = fresh_schema('hand');
my @options = ('-w', 2, '--foreign-keys', '--schema', $schema);
my ($exit, $script, $talk) = kit({env => {PGHOST => '/nowhere'}}, 'load', @options, '--sql');
is "$exit|$talk", '0|', '--sql connects to nothing';
like $script, qr/^CREATE TABLE "\Q$schema\E"\.stock/m, '... prints the tables';
like $script, qr/^--   COPY "\Q$schema\E"\.stock FROM STDIN/m, '... and what the data phase does';
unlike $script, qr/^COPY/m, '... as a comment';

my ($status, $out, $err) = psql($script, fails => 1);
is $status, 0, 'psql takes it as it stands' or diag $err;
like $out, qr/the data are not there yet/, '... and it says what is missing';
is psql("select count(*) from pg_constraint where connamespace = '$schema'::regnamespace
         and contype in ('p', 'f') and conname not like 'ordermill%'"), 0, '... no keys before the data';
($exit, $out, $err) = kit('load', '--only', 'data', '--schema', $schema);
is $exit, 0, 'the data' or diag $err;
for my $time (1 .. 2) {
    ($status, $out, $err) = psql($script, fails => 1);
    is $status, 0, "the script again, time $time" or diag $err;
    unlike $out, qr/not there yet/, '... with nothing missing';
}
is catalog($schema), catalog($reference), 'the same tables, keys and functions as of a normal load';
is_deeply checksums($schema), $expected, 'and the same rows';
is((kit('check', '--schema', $schema))[0], 0, 'consistent');
($exit, $out, $err) = kit('run', '--schema', $schema, '-u', 1, '-t', '1s', '--ramp-up', '0s');
is $exit, 0, 'ready to run' or diag $err;
($exit, $out, $err) = kit('drop', '--schema', $schema);
is $exit, 0, 'dropped';
is psql("select count(*) from pg_namespace where nspname = '$schema'"), 1,
  'but for the schema, which somebody else made';

# One phase at a time, alternately by the script and by the kit.
$schema = fresh_schema('phases');
for my $phase (qw(ddl data indexes foreign-keys procedures analyze)) {
    for my $time (1 .. 2) {
        if ($phase =~ /^(?:ddl|indexes|procedures)$/) {
            ($exit, my $part) = kit('load', '-w', 2, '--schema', $schema, '--only', $phase, '--sql');
            ($status, $out, $err) = psql($part, fails => 1);
            is "$exit $status", '0 0', "$phase by script, time $time" or diag $err;
        }
        else {
            ($exit, $out, $err) = kit('load', '--schema', $schema, '--only', $phase);
            is $exit, 0, "$phase by the kit, time $time" or diag $err;
        }
    }
}
is catalog($schema), catalog($reference), 'the same tables, keys and functions';
is_deeply checksums($schema), $expected, 'and the same rows';

# Every layout: partitions, tablespaces, fillfactors, no log, with foreign keys between them.
psql("set allow_in_place_tablespaces = on; create tablespace \"of tables\" location ''");
psql("set allow_in_place_tablespaces = on; create tablespace of_indexes location ''");
my @layout = ('-w', 2, '--foreign-keys', '--partitions', 2, '--partition-by', 'hash', '--unlogged',
    '--fillfactor', 'stock=70,new_order=80', '--tablespace', 'of tables', '--index-tablespace', 'of_indexes');
my ($by_kit, $by_script) = map { fresh_schema($_) } qw(kit script);
($exit, $out, $err) = kit('load', '-q', @layout, '--schema', $by_kit);
is $exit, 0, 'every layout by the kit' or diag $err;
($exit, $script) = kit('load', @layout, '--schema', $by_script, '--sql');
for my $time (1, 2) {
    ($status, $out, $err) = psql($script, fails => 1);
    is $status, 0, "... by its script, time $time" or diag $err;
    is +(kit('load', '-q', '--only', 'data', '--schema', $by_script))[0], 0, '... with the rows between'
      if $time == 1;
}
is catalog($by_script), catalog($by_kit), 'the same tables, partitions, keys and places';
is_deeply checksums($by_script), $expected, 'and the same rows';
is +(kit('drop', '-q', '--schema', $_))[0], 0, 'dropped' for $by_kit, $by_script;
psql('drop tablespace "of tables"');
psql('drop tablespace of_indexes');

# ---- several hosts ----

$schema = fresh_schema('hosts');
my @hosts = map {
    in_background('load', '-w', 4, '-j', 1, '--schema', $schema, '--partitions', 2,
        '--first-warehouse', $_->[0], '--last-warehouse', $_->[1])
} [1, 1], [2, 3], [4, 4];
my @ends = map { [$_->finish] } @hosts;
is $_->[0], 0, 'a host' or diag $_->[2] for @ends;
my @said = map { $_->[2] =~ /^(warehouses \d to \d are loaded), /m } @ends;
is_deeply \@said, [map { "warehouses $_ are loaded" } '1 to 1', '2 to 3', '4 to 4'],
  'each says what it loaded';
is scalar(grep { $_->[2] =~ /another loader made the tables/ || $_->[2] !~ /^ddl /m } @ends), 2,
  'one of them made the tables';
like join('', map { $_->[2] } @ends),
  qr/4 of 4 are there; ordermill load --schema '\Q$schema\E' --resume does the rest$/m,
  'and the last one says how to go on';
is psql("select string_agg(phase, ' ' order by phase) from $schema.ordermill_phase"), 'data ddl',
  'the data are complete, and no more';
is join('; ', sort split /; /, psql("select options ->> 'rows loaded' from $schema.ordermill_build")),
  'warehouses 1 to 1 by 1 job; warehouses 2 to 3 by 1 job; warehouses 4 to 4 by 1 job', 'each is recorded';
($exit, $out, $err) = kit('load', '--only', 'indexes', '--index-workers', 1, '--schema', $schema);
is $exit, 0, 'indexes alone' or diag $err;
is psql("select options ->> 'index-workers', options ->> 'rows loaded' like '%; %; %'
         from $schema.ordermill_build"), '1|t', '... by another option, which is recorded beside that';
($exit, $out, $err) = kit('load', '--resume', '--schema', $schema);
is $exit, 0, 'the rest' or diag $err;
like $out, qr/all 12 consistency conditions hold/, 'consistent';
my $found = checksums($schema);
is_deeply {map { $_ => $found->{$_} } keys %$expected}, $expected, 'the same rows';
is psql("select count(*), count(distinct w_id) from $schema.warehouse"), '4|4', 'each once';

# One range only: what needs all of them waits.
$schema = fresh_schema('range');
($exit, $out, $err) = kit('load', '-w', 2, '--schema', $schema, '--last-warehouse', 1);
is $exit, 0, 'a first range' or diag $err;
like $err, qr/^warehouses 1 to 1 are loaded, 1 of 2 are there; when all are, ordermill load .*--resume does the rest$/m,
  '... says what is missing';
($exit, $out, $err) = kit('load', '--only', 'indexes', '--schema', $schema);
is $exit, 5, 'indexes before the rest';
like $err, qr/phase data of schema "$schema" is not complete/, '... are refused';
($exit, $out, $err) = kit('run', '--schema', $schema, '-u', 1, '-t', '1s');
is $exit, 5, 'a run as well';
for my $bad (
    [['-w', 2, '--last-warehouse', 3],  qr/--last-warehouse: "3" of 2 warehouses$/m],
    [['-w', 2, '--first-warehouse', 2, '--last-warehouse', 1],
        qr/--first-warehouse: "2" is above the last one, 1$/m],
    [['-w', 3, '--first-warehouse', 2], qr/--warehouses: "3" is not the 2 that schema/],
    [['-w', 2, '--first-warehouse', 2, '--replace'], qr/--replace would drop what other hosts load$/m],
    [['-w', 2, '--first-warehouse', 2, '--only', 'indexes'], qr/a range of warehouses is of the data alone$/m],
    [['-w', 2, '--first-warehouse', 2, '--partitions', 2],
        qr/--partitions: schema "$schema" was begun with 1$/m],
) {
    ($exit, $out, $err) = kit('load', '--schema', $schema, @{$bad->[0]});
    is $exit, 2, "load @{$bad->[0]} is a usage error";
    like $err, $bad->[1], '... and says why';
}
($exit, $out, $err) = kit('load', '--resume', '--schema', $schema);
is $exit, 0, 'resume loads what no host did' or diag $err;
is_deeply checksums($schema), $expected, 'the same rows';

done_testing;

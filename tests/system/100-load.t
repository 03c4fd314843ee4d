# A fresh load: the same rows whatever the number of warehouses and jobs, all conditions hold, and
# what is there already is left alone.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use Checksum;
use JSON::PP;
use Kit;
use Test::More;

my @indexes_expected = map { chomp; $_ } <DATA>;
my %sums;    # of the first load that has the warehouse

for my $case ([3, 3], [2, 1], [1, 3]) {
    my ($warehouses, $jobs) = @$case;
    my $what = "$warehouses warehouses by $jobs jobs";
    my $schema = fresh_schema('load');
    my ($exit, $out, $err) =
      kit('load', '-w', $warehouses, '-j', $jobs, '--schema', $schema, '--json');

    is $exit, 0, "$what: loaded" or diag $err;
    my $report = decode_json($out);
    is $report->{warehouses}, $warehouses, "$what: warehouses in the report";
    is $report->{jobs}, $jobs > $warehouses + 1 ? $warehouses + 1 : $jobs,
      "$what: jobs in the report";
    for my $phase (qw(ddl_s data_s indexes_s procedures_s analyze_s check_s)) {
        ok $report->{phases}{$phase} > 0, "$what: $phase took time";
    }
    ok $report->{client}{cpu_s} > 0, "$what: the client used CPU";

    my $found = checksums($schema);
    my $rows = 0;
    $rows += (split / /, $_)[0] for values %$found;
    is $report->{rows}, $rows, "$what: as many rows as reported";
    is $report->{bytes}, psql("select sum(byte_count) from $schema.ordermill_chunk"),
      "$what: the bytes of all chunks";
    is scalar(keys %$found), 1 + 8 * $warehouses, "$what: every table of every warehouse";
    for my $part (sort keys %$found) {
        $sums{$part} //= $found->{$part};
        is $found->{$part}, $sums{$part}, "$what: $part is the same";
    }

    ($exit, $out, $err) = kit('check', '--schema', $schema, '--json');
    is $exit, 0, "$what: check" or diag $err;
    my $check = decode_json($out);
    is_deeply [map { $check->{conditions}{$_}{verdict} } 1 .. 12], [('PASS') x 12],
      "$what: twelve conditions hold";
    is $check->{verdict}, 'PASS', "$what: verdict";
}

my $schema = fresh_schema('load');
my ($exit, $out, $err) = kit('load', '-w', 1, '-j', 7, '--schema', $schema, '--seed', 43);
is $exit, 0, 'another seed' or diag $err;
like $out, qr/^1 warehouse: [\d,]+ rows, /m, 'a summary on stdout';
like $out, qr/all 12 consistency conditions hold/, 'with the conditions';
like $err, qr/2 jobs instead of 7/, 'jobs are capped, and it says so';
my $other = checksums($schema);
is_deeply [grep { $other->{$_} eq $sums{$_} } sort keys %$other], ['new_order 1'],
  'every table with anything random in it differs';

is_deeply [split /\n/, psql(<<"SQL")], \@indexes_expected, 'keys and indexes';
select indexdef from (select tablename, indexname, replace(indexdef, '$schema.', '') as indexdef
  from pg_indexes where schemaname = '$schema' and tablename not like 'ordermill%') as i
 order by tablename, indexname
SQL

# What is there is left alone.
my $before = psql("select * from $schema.ordermill_build");
($exit, $out, $err) = kit({timeout => 20}, 'load', '-w', 2, '--schema', $schema);
is $exit, 5, 'a second load is refused';
like $err, qr/^ordermill: schema "$schema" holds 1 warehouse already$/m, '... and says why';
like $err, qr/^hint: --replace /m, '... and what to do';
is $out, '', '... and prints no result';
is psql("select * from $schema.ordermill_build"), $before, '... and changes nothing';

($exit, $out, $err) = kit('load', '--resume', '--schema', $schema);
is $exit, 0, 'nothing to resume is fine';
like $err, qr/nothing is left to do/, '... and says so';
is psql("select * from $schema.ordermill_build"), $before, '... and changes nothing';

($exit, $out, $err) = kit('load', '--resume', '-w', 2, '--schema', $schema);
is $exit, 2, 'resume with another number of warehouses';
like $err, qr/--warehouses: "2" is not the 1 that schema "$schema" was begun with/, '... is refused';
($exit, $out, $err) = kit('load', '--resume', '--replace', '--schema', $schema);
is $exit, 2, 'resume and replace exclude each other';

# Phases alone.
psql("drop function $schema.stock_level(integer, smallint, smallint)");
($exit, $out, $err) = kit('load', '--only', 'procedures', '--schema', $schema);
is $exit, 0, 'procedures again' or diag $err;
is psql("select to_regprocedure('$schema.stock_level(integer, smallint, smallint)') is not null"),
  't', '... are there';
($exit, $out, $err) = kit('load', '--only', 'indexes', '--schema', $schema);
is $exit, 0, 'indexes that exist are fine' or diag $err;

# Replace, and the seed of the first loads again.
($exit, $out, $err) = kit('load', '-w', 1, '--replace', '--schema', $schema, '-q');
is $exit, 0, 'replace' or diag $err;
is $err, '', 'quiet says nothing';
my $again = checksums($schema);
is_deeply $again, {map { $_ => $sums{$_} } keys %$again}, '... has the rows of its seed';

# Phase by phase.
$schema = fresh_schema('phases');
for my $phase (qw(data indexes procedures)) {
    ($exit, $out, $err) = kit('load', '--only', $phase, '--schema', $schema);
    is $exit, 5, "$phase before the tables";
    like $err, qr/schema "$schema" does not exist in database/, '... is refused';
}
($exit, $out, $err) = kit('load', '-w', 1, '--only', 'ddl', '--schema', $schema);
is $exit, 0, 'ddl alone' or diag $err;
($exit, $out, $err) = kit('load', '-w', 1, '--only', 'ddl', '--schema', $schema);
is $exit, 0, 'ddl again' or diag $err;
like $err, qr/^phase ddl of schema "$schema" is complete$/m, '... has nothing to do';
($exit, $out, $err) = kit('load', '-w', 2, '--only', 'ddl', '--schema', $schema);
is $exit, 2, 'ddl again, of another size';
like $err, qr/--warehouses: "2" is not the 1 that schema "$schema" was begun with/, '... is refused';
($exit, $out, $err) = kit('load', '--only', 'indexes', '--schema', $schema);
is $exit, 5, 'indexes before the data';
like $err, qr/--only indexes: phase data of schema "$schema" is not complete/, '... are refused';
($exit, $out, $err) = kit('check', '--schema', $schema);
is $exit, 5, 'check before the data';
like $err, qr/schema "$schema" is unfinished: 0 of 1 warehouses, no indexes yet/, '... is refused';
for my $phase (qw(data indexes procedures analyze check)) {
    ($exit, $out, $err) = kit('load', '--only', $phase, '--schema', $schema);
    is $exit, 0, "$phase alone" or diag $err;
}
($exit, $out, $err) = kit('check', '--schema', $schema);
is $exit, 0, 'and the whole is consistent' or diag $err;

for my $bad (['-w', 0], ['-w', -1], ['-w', 100001], ['-w', '2x'], ['-j', 0], ['--only', 'all'],
    ['--schema', ''], ['--schema', 'x' x 64], ['--schema', 'pg_x'], ['--bogus'], ['operand']) {
    ($exit, $out, $err) = kit({timeout => 20}, 'load', @$bad);
    is $exit, 2, "load @$bad is a usage error";
}

done_testing;

__DATA__
CREATE INDEX customer_by_name ON customer USING btree (c_w_id, c_d_id, c_last, c_first, c_id)
CREATE UNIQUE INDEX customer_pkey ON customer USING btree (c_w_id, c_d_id, c_id)
CREATE UNIQUE INDEX district_pkey ON district USING btree (d_w_id, d_id)
CREATE UNIQUE INDEX item_pkey ON item USING btree (i_id)
CREATE UNIQUE INDEX new_order_pkey ON new_order USING btree (no_w_id, no_d_id, no_o_id)
CREATE UNIQUE INDEX order_line_pkey ON order_line USING btree (ol_w_id, ol_d_id, ol_o_id, ol_number)
CREATE INDEX orders_by_customer ON orders USING btree (o_w_id, o_d_id, o_c_id, o_id)
CREATE UNIQUE INDEX orders_pkey ON orders USING btree (o_w_id, o_d_id, o_id)
CREATE UNIQUE INDEX stock_pkey ON stock USING btree (s_w_id, s_i_id)
CREATE UNIQUE INDEX warehouse_pkey ON warehouse USING btree (w_id)

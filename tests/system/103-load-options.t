# How the tables are laid out: what each option makes, that it is recorded and disclosed, that every
# procedure and plain statement touches one partition (C18), and that the conditions hold on every
# layout (C20).
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use Checksum;
use JSON::PP;
use Kit;
use Small;
use Statements;
use Test::More;

my $plain = fresh_schema('plain');
is_deeply [(kit('load', '-q', '-w', 2, '--schema', $plain))[0, 2]], [0, ''], 'a plain load';
my $expected = checksums($plain);

sub fillfactors {
    my ($schema) = @_;
    return psql("select string_agg(relname || ' ' || array_to_string(reloptions, ','), ', '
        order by relname) from pg_class where relnamespace = '$schema'::regnamespace
        and relkind = 'r' and reloptions is not null");
}

sub recorded {
    my ($schema, $name) = @_;
    return psql("select options ->> '$name' from $schema.ordermill_build");
}

is fillfactors($plain), 'customer fillfactor=90, district fillfactor=20, stock fillfactor=90, '
  . 'warehouse fillfactor=20', 'fillfactors by default';
is psql("select count(*) from pg_constraint where connamespace = '$plain'::regnamespace
    and contype = 'f'"), 0, 'no foreign keys by default';
is recorded($plain, 'partitions'), '1', 'a default is recorded too';

# ---- partitions ----

my %calls = (
    'new order' => "new_order(1, 3::smallint, 5, '{7,5,900,20000}', '{1,1,1,2}', '{1,2,3,4}')",
    'new order, an item twice' => "new_order(1, 3::smallint, 5, '{7,5,7}', '{1,1,1}', '{1,2,3}')",
    'payment by number'      => 'payment(1, 2::smallint, 2, 2::smallint, 7, null, 10)',
    'payment by name'        => "payment(1, 2::smallint, 2, 3::smallint, null, 'BARBARBAR', 10)",
    'order status by number' => 'order_status(1, 2::smallint, 7, null)',
    'order status by name'   => "order_status(1, 2::smallint, null, 'BARBARBAR')",
    'delivery'               => 'delivery(1, 1::smallint)',
    'stock level'            => 'stock_level(1, 1::smallint, 15::smallint)',
);

# The plans of the statements in a function, one text each.
sub plans {
    my ($schema, $call, $mode) = @_;
    my $script = in_schema($schema, <<"SQL");
load 'auto_explain';
set auto_explain.log_min_duration = 0;
set auto_explain.log_nested_statements = on;
set plan_cache_mode = $mode;
set client_min_messages = log;
begin;
select 1 from ordermill.$call;
rollback;
SQL
    my (undef, undef, $log) = run({stdin => $script}, qw(psql -X -q -A -t -f -));
    my (undef, @plans) = split /^.*LOG:  duration: .* plan:\n/m, $log;
    return @plans;
}

# Tables of which a plan scans another number of partitions than one.
sub unpruned {
    my ($plan) = @_;
    my %scanned;
    $scanned{$1}{$2} = 1 while $plan =~ /(?:Scan(?: Backward)?(?: using \w+)?) on (\w+)_p(\d+)\b/g;
    return map { "$_ " . join ',', sort keys %{$scanned{$_}} }
      grep { keys %{$scanned{$_}} != 1 } sort keys %scanned;
}

# That the test could fail at all.
is join(' ', unpruned("Index Scan using x on stock_p1 s\n  Seq Scan on stock_p2 s_1\n")),
  'stock 1,2', 'a plan over two partitions would be found';

for my $rule (qw(range hash)) {
    my $schema = fresh_schema($rule);
    my ($exit, $out, $err) = kit('load', '-w', 3, '--schema', $schema, '--partitions', 3,
        '--partition-by', $rule, '--foreign-keys', '--fillfactor', 'stock=70,new_order=80');
    is $exit, 0, "$rule: loaded" or diag $err;
    like $out, qr/all 12 consistency conditions hold/, "$rule: consistent";
    my $found = checksums($schema);
    is_deeply {map { $_ => $found->{$_} } keys %$expected}, $expected, "$rule: the same rows";
    is psql("select string_agg(relname, ' ' order by relname) from pg_class
             where relnamespace = '$schema'::regnamespace and relkind = 'p'"),
      'customer history new_order order_line orders stock', "$rule: the big tables";
    like fillfactors($schema), qr/new_order_p1 fillfactor=80.*stock_p3 fillfactor=70/,
      "$rule: fillfactors of the partitions";
    is psql("select count(*) from pg_constraint where connamespace = '$schema'::regnamespace
             and contype = 'f' and conparentid = 0"), 10, "$rule: ten references";
    is psql("select count(*) from $schema.stock_p2"), 100000, "$rule: a warehouse per partition"
      if $rule eq 'range';

    psql("alter table $schema.order_line drop constraint order_line_stock_fkey;
          alter table $schema.order_line drop constraint order_line_orders_fkey;
          alter table $schema.history drop constraint history_customer_fkey;
          alter table $schema.history drop constraint history_district_fkey;
          alter table $schema.new_order drop constraint new_order_orders_fkey;
          alter table $schema.orders drop constraint orders_customer_fkey");
    for my $set (qw(classic default)) {
        is +(kit('load', '-q', '--only', 'procedures', '--procedures', $set, '--schema', $schema))[0], 0,
          "$rule: the $set set";
        for my $name (sort keys %calls) {
            for my $mode (qw(force_custom_plan force_generic_plan)) {
                my $what = "$rule, $set set, $name, $mode";
                my @plans = plans($schema, $calls{$name}, $mode);
                cmp_ok scalar(grep { /_p\d/ } @plans), '>', 0, "$what: partitions are read";
                is join("\n", map { unpruned($_) } @plans), '', "$what: one of each table";
            }
        }
    }
    for my $name (sort keys %statements) {
        for my $mode (qw(force_custom_plan force_generic_plan)) {
            my $what = "$rule, statement: $name, $mode";
            my $plan = statement_plan($schema, $statements{$name}, $mode, 'analyze, costs off, timing off');
            my $executed = join "\n", grep { !/\(never executed\)/ } split /\n/, $plan;
            like $executed, qr/_p\d/, "$what: partitions are read";
            is join(' ', unpruned($executed)), '', "$what: one of each table";
        }
    }
    for my $call ([], ['--call', 'statements']) {
        my ($status, $text, $talk) = kit('run', '--schema', $schema, '-u', 3, '-t', '2s', '--ramp-up', '0s', @$call);
        is $status, 0, join ' ', "$rule: run", @$call or diag $talk;
    }
    ($exit, $out, $err) = kit('check', '--schema', $schema, '--json');
    is decode_json($out)->{verdict}, 'PASS', "$rule: consistent after it";
    ($exit, $out, $err) = kit('load', '--resume', '--schema', $schema, '--partitions', 2);
    is $exit, 2, "$rule: another number of partitions is refused";
    like $err, qr/^ordermill: --partitions: schema "$schema" was begun with 3$/m, '... and named';
    ($exit, $out, $err) = kit('drop', '--schema', $schema);
    is $exit, 0, "$rule: drop" or diag $err;
}

# ---- foreign keys, alone ----

my $schema = fresh_schema('keys');
my ($exit, $out, $err) = kit('load', '-w', 2, '--schema', $schema, '--foreign-keys', '--json');
is $exit, 0, 'foreign keys' or diag $err;
cmp_ok decode_json($out)->{phases}{foreign_keys_s}, '>', 0, 'their time';
is_deeply checksums($schema), $expected, 'the same rows';
($exit, $out, $err) = kit('run', '--schema', $schema, '-u', 2, '-t', '2s', '--ramp-up', '0s', '--json');
is $exit, 0, 'run over them' or diag $err;
is((kit('check', '--schema', $schema))[0], 0, 'consistent after it');
for my $again (1 .. 2) {
    ($exit, $out, $err) = kit('load', '--only', 'foreign-keys', '--schema', $plain);
    is $exit, 0, "to tables that had none, time $again" or diag $err;
    is psql("select count(*) from pg_constraint where connamespace = '$plain'::regnamespace
             and contype = 'f'"), 10, '... they are there';
    is recorded($plain, 'foreign-keys'), 'true', '... and recorded';
}

# ---- foreign keys between partitions without log ----

# The server takes a partitioned table for one with a log, which may not refer to one without. So those
# references that leave the partitioned tables are declared partition by partition.
for my $rule (qw(range hash)) {
    $schema = fresh_schema('keys');
    ($exit, $out, $err) = kit('load', '-w', 2, '--schema', $schema, '--partitions', 2,
        '--partition-by', $rule, '--unlogged', '--foreign-keys');
    is $exit, 0, "foreign keys, $rule partitions, no log" or diag $err;
    like $out, qr/all 12 consistency conditions hold/, '... consistent';
    is psql("select count(distinct (regexp_replace(conrelid::regclass::text, '_p[12]\$', ''),
             regexp_replace(confrelid::regclass::text, '_p[12]\$', ''))) from pg_constraint
             where connamespace = '$schema'::regnamespace and contype = 'f'"), 10, '... ten references';
    is psql("select string_agg(conname, ' ' order by conname) from pg_constraint
             where connamespace = '$schema'::regnamespace and contype = 'f' and conname ~ '_p[12]_'
             and conparentid = 0"), join(' ', sort map { my $n = $_; map { sprintf $n, $_ } 1, 2 }
        'customer_p%d_district_fkey', 'history_p%d_district_fkey', 'stock_p%d_item_fkey',
        'stock_p%d_warehouse_fkey'), '... four of them by partition';
    for my $damage (
        ["update $schema.order_line set ol_i_id = 0 where ol_w_id = 1 and ol_d_id = 1 and ol_o_id = 1",
            'order_line_stock_fkey'],
        ["update $schema.history set h_d_id = 99 where h_w_id = 2 and h_d_id = 1 and h_c_id = 1",
            'history_p[12]_district_fkey'],
        ["delete from $schema.item where i_id = 7", 'stock_p[12]_item_fkey'],
    ) {
        my ($sql, $name) = @$damage;
        my ($status, undef, $talk) = psql($sql, fails => 1);
        isnt $status, 0, "... $sql is refused";
        like $talk, qr/violates foreign key constraint "$name"/, '... for that reason';
    }
    ($exit, $out, $err) = kit('load', '--only', 'foreign-keys', '--schema', $schema);
    is $exit, 0, '... again does no harm' or diag $err;
    is((kit('drop', '-q', '--schema', $schema))[0], 0, '... dropped');
}

# ---- tablespaces, unlogged tables, how indexes are built ----

psql('set allow_in_place_tablespaces = on; create tablespace "of tables" location \'\'');
psql('set allow_in_place_tablespaces = on; create tablespace of_indexes location \'\'');
for my $partitions (1, 2) {
    $schema = fresh_schema('places');
    ($exit, $out, $err) = kit('load', '-w', $partitions, '--schema', $schema, '--tablespace', 'of tables',
        '--index-tablespace', 'of_indexes', '--unlogged', '--maintenance-memory', '32MB',
        '--index-workers', 0, '--partitions', $partitions);
    is $exit, 0, "tablespaces and unlogged tables, $partitions partitions" or diag $err;
    like $out, qr/all 12 consistency conditions hold/, '... consistent';
    is psql("select string_agg(distinct concat_ws(' ', relkind, spcname, relpersistence), ', ')
             from pg_class c left join pg_tablespace t on t.oid = reltablespace
             where relnamespace = '$schema'::regnamespace and relkind in ('r', 'i')
             and relname not like 'ordermill%'"), 'i of_indexes u, r of tables u',
      '... all of them there, without log';
    is psql("select count(*) from pg_class where relnamespace = '$schema'::regnamespace
             and relname = 'ordermill_build' and relpersistence = 'p'"), 1,
      '... but for the bookkeeping';
    is recorded($schema, 'maintenance-memory'), '32MB', '... recorded';
    ($exit) = kit('load', '--only', 'indexes', '--index-workers', 1, '--schema', $schema);
    is recorded($schema, 'index-workers'), '1', '... until indexes are built otherwise';
    is((kit('drop', '-q', '--schema', $schema))[0], 0, '... dropped');
}
psql('drop tablespace "of tables"');
psql('drop tablespace of_indexes');

# ---- disclosure ----

# Every option, in every form of the report.
psql("set allow_in_place_tablespaces = on; create tablespace \"told & kept\" location ''");
psql("set allow_in_place_tablespaces = on; create tablespace told_indexes location ''");
$schema = fresh_schema('told');
my $profile = folder() . '/told.xml';
spew($profile, <<"XML");
<profile name="told" version="1"><connection schema="$schema"/>
<scale warehouses="1" jobs="2" fillfactor="stock=80" unlogged="true" partition-by="hash" partitions="2" tablespace="told &amp; kept" index-tablespace="told_indexes" foreign-keys="true" maintenance-memory="48MB" index-workers="1"/>
<ladder virtual-users="1"/><timing ramp-up="0" measure="1s"/></profile>
XML
my $told = folder() . '/told';
($exit, $out, $err) = kit('autopilot', $profile, '-o', $told);
is $exit, 0, 'a profile lays out tables' or diag $err;
my $report = slurp("$told/report.txt");
like $report, qr/^- The tables are unlogged: .*not\s+comparable|^- The tables are unlogged/m, 'a warning';
like $report, qr/^encoding +UTF8\ncollation +C$/m, 'encoding and collation';
like $report, qr/^ordermill load .*--fillfactor 'customer=90,district=20,stock=80,warehouse=20' --partitions '2' --partition-by 'hash' --foreign-keys --unlogged --maintenance-memory '48MB' --index-workers '1'$/m,
  'how to lay them out again';
my %facts = (
    'schema'             => $schema,
    'tablespace'         => 'told & kept',
    'index-tablespace'   => 'told_indexes',
    'fillfactor'         => 'customer=90, district=20, stock=80, warehouse=20',
    'partitions'         => '2',
    'partition-by'       => 'hash',
    'foreign-keys'       => 'true',
    'unlogged'           => 'true',
    'maintenance-memory' => '48MB',
    'index-workers'      => '1',
    'rows loaded'        => 'warehouses 1 to 1 by 2 jobs',
);
($exit, $out, $err) = kit('report', $told, '--format', 'all', '-o', "$told/forms");
is $exit, 0, 'the report in all forms' or diag $err;
my %form = (text => 'report.txt', html => 'report.html', xml => 'result.xml', csv => 'csv/environment.csv');
%form = map { $_ => slurp("$told/forms/$form{$_}") } keys %form;
(undef, $form{json}) = kit('report', $told, '--format', 'json');
my %in_json = map { $_->{name} => $_->{value} }
  grep { $_->{group} eq 'database' } @{decode_json($form{json})->{environment}};
for my $name (sort keys %facts) {
    my $value = $facts{$name};
    is $in_json{$name}, $value, "json: $name";
    my $folded = join '\s+', map { quotemeta } split ' ', $value;
    like $form{text}, qr/^\Q$name\E +$folded$/m, "text: $name";
    like $form{csv}, qr/^database,\Q$name\E,"?\Q$value\E"?,/m, "csv: $name";
    $value =~ s/&/&amp;/g;
    like $form{xml},  qr/<fact group="database" name="\Q$name\E" value="\Q$value\E"/, "xml: $name";
    like $form{html}, qr{>\Q$name\E</th><td[^>]*>\Q$value\E</td>}, "html: $name";
}
is((kit('drop', '-q', '--schema', $schema))[0], 0, 'dropped');
psql('drop tablespace "told & kept"');
psql('drop tablespace told_indexes');

# ---- what does not fit ----

for my $bad (
    [['--partitions', 3],             qr/--partitions: "3" ranges for 2 warehouses$/m],
    [['--fillfactor', 'stock=9'],     qr/--fillfactor: "9" of table stock is not from 10 to 100$/m],
    [['--fillfactor', 'stock'],       qr/--fillfactor: "stock" is not of the form TABLE=N$/m],
    [['--fillfactor', 'shelf=90'],    qr/--fillfactor: there is no table "shelf"$/m],
    [['--tablespace', ''],            qr/--tablespace: /],
) {
    ($exit, $out, $err) = kit('load', '-w', 2, '--schema', $plain, '--replace', @{$bad->[0]});
    is $exit, 2, "load @{$bad->[0]} is a usage error";
    like $err, $bad->[1], '... and says why';
}
is psql("select count(*) from $plain.ordermill_chunk"), 3, 'and nothing was dropped for it';

# What can be told without a server is refused without one.
for my $bad (
    [['-w', 2, '--fillfactor', 'shelf=90'],     qr/--fillfactor: there is no table "shelf"$/m],
    [['--resume', '--fillfactor', 'shelf=90'],  qr/--fillfactor: there is no table "shelf"$/m],
    [['-w', 2, '--partitions', 3],              qr/--partitions: "3" ranges for 2 warehouses$/m],
    [['-w', 9, '--first-warehouse', 5, '--last-warehouse', 4],
        qr/--first-warehouse: "5" is above the last one, 4$/m],
    [['--first-warehouse', 5, '--last-warehouse', 4], qr/"5" is above the last one, 4$/m],
    [['-w', 9, '--last-warehouse', 10],         qr/--last-warehouse: "10" of 9 warehouses$/m],
    [['-w', 9, '--first-warehouse', 10],        qr/--first-warehouse: "10" is above the last one, 9$/m],
) {
    ($exit, $out, $err) = kit({env => {PGHOST => '/nonexistent'}}, 'load', @{$bad->[0]});
    is $exit, 2, "load @{$bad->[0]} is a usage error before it connects";
    like $err, $bad->[1], '... and says why';
}
spew("$profile.bad", slurp($profile) =~ s/stock=80/shelf=80/r);
($exit, $out, $err) = kit({env => {PGHOST => '/nonexistent'}}, 'autopilot', "$profile.bad");
is $exit, 3, 'so is a profile';
is $err, "ordermill: $profile.bad:2: fillfactor: there is no table \"shelf\"\n", '... with the line';

done_testing;

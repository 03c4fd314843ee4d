# The command "plan": what it says of sizes is what a load makes, and it leaves nothing behind.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use JSON::PP ();
use Kit;
use Test::More;

my $schema = fresh_schema('plan');
my @args = ('-w', 3, '--partitions', 2, '--fillfactor', 'order_line=80,stock=70', '-j', 2);

# pg_class is as it was: nothing was made, or it is gone.
my $objects = psql('select count(*) from pg_class');
my ($exit, $out, $err) = kit('plan', @args, '--json');
is $exit, 0, 'planned' or diag $err;
is psql('select count(*) from pg_class'), $objects, 'nothing is left of the probe';
my $plan = JSON::PP::decode_json($out);
cmp_ok $plan->{load}{expected_s}, '>', 0, 'the time of the load is guessed';
is $plan->{load}{probe_bytes}, 2 * 2 * 24 * 1048576, 'from 48 MB over each connection';
is $plan->{shared_buffers_bytes},
  psql(q{select pg_size_bytes(current_setting('shared_buffers'))}), 'shared_buffers is read';
cmp_ok $plan->{$_}, '>', 0, "$_ of a server on this machine" for qw(memory_bytes disk_free_bytes);

($exit, $out, $err) = kit({timeout => 300}, 'load', '--schema', $schema, @args);
is $exit, 0, 'loaded' or diag $err;

# Bytes of a table or index, with those of its partitions.
sub bytes {
    my ($name) = @_;
    return psql(<<"SQL");
select coalesce(sum(pg_relation_size(relid)), pg_relation_size('$schema.$name'))
  from pg_partition_tree('$schema.$name')
SQL
}
for my $name (sort keys %{$plan->{tables}}) {
    my $table = $plan->{tables}{$name};
    my %sizes = ($name => $table->{heap_bytes}, %{$table->{indexes}});
    for my $relation (sort keys %sizes) {
        my $real = bytes($relation);
        # One page more for the place where two connections meet, of tables of a few pages.
        cmp_ok abs($sizes{$relation} - $real), '<=', 0.05 * $real + 8192 * 2,
          "$relation: $real bytes, planned $sizes{$relation}";
    }
}
my $rows = psql('select '
      . join ' + ', map { "(select count(*) from $schema.$_)" } keys %{$plan->{tables}});
cmp_ok abs($plan->{rows} / $rows - 1), '<', 0.01, 'rows';

# ---- text ----

($exit, $out, $err) = kit('plan', '-w', 100000, '-u', 64, '--no-probe');
is $exit, 0, 'a hundred thousand warehouses';
like $out, qr/^  order_line +30,000,000,000 +2\.5 TB$/m, 'have their rows, and terabytes';
like $out, qr/^  all +49,901,200,000 +9\.9 TB$/m,        'in all';
like $out, qr/^  load +not available  not asked for$/m,  'without a probe no time';
like $out, qr/^warning: the data are [\d.]+ times the memory/m, 'too much for the memory';
is scalar(grep { length > 80 } split /\n/, $out), 0, 'in 80 columns';
like((kit('plan', '-w', 2, '-u', 3, '--no-probe'))[1], qr/^warning: 3 virtual users share 2/m,
    'virtual users without a warehouse are named');

# ---- no server ----

($exit, $out, $err) = kit({env => {PGHOST => '/nonexistent'}}, 'plan', '-w', 1);
is $exit, 0, 'no server is no error';
like $err, qr/nonexistent/, 'but it is said';
like $out, qr/^server: not available$/m, 'in both places';
like $out, qr/^  stock +100,000 +37 MB$/m, 'and sizes are there';
is scalar(grep { length > 80 } split /\n/, $out), 0, 'in 80 columns';

($exit, $out, $err) = kit('plan', '-w', 1, '--fillfactor', 'stock=5');
is $exit, 2, 'what load refuses, plan refuses';

done_testing;

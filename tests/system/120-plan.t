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

# ---- a profile ----

{
    my $path = folder() . '/sizes.xml';
    spew($path, <<'END');
<profile name="sizes" version="1">
  <sweep warehouses="1 100"/>
  <ladder virtual-users="1 4" repeats="3"/>
  <timing ramp-up="10s" measure="50s" precision="2%" measure-most="4m"/>
</profile>
END
    ($exit, $out, $err) = kit('plan', $path, '--no-probe', '--set', 'repeats=2');
    is $exit, 0, 'a profile' or diag $err;
    like $out, qr/^profile sizes: 2 curves, 9 steps of 10s ramp-up and 50s to 4m measurement$/m, 'its steps';
    like $out, qr/^at most 37m48s for the steps/m, 'and the most they take';
    like $out, qr/^--- 1 warehouse\n.*^--- 100 warehouses\n/ms, 'each database';
    like $out, qr/^warning: 4 virtual users share 1 warehouse, 100 % of them a home with another/m, 'collisions';
    is scalar(() = $out =~ /^warning: \d+ virtual users/mg), 1, 'where there are any';
    like $out, qr/^warning: a window of 4m is shorter than the \d+m from one checkpoint to the next$/m, 'short windows';
    is psql(q{select count(*) from pg_namespace where nspname like 'ordermill%'}), 0, 'nothing is built';
    ($exit, $out, $err) = kit('plan', $path, '--no-probe', '--json');
    my $plan = JSON::PP::decode_json($out);
    is scalar @{$plan->{steps}}, 13, 'as JSON';
    is join(', ', map { "$_->{name}: $_->{warehouses}" } @{$plan->{databases}}),
      '1 warehouse: 1, 100 warehouses: 100', 'with its databases';
    # The databases of a profile are there at the same time.
    ($exit, $out, $err) = kit('plan', $path, '--no-probe', '--json', '--set', 'sweep-warehouses=100000 90000');
    $plan = JSON::PP::decode_json($out);
    my $together = 0;
    $together += $_->{bytes} for @{$plan->{databases}};
    SKIP: {
        skip 'a disk of that size', 1 if $plan->{databases}[0]{disk_free_bytes} > $together / 2;
        like "@{$plan->{warnings}}", qr/^[\d.]+ TB, the 2 databases together, (?:do not fit into|fill over half of) the /,
          'and share the disk';
    }
    # What is planned is what a dry run says: the first level once more, or the bounds of a search.
    (my $plain = $path) =~ s/sizes/plain/;
    spew($plain, '<profile name="plain" version="1"><ladder virtual-users="1 3"/>'
          . '<timing ramp-up="1s" measure="9s"/></profile>');
    for my $set ('search=none', 'search=knee') {
        my (undef, $dry) = kit('autopilot', $plain, '--dry-run', '--set', $set);
        ($exit, $out, $err) = kit('plan', $plain, '--no-probe', '--set', $set);
        is $exit, 0, "a profile with $set" or diag $err;
        is substr($out, 0, length $dry), $dry, 'plan and dry run agree';
        like $out, qr/^warning: 3 virtual users share 2 warehouses/m, 'about its highest load';
    }
    like $out, qr/\Aprofile plain: a search from 1 to at most 3 virtual users\nat most 40 steps of 1s ramp-up and 9s measurement,/,
      'a search has bounds, and no list';
    ($exit, $out, $err) = kit('plan', 'versions', '--no-probe', '--set', 'old@host=/nonexistent', '--set',
        "new\@host=$ENV{PGHOST}", '--set', "new\@port=$ENV{PGPORT}");
    is $exit, 0, 'a server that is away is no error';
    like $out, qr/^--- old\n.*^server: not available\n.*^--- new\n.*^PostgreSQL \d+/ms, 'and said of that one alone';
}

# What is built already is neither built nor looked for on the disk again.
{
    my $path = folder() . '/built.xml';
    spew($path, qq(<profile name="built" version="1"><connection schema="$schema"/><scale warehouses="3"/>)
          . '<ladder virtual-users="1"/><timing ramp-up="1s" measure="9s"/></profile>');
    ($exit, $out, $err) = kit('plan', $path);
    is $exit, 0, 'a profile whose warehouses are there' or diag $err;
    like $out, qr/^  built already +\d+ MB  nothing has to be loaded$/m, 'has nothing to load';
    unlike $out, qr/^  load/m, 'and no time for it';
}

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

# How the procedures and the conditions read a population of the real size: by index, whatever the
# statistics say.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use Kit;
use Small;
use Statements;
use Test::More;

my $schema = fresh_schema('plans');
my ($exit, undef, $err) = kit('load', '-w', 2, '--schema', $schema);
is $exit, 0, 'two warehouses are loaded' or diag $err;

my %calls = (
    'new order' => "new_order(1, 3::smallint, 5, '{7,5,900,20000}', '{1,1,1,2}', '{1,2,3,4}')",
    'new order, an item twice' => "new_order(1, 3::smallint, 5, '{7,5,7}', '{1,1,1}', '{1,2,3}')",
    'payment by number' => 'payment(1, 2::smallint, 1, 2::smallint, 7, null, 10)',
    'payment by name' => "payment(1, 2::smallint, 2, 3::smallint, null, 'BARBARBAR', 10)",
    'order status by number' => 'order_status(1, 2::smallint, 7, null)',
    'order status by name' => "order_status(1, 2::smallint, null, 'BARBARBAR')",
    'delivery' => 'delivery(1, 1::smallint)',
    'stock level' => 'stock_level(1, 1::smallint, 15::smallint)',
);

# The plans of the statements in a function, at its first call and with generic plans.
sub plans {
    my ($call, $mode) = @_;
    my $script = in_schema($schema, <<"SQL");
load 'auto_explain';
set auto_explain.log_min_duration = 0;
set auto_explain.log_nested_statements = on;
set plan_cache_mode = $mode;
set client_min_messages = log;
select 1 from ordermill.$call;
SQL
    my (undef, undef, $log) = run({stdin => $script}, qw(psql -X -q -A -t -f -));
    return $log;
}

# A scan of a table that can be large, other than through an index; an index scan without a
# condition on the last column of the key that it should have found its rows by.
my $large = qr/(?:customer|history|orders|new_order|order_line|item|stock)/;
my %key = (
    stock_pkey => 's_i_id', customer_pkey => 'c_id', item_pkey => 'i_id', orders_pkey => 'o_id',
    order_line_pkey => 'ol_o_id', orders_by_customer => 'o_c_id', customer_by_name => 'c_last',
    new_order_pkey => 'no_d_id',
);

sub complaints {
    my ($plan) = @_;
    my @complaints = $plan =~ /(Seq Scan on $large\b.*)/g;
    my $scan = qr/(?:Index(?: Only)? Scan(?: Backward)? using|Bitmap Index Scan on)/;
    while ($plan =~ /$scan (\w+).*\n(.*)/g) {
        my ($index, $condition) = ($1, $2);
        next if $index =~ /\A(?:warehouse|district)_pkey\z/;
        push @complaints, "$index: $condition"
          if $condition !~ /Index Cond:/ || $condition !~ /\b\Q$key{$index}\E\b/;
    }
    return join "\n", @complaints;
}

sub all_by_index {
    my ($state) = @_;
    for my $name (sort keys %calls) {
        for my $mode (qw(force_custom_plan force_generic_plan)) {
            my $plans = plans($calls{$name}, $mode);
            like $plans, qr/Index .*Scan/, "$name, $state, $mode: there are plans";
            is complaints($plans), '', "$name, $state, $mode: every large table by its key";
        }
    }
    return;
}

sub statements_by_index {
    my ($state) = @_;
    for my $name (sort keys %statements) {
        for my $mode (qw(force_custom_plan force_generic_plan)) {
            my $plan = statement_plan($schema, $statements{$name}, $mode, 'costs off');
            like $plan, qr/Index .*Scan/, "statement: $name, $state, $mode: there is a plan";
            is complaints($plan), '', "statement: $name, $state, $mode: every large table by its key";
        }
    }
    return;
}

all_by_index('analyzed');
statements_by_index('analyzed');

sub install {
    my ($set) = @_;
    my ($status, undef, $said) =
      kit('load', '--schema', $schema, '--only', 'procedures', '--procedures', $set);
    is $status, 0, "the $set set is installed" or diag $said;
    return;
}

install('classic');
all_by_index('classic set');
install('default');

# Each condition over one warehouse. A filter on a join would mean that it compares more pairs than
# those of equal keys: for condition 10, forty million instead of thirty thousand.
for my $path (check_paths()) {
    my $sql = source_sql($schema, $path);
    my $plan = psql("\\set first_warehouse 1\n\\set last_warehouse 1\n"
          . "explain (costs off)\n$sql");
    unlike $plan, qr/Join Filter: .*$large/, "$path joins by whole keys";
}

# What an ANALYZE leaves, taken away; the sizes stay, which building an index records too.
psql("delete from pg_statistic where starelid in
        (select oid from pg_class where relnamespace = '\"$schema\"'::regnamespace)");
all_by_index('never analyzed');
statements_by_index('never analyzed');

done_testing;

# Statements: a call of each of the plain statements that read large tables (procedures/statements/),
# and how the server executes it.
#
#   for my $name (keys %statements) {
#       my $plan = statement_plan($schema, $statements{$name}, 'force_generic_plan', 'costs off');
#   }
package Statements;

use strict;
use warnings;

use Exporter 'import';
use Kit;
use Small;

our @EXPORT = qw(%statements statement_plan);

# Of any population of two warehouses and more.
our %statements = (
    'new order' => 'new_order(1, 3::smallint, 5, 4::smallint, 0::smallint)',
    'order lines' => "order_lines(1, 3::smallint, 2, array[1, 2, 3]::smallint[], array[7, 900, 20000],
        array[1, 2, 3]::smallint[])",
    'payment by number' => 'payment_home(1, 2::smallint, 2::smallint, 7, null, 10)',
    'payment by name' => "payment_home(1, 2::smallint, 2::smallint, null, 'BARBARBAR', 10)",
    'payment, remote' => 'payment_remote(2, 2::smallint, 7, 1, 2::smallint, 10)',
    'payment, found by name' => "payment_find(2, 2::smallint, null, 'BARBARBAR')",
    'order status by number' => 'order_status(1, 2::smallint, 7, null)',
    'order status by name' => "order_status(1, 2::smallint, null, 'BARBARBAR')",
    'delivery' => 'delivery(1, 1::smallint, 3::smallint)',
    'stock level' => 'stock_level(1, 1::smallint, 15::smallint)',
);

# What EXPLAIN with these options prints of a call; whatever it changes is taken back. Each district
# counts an order more, as the head of a New-Order leaves it to the order lines.
sub statement_plan {
    my ($schema, $call, $mode, $options) = @_;
    my ($name) = $call =~ /\A(\w+)/;
    return psql("set plan_cache_mode = $mode;\nbegin;\n"
          . source_sql($schema, "procedures/statements/$name.sql")
          . in_schema($schema, ";\nupdate ordermill.district set d_next_o_id = d_next_o_id + 1")
          . ";\nexplain ($options) execute $call;\nrollback");
}

1;

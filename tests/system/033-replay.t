# The driver itself, by each way to call and each protocol: the same inputs give the same outcomes,
# show the same on the terminal, and leave the same rows.
use strict;
use warnings;

use File::Basename 'dirname';
use FindBin;
use lib "$FindBin::Bin/lib";
use Checksum;
use Kit;
use Small;
use Test::More;

my $replay = dirname($ENV{ORDERMILL}) . '/tests/replay';
my $count = 400;

# The orders of the small population have too few lines to be shown: three more each.
sub schema_of_orders {
    my $schema = small_schema('default');
    psql(in_schema($schema, <<'SQL'));
insert into ordermill.order_line
select o_w_id, o_id, o_id + n, o_w_id, o_d_id, n, 5, case when o_id <= 3 then 0 else 12.50 end,
       'initial', case when o_id <= 3 then o_entry_d end
  from ordermill.orders, generate_series(3, 5) n;
update ordermill.orders set o_ol_cnt = 5;
SQL
    return $schema;
}

sub outcome {
    my ($call, $protocol) = @_;
    my $schema = schema_of_orders();
    my ($exit, $install, $err) = kit('load', '--sql', '--only', 'procedures', '--schema', $schema);
    die "load: $err" if $exit != 0;
    psql(source_sql($schema, 'schemas/bookkeeping.sql') . $install);
    ($exit, my $out, $err) = run($replay, $schema, $call, $protocol, 7, $count);
    is $exit, 0, "$call, $protocol: to the end" or diag $err;
    is_deeply {broken($schema)}, {}, "$call, $protocol: all conditions hold";
    return {shown => [split /\n/, $out], rows => checksums($schema)};
}

my $expected = outcome('functions', 'prepared');
my %kinds;
$kinds{join ' ', (split / /)[0, 1]}++ for @{$expected->{shown}};
is_deeply [sort keys %kinds], ['delivery committed', 'new_order committed', 'new_order rolled_back',
    'order_status committed', 'payment committed', 'stock_level committed'],
  'all kinds of transactions, and nothing else';
cmp_ok $kinds{$_}, '>=', 5, "enough of $_" for sort keys %kinds;
is scalar @{$expected->{shown}}, $count, 'as many as were entered';
unlike join('', @{$expected->{shown}}), qr/malformed/, 'all can be shown';

for my $how (['functions', 'libpq'], ['functions', 'extended'], ['functions', 'simple'],
    ['procedures', 'prepared'], ['procedures', 'simple'], ['statements', 'prepared'], ['statements', 'extended']) {
    my $outcome = outcome(@$how);
    is_deeply $outcome->{shown}, $expected->{shown}, "@$how: the same is shown";
    is_deeply $outcome->{rows}, $expected->{rows}, "@$how: the same rows";
}

done_testing;

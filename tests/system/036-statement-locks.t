# What plain statements of two sessions do to each other, and what ends a transaction: with the texts of
# procedures/statements/ in psql, against values worked out by hand.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use Kit;
use Small;
use Test::More;

my $small = small_schema();

sub prepared {
    my $session = Session->new;
    $session->ask(source_sql($small, "procedures/statements/$_.sql")) for @_;
    return $session;
}

my ($first, $second) = map { prepared('delivery') } 1 .. 2;
$first->ask('begin');
like $first->ask('execute delivery(2, 1::smallint, 3::smallint)'), qr/\A4\|/, 'the first delivery';
$second->send('execute delivery(2, 1::smallint, 3::smallint)');
ok $second->is_blocked, 'the second waits';
$first->ask('rollback');
like $second->answer, qr/\A4\|/, 'and takes the same order, as the first gave up';
$first->ask('begin');
like $first->ask('execute delivery(2, 2::smallint, 3::smallint)'), qr/\A4\|/, 'another district';
$second->send('execute delivery(2, 2::smallint, 3::smallint)');
ok $second->is_blocked, 'the second waits';
$first->ask('commit');
like $second->answer, qr/\A5\|/, 'and takes the next order, as the first delivered';
is $second->ask('execute delivery(2, 2::smallint, 3::smallint)'), '', 'then nothing is left';

# The customer of order 4 pays while his order is delivered: -10 - 1 + 2 * 12.50.
my $payer = prepared(qw(payment_warehouse payment_district payment_home));
$payer->ask('begin');
$payer->ask('execute payment_warehouse(2, 1)');
$payer->ask('execute payment_district(2, 3::smallint, 1)');
$payer->ask("execute payment_home(2, 3::smallint, 3::smallint, 4, null, 1)");
$second->send('execute delivery(2, 3::smallint, 3::smallint)');
ok $second->is_blocked, 'a delivery waits for the customer who pays';
$payer->ask('commit');
like $second->answer, qr/\A4\|/, 'and goes on';
is psql(in_schema($small, 'select c_balance, c_ytd_payment, c_delivery_cnt, c_payment_cnt
    from ordermill.customer where c_w_id = 2 and c_d_id = 3 and c_id = 4')), '14.00|11.00|1|2',
  'both are in his account';

# Two orders of the same items: the second meets the stock that the first left (50 - 5 - 3).
my $lines = 'order_lines(%d, 1::smallint, 1, array[1, 2]::smallint[], array[7, 9], array[%d, 1]::smallint[])';
($first, $second) = map { prepared('new_order', 'order_lines') } 1 .. 2;
for my $order ([$first, 1, 5], [$second, 2, 3]) {
    my ($session, $w, $quantity) = @$order;
    $session->ask('begin');
    $session->ask("execute new_order($w, 1::smallint, 1, 2::smallint, 1::smallint)");
    $session->send('execute ' . sprintf $lines, $w, $quantity);
    $session->answer if $w == 1;
}
ok $second->is_blocked, 'the second order waits for the stock';
$first->ask('commit');
is $second->answer, "1|item 7|42|G|7.00|21.00\n2|item 9|48|G|9.00|9.00", 'and meets what is left';
$second->ask('commit');
is psql(in_schema($small, 'select s_quantity, s_ytd, s_order_cnt, s_remote_cnt from ordermill.stock
    where s_w_id = 1 and s_i_id = 7')), '42|8|2|1', 'no update is lost';

# What an order had done when an item turned out not to exist: all of the valid lines.
$first->ask('begin');
$first->ask('execute new_order(1, 2::smallint, 2, 3::smallint, 1::smallint)');
like $first->ask('execute order_lines(1, 2::smallint, 1, array[1, 2, 3]::smallint[],
    array[3, 4, 21], array[1, 1, 1]::smallint[])'), qr/23502: null value in column "ol_amount"/,
  'an unused item';
$first->ask('rollback');
for my $wrong ('new_order(3, 1::smallint, 1, 1::smallint, 1::smallint)',
    'new_order(1, 1::smallint, 11, 1::smallint, 1::smallint)',
    'payment_home(3, 1::smallint, 1::smallint, 1, null, 1)',
    'payment_home(1, 1::smallint, 1::smallint, 11, null, 1)',
    "payment_home(1, 1::smallint, 1::smallint, null, 'NOBODY', 1)",
    'payment_history(1, 11::smallint, 2, 1::smallint, 1, 1)') {
    my $session = prepared($wrong =~ /\A(\w+)/);
    like $session->ask("execute $wrong"), qr/ERROR:  23502: /, "$wrong: ends its transaction";
}

sub locked_stock {
    return psql(in_schema($small, q{
        create temp table free as select s_w_id w, s_i_id i from ordermill.stock
            for update skip locked;
        select string_agg(s_w_id || '/' || s_i_id, ' ' order by s_w_id, s_i_id) from ordermill.stock
         where (s_w_id, s_i_id) not in (select w, i from free)}));
}

# The physical order of the rows is against that of their keys.
psql(in_schema($small, 'create temp table s as select * from ordermill.stock; truncate ordermill.stock;
    insert into ordermill.stock select * from s order by s_w_id desc, s_i_id desc'));
for my $planner ('', 'set enable_nestloop = off; set enable_mergejoin = off; set enable_indexscan = off',
    'set enable_nestloop = off; set enable_hashjoin = off', 'set enable_seqscan = off;
    set enable_indexscan = off; set enable_hashjoin = off') {
    my ($keeper, $buyer) = (Session->new, prepared('new_order', 'order_lines'));
    $buyer->ask($planner) if $planner;
    $keeper->ask(in_schema($small,
            'begin; select 1 from ordermill.stock where s_w_id = 1 and s_i_id = 5 for update'));
    $buyer->ask('begin');
    $buyer->ask('execute new_order(1, 1::smallint, 1, 4::smallint, 1::smallint)');
    $buyer->send('execute order_lines(1, 1::smallint, 1, array[1, 2, 3, 4]::smallint[],
        array[1, 3, 5, 9], array[1, 1, 1, 1]::smallint[])');
    my $how = $planner =~ s/\s+/ /gr || 'as planned';
    ok $buyer->is_blocked, "$how: an order waits for the row that is held";
    is locked_stock(), '1/1 1/3 1/5', "$how: it holds what comes before, and nothing after";
    $keeper->ask('rollback');
    $buyer->answer;
    $buyer->ask('rollback');
}
is_deeply {broken($small)}, {}, 'all conditions hold';

done_testing;

# The five transactions against values worked out by hand, and against each other in two sessions.
# 031 does the same with the other set.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use Kit;
use Small;
use Test::More;

our $set //= 'default';
my $schema = small_schema($set);

# The last line of what the script says; everything it does is undone.
sub tried {
    my ($script) = @_;
    return psql("begin; set local timezone = 'UTC';\n" . in_schema($schema, $script)
        . ";\nrollback;");
}

# SQLSTATE, message and detail of a call that fails.
sub refused {
    my ($call) = @_;
    my (undef, undef, $err) = psql(
        "\\set VERBOSITY verbose\n" . in_schema($schema, "select * from $call;"), fails => 1);
    my ($state, $message) = $err =~ /ERROR:  (\w{5}): (.*)/;
    my ($detail) = $err =~ /DETAIL:  (.*)/;
    return join '|', map { $_ // '' } $state, $message, $detail;
}

# What every row of every table amounts to.
sub fingerprint {
    my @tables = qw(warehouse district customer history orders new_order order_line item stock);
    return psql(in_schema($schema, join ';', map {
        "select '$_', count(*), md5(coalesce(string_agg(t::text, ',' order by t::text),
        '')) from ordermill.$_ t"
    } @tables));
}

subtest 'contract' => sub {
    my %result = (
        new_order => 'p_w_id integer, p_d_id smallint, p_c_id integer, p_i_ids integer[], '
          . 'p_supply_w_ids integer[], p_quantities smallint[], OUT o_id integer, '
          . 'OUT o_entry_d timestamp with time zone, OUT c_last text, OUT c_credit text, '
          . 'OUT c_discount numeric, OUT w_tax numeric, OUT d_tax numeric, OUT total_amount '
          . 'numeric, '
          . 'OUT i_names text[], OUT s_quantities smallint[], OUT brand_generic text, '
          . 'OUT i_prices numeric[], OUT ol_amounts numeric[]',
        payment => 'p_w_id integer, p_d_id smallint, p_c_w_id integer, p_c_d_id smallint, '
          . 'p_c_id integer, p_c_last text, p_h_amount numeric, OUT c_id integer, '
          . join('', map { my $t = $_; map { "OUT ${t}_$_ text, " }
              qw(street_1 street_2 city state zip) } qw(w d))
          . 'OUT c_first text, OUT c_middle text, OUT c_last text, OUT c_street_1 text, '
          . 'OUT c_street_2 text, OUT c_city text, OUT c_state text, OUT c_zip text, '
          . 'OUT c_phone text, '
          . 'OUT c_since timestamp with time zone, OUT c_credit text, OUT c_credit_lim numeric, '
          . 'OUT c_discount numeric, OUT c_balance numeric, OUT c_data text, '
          . 'OUT h_date timestamp with time zone',
        order_status => 'p_w_id integer, p_d_id smallint, p_c_id integer, p_c_last text, '
          . 'OUT c_id integer, OUT c_first text, OUT c_middle text, OUT c_last text, '
          . 'OUT c_balance numeric, OUT o_id integer, OUT o_entry_d timestamp with time zone, '
          . 'OUT o_carrier_id smallint, OUT ol_i_ids integer[], OUT ol_supply_w_ids integer[], '
          . 'OUT ol_quantities smallint[], OUT ol_amounts numeric[], '
          . 'OUT ol_delivery_ds timestamp with time zone[]',
        delivery => 'p_w_id integer, p_o_carrier_id smallint, OUT o_ids integer[], '
          . 'OUT delivered_at timestamp with time zone, OUT skipped smallint',
        stock_level => 'p_w_id integer, p_d_id smallint, p_threshold smallint, '
          . 'OUT low_stock integer',
        procedure_set => '',
    );
    my %got = map { /\A(\w+)\|(.*)\z/ ? ($1, $2) : () } split /\n/, psql(
        'select p.proname, pg_get_function_arguments(p.oid) from pg_proc p '
          . "join pg_namespace n on n.oid = p.pronamespace where n.nspname = '$schema'");
    is $got{$_}, $result{$_}, "the signature of $_" for sort keys %result;
    is join(' ', sort keys %got), join(' ', sort keys %result), 'and there are no others';
    is tried('select ordermill.procedure_set()'), "$set 1", 'the stamp';
};

my $order = sub {
    my ($w, $d, $c, $items, $supplies, $quantities) = @_;
    return "ordermill.new_order($w, ${d}::smallint, $c, '{$items}', '{$supplies}', "
      . "'{$quantities}')";
};

subtest 'new order: what it returns and writes' => sub {
    my $call = $order->(1, 3, 1, '6,5,4', '1,2,1', '5,3,2');

    # 5 * 6.00 + 3 * 5.00 + 2 * 4.00 = 53.00; * (1 - 0.2) * (1 + 0.1 + 0.05) = 48.76
    is tried("select o_id, o_entry_d = now(), c_last, c_credit, c_discount, w_tax, d_tax,
                     round(total_amount, 4), i_names, s_quantities, brand_generic, i_prices,
                     ol_amounts
                from $call"),
      '6|t|ONE|GC|0.2000|0.1000|0.0500|48.7600|{"item 6","item 5","item 4"}|{45,47,48}|BGG|'
      . '{6.00,5.00,4.00}|{30.00,15.00,8.00}', 'the result, in the order of the client';
    is tried("select from $call; select o_entry_d = now(), o_c_id, o_carrier_id, o_ol_cnt,
        o_all_local
                from ordermill.orders where o_w_id = 1 and o_d_id = 3 and o_id = 6"),
      't|1||3|0', 'the order';
    is tried("select from $call; select * from ordermill.new_order where no_o_id = 6"), '1|6|3',
      'the new order';
    is tried("select from $call; select d_w_id, d_id, d_next_o_id from ordermill.district
               where d_next_o_id <> 6"), '1|3|7', 'the counter of this district and no other';
    is tried("select from $call;
              select ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info,
                     ol_delivery_d is null
                from ordermill.order_line where ol_w_id = 1 and ol_d_id = 3 and ol_o_id = 6
               order by ol_number"),
      join("\n", '1|6|1|5|30.00|dist 03 of 6/1          |t',
        '2|5|2|3|15.00|dist 03 of 5/2          |t',
        '3|4|1|2|8.00|dist 03 of 4/1          |t'), 'the lines';
    is tried("select from $call;
              select s_w_id, s_i_id, s_quantity, s_ytd, s_order_cnt, s_remote_cnt
                from ordermill.stock where s_quantity <> 50 order by s_w_id, s_i_id"),
      join("\n", '1|4|48|2|1|0', '1|6|45|5|1|0', '2|5|47|3|1|1'),
          'the stock, remote counted remote';
    is tried('select from ' . $order->(2, 1, 1, '6,5', '2,2', '1,1') . ';
              select o_all_local from ordermill.orders where o_id = 6'), '1', 'all lines local';
    is tried('select brand_generic from ' . $order->(1, 1, 1, join(',', 1 .. 12),
            join(',', (1) x 12), join(',', (1) x 12))), 'GGGGGBGGGGGB',
      'brand only where both data are ORIGINAL';
    is tried('select s_quantities, brand_generic, i_names from '
            . $order->(2, 10, 2, '12,1,6,3', '2,2,2,2', '4,3,2,1')), '{46,47,48,49}|BGBG|'
            . '{"item 12","item 1","item 6","item 3"}', 'one supply warehouse, items in any order';
    is tried('select s_quantities, brand_generic, i_names from '
            . $order->(2, 10, 2, '12,1,6,3', '1,2,1,2', '4,3,2,1')), '{46,47,48,49}|BGBG|'
            . '{"item 12","item 1","item 6","item 3"}', 'home above the supply warehouse';

    for my $d (1 .. 10) {
        is tried('select from ' . $order->(2, $d, 1, '9', '2', '1') . ';
                  select ol_dist_info from ordermill.order_line where ol_o_id = 6'),
          sprintf('dist %02d of 9/2          ', $d), "district $d copies its own column";
    }
};

subtest 'new order: stock' => sub {
    my $stock = sub {
        my ($quantity, $items, $supplies, $quantities) = @_;
        return tried("update ordermill.stock set s_quantity = $quantity;
            create temp table r on commit drop as select s_quantities from "
            . $order->(1, 1, 1, $items, $supplies, $quantities) . ";
            select r.s_quantities, (select string_agg(concat_ws(' ', s_w_id, s_i_id, s_quantity,
            s_ytd,
                   s_order_cnt, s_remote_cnt), ', ' order by s_w_id, s_i_id)
              from ordermill.stock where s_ytd > 0) from r");
    };
    is $stock->(12, '7', '1', '3'),  '{100}|1 7 100 3 1 0',
      'ordered down to 9: refilled, 12 - 3 + 91';
    is $stock->(13, '7', '1', '3'),  '{10}|1 7 10 3 1 0',   'down to 10: not refilled';
    is $stock->(14, '7', '1', '3'),  '{11}|1 7 11 3 1 0',   'down to 11: not refilled';
    is $stock->(10, '7', '1', '10'), '{91}|1 7 91 10 1 0',  'down to 0: 10 - 10 + 91';
    is $stock->(12, '7', '2', '3'),  '{100}|2 7 100 3 1 1', 'refilled at a remote warehouse';

    # 15 - 5 = 10; 10 - 4 + 91 = 97; 97 - 3 = 94
    is $stock->(15, '7,7,8,7', '1,1,1,1', '5,4,1,3'), '{10,97,14,94}|1 7 94 12 3 0, 1 8 14 1 1 0',
      'an item three times: each line meets what the last one left';
    is $stock->(15, '7,7,7,7', '2,1,2,1', '5,4,4,3'), '{10,11,97,99}|1 7 99 7 2 0, 2 7 97 9 2 2',
      'an item twice from each of two warehouses';
    is tried('select from ' . $order->(1, 1, 1, '7,7,7', '1,1,1', '1,2,3') . ';
              select count(*), sum(ol_amount), count(distinct ol_number)
                from ordermill.order_line where ol_o_id = 6'), '3|42.00|3',
                'and each line is written';
};

subtest 'new order: refusals' => sub {
    my $before = fingerprint();

    is refused($order->(1, 3, 2, '6,5,21', '1,2,1', '1,1,1')),
      'OM001|Item number is not valid|o_id=6 c_last=TWO c_credit=GC', 'an unused item';
    is refused($order->(1, 3, 10, '21', '1', '1')),
      'OM001|Item number is not valid|o_id=6 c_last=FOUR c_credit=BC', 'and nothing else';
    is refused($order->(1, 3, 2, '6,21', '1,2', '1,1')),
      'OM001|Item number is not valid|o_id=6 c_last=TWO c_credit=GC', 'an unused item, remote';
    is refused($order->(3, 1, 1, '1', '3', '1')), 'OM002|no district 1 in warehouse 3|',
        'no warehouse';
    is refused($order->(1, 11, 1, '1', '1', '1')), 'OM002|no district 11 in warehouse 1|',
        'no district';
    is refused($order->(1, 2, 11, '1', '1', '1')),
      'OM002|no warehouse 1, or no customer 11 in its district 2|', 'no customer';
    is refused($order->(1, 2, 1, '1,2', '1,3', '1,1')),
      'OM002|no stock of one of the items {1,2} in the warehouses {1,3}|', 'no supply warehouse';
    like refused($order->(1, 2, 1, '1,2', '1', '1,1')), qr/\AOM003\|.*not 2, 1 and 2\|\z/,
        'lengths';
    like refused($order->(1, 2, 1, '1,2', '1,1', '1')), qr/\AOM003\|/, 'lengths of quantities';
    like refused($order->(1, 2, 1, '', '', '')), qr/\AOM003\|/, 'no line';
    my $sixteen = join ',', (1) x 16;
    like refused($order->(1, 2, 1, $sixteen, $sixteen, $sixteen)), qr/\AOM003\|/, 'sixteen lines';
    like refused('ordermill.new_order(1, 2::smallint, 1, null, null, null)'), qr/\AOM003\|/, 'null';

    is fingerprint(), $before, 'none of them left a trace';
    is tried('savepoint before; \set ON_ERROR_STOP off
              select from ' . $order->(1, 3, 2, '21,5,6', '1,2,1', '1,1,1') . ';
              rollback to before; \set ON_ERROR_STOP on
              select relname, n_tup_ins + n_tup_upd from pg_stat_xact_user_tables
               where schemaname = \'' . $schema . '\' and n_tup_ins + n_tup_upd > 0 order by 1'),
      "district|1\nnew_order|1\norder_line|2\norders|1\nstock|2",
      'all valid lines were worked on before the order was refused';
};

my $pay = sub {
    my ($w, $d, $cw, $cd, $c, $last, $amount) = @_;
    $last = defined $last ? "'$last'" : 'null';
    return "ordermill.payment($w, ${d}::smallint, $cw, ${cd}::smallint, " . ($c // 'null')
        . ", $last, $amount)";
};

subtest 'payment' => sub {
    my $call = $pay->(1, 2, 1, 2, 1, undef, '100.50');

    is tried("select c_id, w_street_1, w_street_2, w_city, w_state, w_zip,
                     d_street_1, d_street_2, d_city, d_state, d_zip,
                     c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip,
                     c_phone,
                     c_since, c_credit, c_credit_lim, c_discount, c_balance, c_data is null,
                     h_date = now() from $call"),
      '1|w street 1|w second 1|w city 1|WA|123411111|d street 2|d second 2|d city 2|DA|567811111|'
      . 'first j|OE|ONE|c street 1|c second 1|c city 1|CA|910111111|0123456789012345|'
      . '2020-02-02 02:02:02+00|GC|50000.00|0.2000|-110.50|t|t', 'what the terminal shows';
    is tried("select from $call; select w_id, w_ytd from ordermill.warehouse where w_ytd <> 1000"),
      '1|1100.50', 'the warehouse';
    is tried("select from $call; select d_w_id, d_id, d_ytd from ordermill.district
               where d_ytd <> 100"),
      '1|2|200.50', 'the district';
    is tried("select from $call; select c_w_id, c_d_id, c_id, c_balance, c_ytd_payment,
        c_payment_cnt,
                     c_delivery_cnt, length(c_data) from ordermill.customer
               where c_payment_cnt <> 1"),
      '1|2|1|-110.50|110.50|2|0|500', 'the customer';
    is tried("select from $call; select h_c_w_id, h_c_d_id, h_c_id, h_w_id, h_d_id, h_amount,
        h_data,
                     h_date = now() from ordermill.history where h_data <> 'initial payment'"),
      '1|2|1|1|2|100.50|W1    D2|t', 'the history';

    my $remote = $pay->(1, 2, 2, 7, 3, undef, '1.00');
    is tried("select from $remote; select h_c_w_id, h_c_d_id, h_c_id, h_w_id, h_d_id, h_data
                from ordermill.history where h_data <> 'initial payment'"), '2|7|3|1|2|W1    D2',
      'a customer of another warehouse';
    is tried("select from $remote; select c_w_id, c_d_id, c_id from ordermill.customer
               where c_payment_cnt <> 1"), '2|7|3', 'is the one who paid';
    is tried("select from $remote; select d_w_id, d_id from ordermill.district where d_ytd <> 100"),
        '1|2',
      'here';

    my %middle = (ONE => 1, TWO => 3, THREE => 5, FOUR => 9);
    is tried('select c_id from ' . $pay->(2, 4, 1, 5, undef, $_, '1.00')), $middle{$_},
      "the middle one of name $_" for sort keys %middle;
    is tried("update ordermill.customer set c_first = 'same' where c_last = 'THREE';
        select c_id from "
            . $pay->(2, 4, 1, 5, undef, 'THREE', '1.00')), 5, 'of equal first names, by number';

    my $bad = $pay->(2, 4, 1, 5, 10, undef, '7.25');
    my $data = '10 5 1 4 2 7.25|';
    is tried("select c_credit, c_data from $bad"), 'BC|' . $data . 'd' x 184,
        'bad credit: 200 characters';
    is tried("select from $bad; select c_data from ordermill.customer where c_payment_cnt <> 1"),
      $data . 'd' x 484, 'noted at the left, cut at 500';
    is tried("update ordermill.customer set c_data = 'short'; select from $bad;
              select c_data from ordermill.customer where c_payment_cnt <> 1"), "${data}short",
              'not cut';

    my $before = fingerprint();
    is refused($pay->(3, 1, 1, 1, 1, undef, 1)), 'OM002|no warehouse 3|', 'no warehouse';
    is refused($pay->(1, 11, 1, 1, 1, undef, 1)), 'OM002|no district 11 in warehouse 1|',
        'no district';
    is refused($pay->(1, 1, 2, 3, 11, undef, 1)),
        'OM002|no customer 11 in district 3 of warehouse 2|',
      'no customer';
    is refused($pay->(1, 1, 2, 3, undef, 'FIVE', 1)),
        'OM002|no customer FIVE in district 3 of warehouse 2|',
      'nobody of that name';
    is fingerprint(), $before, 'none of them left a trace';
};

subtest 'order status' => sub {
    my $columns = 'c_id, c_first, c_middle, c_last, c_balance, o_id, o_entry_d, o_carrier_id,
        ol_i_ids,
                   ol_supply_w_ids, ol_quantities, ol_amounts, ol_delivery_ds';
    is tried("select $columns from ordermill.order_status(2, 6::smallint, 3, null)"),
      '3|first h|OE|TWO|-10.00|3|2020-02-02 02:02:02+00|7|{4,5}|{2,2}|{5,5}|{0.00,0.00}|'
      . '{"2020-02-02 02:02:02+00","2020-02-02 02:02:02+00"}', 'a delivered order';
    is tried("select $columns from ordermill.order_status(2, 6::smallint, null, 'THREE')"),
      '5|first f|OE|THREE|-10.00|5|2020-02-02 02:02:02+00||'
      . '{6,7}|{2,2}|{5,5}|{12.50,12.50}|{NULL,NULL}',
      'by name, an order that is not';
    is tried('select from ' . $order->(2, 6, 3, '9,1', '1,2', '2,3') . ";
              select o_id, o_entry_d = now(), ol_i_ids, ol_supply_w_ids, ol_quantities, ol_amounts
                from ordermill.order_status(2, 6::smallint, 3, null)"),
      '6|t|{9,1}|{1,2}|{2,3}|{18.00,3.00}', 'the latest of two';
    is tried("select $columns from ordermill.order_status(2, 6::smallint, 8, null)"),
      '8|first c|OE|FOUR|-10.00||||{}|{}|{}|{}|{}', 'no order yet';
    is tried('select c_id from ordermill.order_status(1, 1::smallint, null, \'FOUR\')'), 9,
        'of four';
    is refused('ordermill.order_status(2, 6::smallint, 11, null)'),
      'OM002|no customer 11 in district 6 of warehouse 2|', 'no customer';
    is refused("ordermill.order_status(2, 6::smallint, null, 'FIVE')"),
      'OM002|no customer FIVE in district 6 of warehouse 2|', 'nobody of that name';
};

subtest 'delivery' => sub {
    my $call = 'ordermill.delivery(2, 9::smallint)';
    my $all = sub { '{' . join(',', ($_[0]) x 10) . '}' };

    is tried("select o_ids, delivered_at = now(), skipped from $call"), $all->(4) . '|t|0',
        'the oldest';
    is tried("select from $call; select count(*), min(no_o_id),
        max(no_o_id)
                from ordermill.new_order
               where no_w_id = 2"), '10|5|5', 'is new no longer';
    is tried("select from $call; select o_w_id, o_id, count(*) from ordermill.orders
               where o_carrier_id = 9 group by 1, 2"), '2|4|10', 'has its carrier';
    is tried("select from $call; select ol_w_id, ol_o_id, count(*) from ordermill.order_line
               where ol_delivery_d = now() group by 1, 2"), '2|4|20', 'and so its lines';
    is tried("select from $call; select c_w_id, c_id, c_balance, c_delivery_cnt, c_ytd_payment,
        count(*)
                from ordermill.customer where c_balance <> -10 group by 1, 2, 3, 4, 5"),
      '2|4|15.00|1|10.00|10', 'and its customer pays 2 * 12.50';
    is tried("select from $call; select from $call; select from "
            . $order->(2, 3, 1, '1', '2', '1') . "; select o_ids, skipped from $call"),
      '{NULL,NULL,6,NULL,NULL,NULL,NULL,NULL,NULL,NULL}|9', 'districts without anything to deliver';
    is tried("select from $call; select from $call; select o_ids, skipped from $call"),
      $all->('NULL') . '|10', 'nothing at all';
    is tried("select from $call; select count(*) from ordermill.new_order where no_w_id = 1"), 20,
      'the other warehouse keeps its orders';
    is_deeply {broken($schema, "select from $call; select from $call; select from $call")}, {},
      'all conditions hold after it';

    # Order 4 of district 7 taken away, or its lines.
    for my $damage ('orders where o_w_id = 2 and o_d_id = 7 and o_id = 4',
        'order_line where ol_w_id = 2 and ol_d_id = 7 and ol_o_id = 4') {
        my (undef, undef, $err) = psql("\\set VERBOSITY verbose\n" . in_schema($schema,
                "begin; delete from ordermill.$damage; select * from $call;"), fails => 1);
        like $err, qr/OM002: an order to be delivered by warehouse 2 is missing or has no line/,
          "refused: $damage";
    }
};

subtest 'stock level' => sub {
    my $call = 'select low_stock from ordermill.stock_level(1, 1::smallint, 15::smallint)';

    # Orders 1 to 5 hold items 2 to 7; 3 to 6 of them twice.
    is tried($call), 0, 'nothing is low';
    is tried("update ordermill.stock set s_quantity = 14; $call"), 6, 'each item once';
    is tried("update ordermill.stock set s_quantity = 15; $call"), 0, 'below, not at the threshold';
    is tried("update ordermill.stock set s_quantity = 14 where s_w_id = 2 or s_i_id in (1, 8, 3);
        $call"),
      1, 'this warehouse, these orders';
    my $twenty = join ';', map { 'select from ' . $order->(1, 1, 1, '15,16', '2,1', '1,1') }
      1 .. 20;
    is tried("$twenty; update ordermill.stock set s_quantity = 14; $call"), 2,
        'the last twenty orders';
    is tried("$twenty; update ordermill.district set d_next_o_id = d_next_o_id - 1;
              update ordermill.stock set s_quantity = 14; $call"), 4,
              'from the counter of the district';
    is refused('ordermill.stock_level(1, 11::smallint, 15::smallint)'),
        'OM002|no district 11 in warehouse 1|',
      'no district';
};

subtest 'no search path is needed' => sub {
    for my $path ("''", 'pg_temp') {
        is tried("set local search_path = $path;
            select 1 from " . $order->(1, 1, 1, '1,1,2', '1,1,2', '1,1,1') . ';
            select 1 from ' . $pay->(1, 1, 1, 1, undef, 'TWO', '1.00') . ";
            select 1 from ordermill.order_status(1, 1::smallint, null, 'TWO');
            select 1 from ordermill.stock_level(1, 1::smallint, 15::smallint);
            select skipped from ordermill.delivery(1, 1::smallint)"), "1\n1\n1\n1\n0",
            "search_path $path";
    }
};

# What a session has locked of stock, seen from outside: "w/i" of each row.
sub locked_stock {
    return psql(in_schema($schema, q{
        create temp table free as select s_w_id w, s_i_id i from ordermill.stock
            for update skip locked;
        select string_agg(s_w_id || '/' || s_i_id, ' ' order by s_w_id, s_i_id) from ordermill.stock
         where (s_w_id, s_i_id) not in (select w, i from free)}));
}

subtest 'stock is locked in the order of warehouse and item' => sub {
    my %planner = (
        'as planned'     => '',
        'hash joins'     => 'set enable_nestloop = off; set enable_mergejoin = off;
        set enable_indexscan = off',
        'merge joins'    => 'set enable_nestloop = off; set enable_hashjoin = off',
        'bitmaps'        => 'set enable_seqscan = off; set enable_indexscan = off;
        set enable_hashjoin = off',
        'no sorted scan' => 'set enable_hashjoin = off; set enable_indexscan = off;
        set enable_bitmapscan = off',
    );
    # The physical order of the rows is against the order of their keys.
    psql(in_schema($schema, 'create temp table s as select * from ordermill.stock;
        truncate ordermill.stock; insert into ordermill.stock select * from s order by s_w_id desc,
        s_i_id desc'));

    for my $how (sort keys %planner) {
        my ($holder, $buyer) = (Session->new, Session->new);
        $buyer->ask($planner{$how}) if $planner{$how};
        $holder->ask(in_schema($schema,
                'begin; select 1 from ordermill.stock where s_w_id = 1 and s_i_id = 5 for update'));
        $buyer->ask('begin');
        $buyer->send(in_schema($schema, 'select o_id from '
                  . $order->(2, 1, 1, '9,7,3,5,1,5', '1,2,1,1,1,1', '1,1,1,1,1,1')));
        ok $buyer->is_blocked, "$how: waits for the row that is held";
        is locked_stock(), '1/1 1/3 1/5', "$how: holds what comes before it, and nothing after it";
        $holder->ask('rollback');
        is $buyer->answer, 6, "$how: goes on";
        $buyer->ask('rollback');
    }
};

subtest 'orders of crossed items, side by side' => sub {
    my $script = sub {
        my ($w, $d, @lines) = @_;
        return in_schema($schema, join '', map {
            my @shuffled = $_ % 2 ? @lines : reverse @lines;
            'select from ' . $order->($w, $d, 1, join(',', map { $_->[1] } @shuffled),
                join(',', map { $_->[0] } @shuffled), join(',', (1) x @shuffled)) . ";\n"
        } 1 .. 100);
    };
    my @lines = map { my $i = $_; map { [$_, $i] } 1, 2 } 11 .. 15;
    my @runs = map {
        Kit::Process->start({stdin => $script->(@$_, @lines)},
        qw(psql -X -q -A -t -v ON_ERROR_STOP=1 -f -))
    } [1, 1], [2, 2], [1, 3];
    is_deeply [map { [($_->finish)[0, 2]] } @runs], [map { [0, ''] } @runs],
        'no deadlock, no other error';
    is psql(in_schema($schema, 'select s_order_cnt, s_ytd, count(*) from ordermill.stock
                where s_i_id between 11 and 15 group by 1, 2')), '300|300|10', 'no update is lost';
    is_deeply {broken($schema)}, {}, 'all conditions hold';
};

subtest 'two deliveries at one warehouse' => sub {
    my $call = in_schema($schema, 'select o_ids[1], o_ids[2], o_ids[10], skipped
        from ordermill.delivery(2, 3::smallint)');
    my ($first, $second) = (Session->new, Session->new);

    $first->ask('begin');
    is $first->ask($call), '4|4|4|0', 'the first takes the oldest orders';
    $second->send($call);
    ok $second->is_blocked, 'the second waits';
    $first->ask('rollback');
    is $second->answer, '4|4|4|0', 'and takes the same, as the first gave up';

    $first->ask('begin');
    is $first->ask($call), '5|5|5|0', 'the first takes the next orders';
    $second->send($call);
    ok $second->is_blocked, 'the second waits';
    $first->ask('commit');
    is $second->answer, '|6||9', 'and takes what then is oldest, where anything is left';
    is_deeply {broken($schema)}, {}, 'all conditions hold';
};

subtest 'all together' => sub {
    my %calls = (
        deliveries => 'select from ordermill.delivery(1, 3::smallint)',
        orders => join(';', map { 'select from ' . $order->(1, $_, 4, '20,19', '1,2', '1,1') }
              1 .. 10),
        payments => join(';',
            map { 'select from ' . $pay->(1, $_, 1, 11 - $_, undef, 'THREE', '1.00') } 1 .. 10),
    );
    my @runs = map {
        Kit::Process->start({stdin => in_schema($schema, "$calls{$_};\n" x 30)},
            qw(psql -X -q -A -t -v ON_ERROR_STOP=1 -f -))
    } qw(orders payments deliveries deliveries);
    is_deeply [map { [($_->finish)[0, 2]] } @runs], [map { [0, ''] } @runs],
        'no deadlock, no other error';
    is_deeply {broken($schema)}, {}, 'all conditions hold';
};

subtest 'removal' => sub {
    psql(source_sql($schema, 'procedures/drop.sql'));
    is psql("select count(*) from pg_proc where pronamespace = '\"$schema\"'::regnamespace"), 0,
      'every function is gone';
    psql('set client_min_messages = error;' . source_sql($schema, 'procedures/drop.sql'));
    pass 'and removal can be repeated';
};

done_testing;

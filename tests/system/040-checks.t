# Each consistency condition finds the damage made for it, and names its place; a clean population
# passes all twelve.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use Kit;
use Small;
use Test::More;

my $schema = small_schema();

is scalar(check_paths()), 12, 'there are twelve conditions';
for my $path (check_paths()) {
    like source_sql($schema, $path), qr/\A-- NAME: \S.{5,70}\n/, "$path begins with its name";
}
is_deeply {broken($schema)}, {}, 'the population satisfies all twelve';

# [what, SQL, {condition => the one row it shows, ...}]: these conditions and no others.
my @mutants = (
    ['a warehouse took more than its districts',
     'update ordermill.warehouse set w_ytd = w_ytd + 1 where w_id = 2',
     {1 => '2|||1000.00|1001.00|1', 8 => '2|||1000.00|1001.00|1'}],
    ['a warehouse is missing',
     'delete from ordermill.warehouse where w_id = 1',
     {1 => '1||no warehouse|1000.00|none|1', 8 => '1||no warehouse|1000.00|none|1'}],
    ['an order number is skipped',
     'update ordermill.district set d_next_o_id = 7 where d_w_id = 2 and d_id = 3',
     {2 => ['2|3|max(O_ID)|6|5|2', '2|3|max(NO_O_ID)|6|5|2']}],
    ['the newest order is delivered out of turn',
     'delete from ordermill.new_order where no_w_id = 1 and no_d_id = 4 and no_o_id = 5;
      update ordermill.orders set o_carrier_id = 1 where o_w_id = 1 and o_d_id = 4 and o_id = 5;
      update ordermill.order_line set ol_delivery_d = now()
       where ol_w_id = 1 and ol_d_id = 4 and ol_o_id = 5;
      update ordermill.customer set c_balance = c_balance + 25
       where c_w_id = 1 and c_d_id = 4 and c_id = 5',
     {2 => '1|4|max(NO_O_ID)|5|4|1'}],
    ['an order in the middle is delivered out of turn',
     'update ordermill.district set d_next_o_id = 7 where d_w_id = 1 and d_id = 10;
      insert into ordermill.orders values (now(), 1, 6, 1, 10, 0, 1, null);
      insert into ordermill.new_order values (1, 6, 10);
      insert into ordermill.order_line values (1, 6, 1, 1, 10, 1, 5, 1, \'\', null);
      update ordermill.orders set o_ol_cnt = 1 where o_w_id = 1 and o_d_id = 10 and o_id = 6;
      delete from ordermill.new_order where no_w_id = 1 and no_d_id = 10 and no_o_id = 5;
      update ordermill.orders set o_carrier_id = 1 where o_w_id = 1 and o_d_id = 10 and o_id = 5;
      update ordermill.order_line set ol_delivery_d = now()
       where ol_w_id = 1 and ol_d_id = 10 and ol_o_id = 5;
      update ordermill.customer set c_balance = c_balance + 25
       where c_w_id = 1 and c_d_id = 10 and c_id = 5',
     {3 => '1|10|new orders 4 to 6|3|2|1'}],
    ['an order line is lost',
     'delete from ordermill.order_line
       where ol_w_id = 2 and ol_d_id = 6 and ol_o_id = 1 and ol_number = 2',
     {4 => '2|6||10|9|1', 6 => '2|6|order 1|2|1|1'}],
    ['lines without an order, in a district that is not there',
     'insert into ordermill.order_line values (2, 1, 1, 2, 11, 1, 5, 0, \'\', null)',
     {4 => '2|11||no orders|1|1', 6 => '2|11|order 1|no order|1|1',
      7 => '2|11|order 1|an order|no order|1'}],
    ['delivered lines without an order',
     'insert into ordermill.order_line values (2, 1, 1, 2, 11, 1, 5, 3, \'\', now())',
     {4 => '2|11||no orders|1|1', 6 => '2|11|order 1|no order|1|1',
      7 => '2|11|order 1|an order|no order|1',
      10 => '2|11|no order|3.00|no customer|1', 12 => '2|11|no order|3.00|no customer|1'}],
    ['an order of a customer who is not there',
     'update ordermill.orders set o_c_id = 11 where o_w_id = 1 and o_d_id = 6 and o_id = 5',
     {10 => '1|6|customer 11|0|no customer|1', 12 => '1|6|customer 11|0|no customer|1'}],
    ['an order is delivered, its successor is the new one',
     'update ordermill.orders set o_carrier_id = 7 where o_w_id = 1 and o_d_id = 2 and o_id = 4;
      update ordermill.orders set o_carrier_id = null where o_w_id = 1 and o_d_id = 2 and o_id = 3;
      update ordermill.order_line set ol_delivery_d = now()
       where ol_w_id = 1 and ol_d_id = 2 and ol_o_id = 4;
      update ordermill.order_line set ol_delivery_d = null
       where ol_w_id = 1 and ol_d_id = 2 and ol_o_id = 3;
      update ordermill.customer set c_balance = c_balance + 25
       where c_w_id = 1 and c_d_id = 2 and c_id = 4',
     {5 => ['1|2|order 3|a carrier|no carrier|2', '1|2|order 4|no carrier|carrier 7|2']}],
    ['a new order without an order',
     'insert into ordermill.new_order values (2, 6, 5);
      update ordermill.district set d_next_o_id = 7 where d_w_id = 2 and d_id = 5',
     {2 => '2|5|max(O_ID)|6|5|1', 5 => '2|5|order 6|no carrier|no order|1',
      11 => '2|5|5 orders, 3 new orders|3|2|1'}],
    ['two orders swap their line counts',
     'update ordermill.orders set o_ol_cnt = o_id
       where o_w_id = 2 and o_d_id = 9 and o_id in (1, 3)',
     {6 => ['2|9|order 1|1|2|2', '2|9|order 3|3|2|2']}],
    ['a line of a delivered order has no delivery date',
     'update ordermill.order_line set ol_delivery_d = null
       where ol_w_id = 2 and ol_d_id = 8 and ol_o_id = 2 and ol_number = 1',
     {7 => '2|8|order 2|2 lines delivered|1|1'}],
    ['a payment is recorded nowhere in the district and warehouse',
     'insert into ordermill.history values (now(), 3, 1, 2, 4, 7, 5, \'\');
      update ordermill.customer set c_balance = c_balance - 5, c_ytd_payment = c_ytd_payment + 5
       where c_w_id = 1 and c_d_id = 4 and c_id = 3',
     {8 => '2|||1005.00|1000.00|1', 9 => '2|7||105.00|100.00|1'}],
    ['a payment is booked on another district',
     'update ordermill.district set d_ytd = d_ytd + case d_id when 1 then -10 else 10 end
       where d_w_id = 2 and d_id in (1, 2)',
     {9 => ['2|1||100.00|90.00|2', '2|2||100.00|110.00|2']}],
    ['a district is missing',
     'delete from ordermill.district where d_w_id = 1 and d_id = 5',
     {1 => '1|||900.00|1000.00|1',
      2 => ['1|5|max(O_ID)|no district|5|2', '1|5|max(NO_O_ID)|no district|5|2'],
      9 => '1|5|no district|100.00|none|1'}],
    ['a balance and the sum of payments are off by the same',
     'update ordermill.customer set c_balance = c_balance + 1, c_ytd_payment = c_ytd_payment - 1
       where c_w_id = 1 and c_d_id = 9 and c_id = 9',
     {10 => '1|9|customer 9|-10.00|-9.00|1'}],
    ['a customer without any order is missing',
     'delete from ordermill.customer where c_w_id = 2 and c_d_id = 1 and c_id = 8',
     {10 => '2|1|customer 8|-10.00|no customer|1'}],
    ['an order is without carrier and not new',
     'update ordermill.orders set o_carrier_id = null
       where o_w_id = 1 and o_d_id = 3 and o_id = 1',
     {5 => '1|3|order 1|a carrier|no carrier|1', 11 => '1|3|5 orders, 2 new orders|2|3|1',
      7 => '1|3|order 1|no line delivered|2|1'}],
    ['the sum of payments alone is off',
     'update ordermill.customer set c_ytd_payment = 11
       where c_w_id = 2 and c_d_id = 10 and c_id = 7',
     {12 => '2|10|customer 7|0|1.00|1'}],
    ['a delivered amount was never charged',
     'update ordermill.order_line set ol_amount = 3
       where ol_w_id = 1 and ol_d_id = 1 and ol_o_id = 2 and ol_number = 1',
     {10 => '1|1|customer 2|-7.00|-10.00|1', 12 => '1|1|customer 2|3.00|0.00|1'}],
);

my %tested;
for my $mutant (@mutants) {
    my ($what, $damage, $expected) = @$mutant;
    my %rows = map { $_ => ref $expected->{$_} ? $expected->{$_} : [$expected->{$_}] }
      keys %$expected;
    is_deeply {broken($schema, "set local timezone = 'UTC'; $damage")}, \%rows, $what;
    $tested{$_}++ for keys %rows;
}
is_deeply [sort { $a <=> $b } keys %tested], [1 .. 12], 'every condition was broken at least once';

my %cut = broken($schema, 'update ordermill.customer set c_ytd_payment = 0');
is scalar(@{$cut{12}}), 10, 'ten examples are shown';
is $cut{12}[0],  '1|1|customer 1|0.00|-10.00|200', 'with the number of all';
is $cut{12}[9],  '1|1|customer 10|0|-10.00|200',   'in the order of customers';

my $both = 'update ordermill.customer set c_ytd_payment = 0 where c_d_id = 1 and c_id = 1';
is_deeply {broken($schema, $both, 2, 2)}, {12 => ['2|1|customer 1|0.00|-10.00|1']},
  'a range of warehouses sees its own';
is_deeply {broken($schema, 'select', 3, 3)}, {1 => ['3||no warehouse|none|none|1']},
  'a warehouse of which nothing is there is a violation';

done_testing;

# The command "check": every damage is named by condition, warehouse, district and both values, and
# the fast form sees what it is there for.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use JSON::PP ();
use Kit;
use Test::More;

my $schema = fresh_schema('check');
my ($exit, $out, $err) = kit({timeout => 300}, 'load', '-w', 2, '--schema', $schema);
is $exit, 0, 'loaded' or diag $err;

sub check {
    my @args = @_;
    my ($status, $text, $talk) = kit('check', '--schema', $schema, '--json', @args);
    return ($status, eval { JSON::PP::decode_json($text) }, $talk);
}

# "warehouse/district expected found" of the first example of each test that failed.
sub failed {
    my ($json) = @_;
    my %tests = (%{$json->{conditions}}, counts => $json->{counts});
    return {map {
        my $example = $tests{$_}{examples}[0];
        $_ => join ' ', "$example->{warehouse}/$example->{district}", @$example{qw(expected found)}
    } grep { $tests{$_}{verdict} eq 'FAIL' } keys %tests};
}

($exit, my $json, $err) = check();
is $exit, 0, 'a clean population passes';
is $json->{scope}, 'full', 'in full unless asked otherwise';
is scalar(grep { $_->{verdict} eq 'PASS' } values %{$json->{conditions}}), 12, 'all twelve';
is $json->{counts}{verdict}, 'PASS', 'and the row counts';
($exit, $json) = check('--fast');
is $exit, 0, 'so it does fast';
is $json->{scope}, 'fast', 'which the document says';
is_deeply [map { $_->{verdict} } @{$json->{conditions}}{1 .. 12}],
  [('PASS') x 4, ('NOT TESTED') x 8], 'with conditions 1 to 4 alone';
is $json->{verdict}, 'PASS', 'and a verdict on those';

# [what, damage, its undoing, {test => place and values}, the tests that the fast form fails]
my @mutants = (
    ['a warehouse took more than its districts',
     'update warehouse set w_ytd = w_ytd + 1 where w_id = 2',
     'update warehouse set w_ytd = w_ytd - 1 where w_id = 2',
     {1 => '2/0 300000.00 300001.00', 8 => '2/0 300000.00 300001.00'}, '1'],
    ['a district skips an order number',
     'update district set d_next_o_id = 3002 where d_w_id = 2 and d_id = 3',
     'update district set d_next_o_id = 3001 where d_w_id = 2 and d_id = 3',
     {2 => '2/3 3001 3000'}, '2'],
    ['an order in the middle is delivered out of turn',
     'delete from new_order where no_w_id = 1 and no_d_id = 10 and no_o_id = 2500',
     'insert into new_order values (1, 2500, 10)',
     {3 => '1/10 900 899', 5 => '1/10 a carrier no carrier', 11 => '1/10 2100 2101',
      }, '3'],
    ['an order says one line more',
     'update orders set o_ol_cnt = o_ol_cnt + 1 where o_w_id = 2 and o_d_id = 6 and o_id = 1',
     'update orders set o_ol_cnt = o_ol_cnt - 1 where o_w_id = 2 and o_d_id = 6 and o_id = 1',
     {4 => qr{\A2/6 (\d+) (\d+)\z}, 6 => qr{\A2/6 (\d+) (\d+)\z}}, '4'],
    ['a delivered order has an undelivered line',
     'update order_line set ol_delivery_d = null
       where ol_w_id = 1 and ol_d_id = 8 and ol_o_id = 7 and ol_number = 1',
     'update order_line set ol_delivery_d = (select loaded_at from ordermill_build)
       where ol_w_id = 1 and ol_d_id = 8 and ol_o_id = 7 and ol_number = 1',
     {7 => qr{\A1/8 (\d+) lines delivered (\d+)\z}}, ''],
    ['a payment is booked on another district',
     'update district set d_ytd = d_ytd + case d_id when 1 then -10 else 10 end
       where d_w_id = 2 and d_id in (1, 2)',
     'update district set d_ytd = d_ytd - case d_id when 1 then -10 else 10 end
       where d_w_id = 2 and d_id in (1, 2)',
     {9 => '2/1 30000.00 29990.00'}, ''],
    ['a customer owes more than he got',
     'update customer set c_balance = 5, c_ytd_payment = -5
       where c_w_id = 1 and c_d_id = 9 and c_id = 9',
     'update customer set c_balance = -10, c_ytd_payment = 10
       where c_w_id = 1 and c_d_id = 9 and c_id = 9',
     {10 => '1/9 -10.00 5.00'}, ''],
    ['the sum of payments alone is off',
     'update customer set c_ytd_payment = 11 where c_w_id = 2 and c_d_id = 10 and c_id = 3000',
     'update customer set c_ytd_payment = 10 where c_w_id = 2 and c_d_id = 10 and c_id = 3000',
     {12 => qr{\A2/10 (0(?:\.00)?) (1\.00)\z}}, ''],
    ['stock of an item is missing',
     'create temp table gone as select * from stock where s_w_id = 2 and s_i_id = 77;
      create table aside as select * from gone; delete from stock where s_w_id = 2 and s_i_id = 77',
     'insert into stock select * from aside; drop table aside',
     {counts => '2/0 100000 99999'}, 'counts'],
);

for my $mutant (@mutants) {
    my ($what, $damage, $repair, $expected, $fast) = @$mutant;
    psql("set search_path = $schema; $damage");
    my ($status, $full, $talk) = check();
    my (undef, $quick) = check('--fast');
    psql("set search_path = $schema; $repair");
    is $status, 6, "$what: exit status 6";
    my $found = failed($full);
    for my $test (keys %$expected) {
        next if ref $expected->{$test} ne 'Regexp' || ($found->{$test} // '') !~ $expected->{$test};
        is abs($1 - $2), 1, "$what: condition $test is off by one";
        $expected->{$test} = $found->{$test};
    }
    is_deeply $found, $expected, "$what: named with place and values";
    is join(' ', sort keys %{failed($quick)}), $fast, "$what: what the fast form sees";
}
is_deeply [(check())[0]], [0], 'all repaired';
my %named = map { $_ => 1 } map { keys %{$_->[3]} } @mutants;
is_deeply [sort { $a <=> $b } grep { /\d/ } keys %named], [1 .. 12],
  'every condition was broken at least once';

($exit, $out, $err) = kit('check', '--schema', $schema, '--fast', '--full');
is $exit, 2, '--fast and --full exclude each other';
like $err, qr/exclude each other/, 'which is said';

done_testing;

# What a level commits against the database's own sums: equal when all is well, and each sum that
# somebody else changes meanwhile is named.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use Kit;
use Loaded;
use Test::More;

my $schema = loaded_schema(2);

my $sums_sql = <<"SQL";
select (select sum(d_next_o_id) from $schema.district), sum(s_order_cnt), sum(s_remote_cnt),
       sum(s_ytd), (select count(*) from $schema.history),
       (select (sum(d_ytd) * 100)::bigint from $schema.district)
  from $schema.stock
SQL
my @kinds = qw(new_orders order_lines remote_lines quantity payments paid_cents);

my @before = split /\|/, psql($sums_sql);
my ($exit, $json, $err) = run_json($schema, '-u', 4, '-t', '2s');
my @after = split /\|/, psql($sums_sql);
is $exit, 0, 'a sound level passes' or diag $err;
for my $i (0 .. $#kinds) {
    my $growth = $json->{growth}{$kinds[$i]};
    is $growth->{driver}, $after[$i] - $before[$i], "$kinds[$i]: the driver counted right";
    is $growth->{database}, $growth->{driver}, "$kinds[$i]: the database agrees";
    is $growth->{uncertain}, 0, "$kinds[$i]: nothing is uncertain";
}
cmp_ok $json->{growth}{quantity}{driver}, '>', $json->{growth}{order_lines}{driver},
  'quantities were counted, not lines';
cmp_ok $json->{stock_quantity_min}, '>=', 10,  'no stock below 10';
cmp_ok $json->{stock_quantity_max}, '<=', 100, 'nor above 100';

($exit, $json) = run_json($schema, '-u', 1, '-t', '1s', '--verify', 'counters');
is $exit, 0, 'counters alone';
is $json->{growth}{paid_cents}{database}, $json->{growth}{paid_cents}{driver},
  'still hold the amounts paid against the districts';
is $json->{growth}{payments}{database}, undef, 'and read neither history';
is $json->{stock_quantity_min},         undef, 'nor stock';

# What somebody does behind the driver's back, how it is undone, and what the verdict says.
my $history = "$schema.history (h_date, h_c_id, h_c_w_id, h_w_id, h_c_d_id, h_d_id, h_amount, h_data)";
my $stock = "update $schema.stock set";
my $one = 'where s_w_id = 1 and s_i_id = 1';
my @mutants = (
    ['a payment', "insert into $history values (now(), 1, 1, 1, 1, 1, 0, 'mutant')",
     "delete from $schema.history where h_data = 'mutant'", qr/; payments [\d,]+, [\d,]+\z/],
    ['a quantity', "$stock s_ytd = s_ytd + 1 $one", "$stock s_ytd = s_ytd - 1 $one",
     qr/; quantity ordered [\d,]+, [\d,]+\z/],
    ['an order line', "$stock s_order_cnt = s_order_cnt + 1 $one",
     "$stock s_order_cnt = s_order_cnt - 1 $one", qr/; order lines [\d,]+, [\d,]+\z/],
    ['a remote line', "$stock s_remote_cnt = s_remote_cnt + 1 $one",
     "$stock s_remote_cnt = s_remote_cnt - 1 $one", qr/; remote lines [\d,]+, [\d,]+\z/],
    ['an amount', "update $schema.district set d_ytd = d_ytd + 1 where d_w_id = 1 and d_id = 1",
     "update $schema.district set d_ytd = d_ytd - 1 where d_w_id = 1 and d_id = 1",
     qr/; cents paid [\d,]+, [\d,]+\z/],
    ['stock out of bounds', "$stock s_quantity = 150 where s_w_id = 1 and s_i_id = 2",
     "$stock s_quantity = 50 where s_w_id = 1 and s_i_id = 2", qr/; stock \d+ to 1\d\d\z/],
    ['an order', "update $schema.district set d_next_o_id = d_next_o_id + 1 where d_w_id = 2 and d_id = 1",
     "update $schema.district set d_next_o_id = d_next_o_id - 1 where d_w_id = 2 and d_id = 1",
     qr/\Adriver [\d,]+ new-orders, database [\d,]+\z/, '0,100,0,0,0'],
);
for my $mutant (@mutants) {
    my ($what, $damage, $repair, $figure, $mix) = @$mutant;
    my $paid = psql("select sum(w_ytd) from $schema.warehouse");
    my $run = in_background('run', '--schema', $schema, '--json', '-u', 1, '-t', '1s',
        '--ramp-up', '1s', '--mix', $mix // 'standard');
    wait_until(sub { psql("select sum(w_ytd) from $schema.warehouse") > $paid });
    psql($damage);
    my ($status, $out, $talk) = $run->finish;
    psql($repair);
    my $result = eval { JSON::PP::decode_json($out) } or diag $talk;
    is $status, 1, "$what behind the driver's back fails the level";
    is $result->{verdicts}{consistency}, 'FAIL', "$what: by its consistency";
    like $result->{verdict_figures}{consistency}, $figure, "$what: named";
}

# A connection lost in the middle of a payment: whether it committed is not known.
sessions_ended();
my $run = in_background('run', '--schema', $schema, '--json', '-u', 2, '-t', '3s', '--ramp-up', '0s',
    '--mix', '0,100,0,0,0');
wait_until(sub { sessions_of('run') == 2 });
my $killed = psql(<<"SQL");
begin;
update $schema.warehouse set w_ytd = w_ytd;
select pg_sleep(0.3);
commit;
select count(pg_terminate_backend(pid)) from (select pid from pg_stat_activity
 where application_name = 'ordermill run' order by pid limit 1) as victim;
SQL
($exit, my $out, $err) = $run->finish;
$json = JSON::PP::decode_json($out);
my $payments = $json->{growth}{payments};
cmp_ok $payments->{uncertain}, '<=', 1, 'at most the payment of the lost connection is uncertain';
cmp_ok $payments->{database} - $payments->{driver}, '<=', $payments->{uncertain},
  'and the database has no more than that';
is $json->{verdicts}{consistency}, 'PASS', 'which is consistent';
is((kit('check', '--schema', $schema))[0], 0, 'as are the data');

done_testing;

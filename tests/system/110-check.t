# The command check: every condition by name, what breaks it with its place and both values, the
# same whatever the number of connections, and exit status 6.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use JSON::PP;
use Kit;
use Test::More;

my $schema = fresh_schema('check');
is_deeply [(kit('load', '-w', 2, '-q', '--schema', $schema))[0, 2]], [0, ''], 'loaded';

my ($exit, $out, $err) = kit('check', '-q', '--schema', $schema);
is $exit, 0, 'a fresh load is consistent' or diag $err;
is scalar(() = $out =~ /^PASS +\d+  \S/mg), 12, 'twelve conditions, each by name';
is $err, '', 'nothing on stderr';

# Five districts of warehouse 2, one of warehouse 1; a customer with no delivered order among them.
psql(<<"SQL");
update $schema.district set d_ytd = d_ytd + 1 where d_w_id = 2 and d_id <= 5;
update $schema.customer set c_balance = c_balance - 0.01
 where c_w_id = 1 and c_d_id = 4 and c_id = (select o_c_id from $schema.orders
  where o_w_id = 1 and o_d_id = 4 and o_carrier_id is null order by o_c_id limit 1);
SQL
my $customer = psql("select c_id from $schema.customer where c_balance = -10.01");

my %first;
for my $jobs (1, 2, 4) {
    ($exit, $out, $err) = kit('check', '-j', $jobs, '--schema', $schema);
    is $exit, 6, "$jobs jobs: inconsistent";
    is join(' ', $out =~ /^FAIL +(\d+) /mg), '1 9 10 12', "$jobs jobs: what is broken";
    is scalar(() = $out =~ /^PASS +\d/mg), 8, "$jobs jobs: the rest is reported too";
    like $out, qr/^FAIL +1  W_YTD = .*\n +warehouse 2: expected 300005.00, found 300000.00$/m,
      "$jobs jobs: a warehouse with both values";
    like $out, qr/^FAIL +9 .*\n(?: +warehouse 2, district [1-3]: expected 30000.00, found 30001.00\n){3} +and 2 more$/m,
      "$jobs jobs: three examples, and how many more";
    like $out, qr/ warehouse 1, district 4, customer $customer: expected -10.00, found -10.01$/m,
      "$jobs jobs: a customer without a delivered order counts";
    like $err, qr/^ordermill: 4 of the 12 consistency conditions are broken, 8 times in all; the first is 1: W_YTD/m,
      "$jobs jobs: one error line";
    $first{text} //= $out;
    is $out, $first{text}, "$jobs jobs: the same text";

    ($exit, $out, $err) = kit('check', '-j', $jobs, '--schema', $schema, '--json');
    is $exit, 6, "$jobs jobs: --json has the same exit status";
    my $check = decode_json($out);
    is $check->{verdict}, 'FAIL', "$jobs jobs: verdict";
    is join(' ', map { $check->{conditions}{$_}{violations} } 1 .. 12), '1 0 0 0 0 0 0 0 5 1 0 1',
      "$jobs jobs: violations";
    is scalar(@{$check->{conditions}{9}{examples}}), 5, "$jobs jobs: all examples";
    is join(' ', map { $_->{district} } @{$check->{conditions}{9}{examples}}), '1 2 3 4 5',
      "$jobs jobs: in order";
}

# More examples than are kept.
psql("update $schema.district set d_ytd = d_ytd + 1 where d_w_id = 1 or d_id > 5");
($exit, $out, $err) = kit('check', '--schema', $schema, '-j', 2, '--json');
my $ninth = decode_json($out)->{conditions}{9};
is $ninth->{violations}, 20, 'all violations are counted';
is join(' ', map { "$_->{warehouse}.$_->{district}" } @{$ninth->{examples}}),
  join(' ', map { "1.$_" } 1 .. 10), 'the first ten are kept';

# What cannot be checked is an error, not a verdict.
for my $case ([['--schema', 'nowhere'], 5, qr/schema "nowhere" does not exist in database "/],
    [['-h', '/nonexistent'], 4, qr/\/nonexistent/], [['-j', 'x'], 2, qr/--jobs: /]) {
    my ($options, $status, $message) = @$case;
    ($exit, $out, $err) = kit('check', @$options);
    is $exit, $status, "check @$options: exit status";
    like $err, $message, "check @$options: message";
    is $out, '', "check @$options: no result";
}

# A kit of another layout, and no rows of bookkeeping.
psql("update $schema.ordermill_build set layout_version = 99, kit_version = '9.9'");
for my $command (['check'], ['load', '--resume'], ['load', '-w', 1]) {
    ($exit, $out, $err) = kit(@$command, '--schema', $schema);
    is $exit, 5, "@$command on another layout";
    like $err, qr/^ordermill: schema "$schema" was built by ordermill 9.9 with layout 99; this kit has layout \d+$/m,
      '... says which';
    like $err, qr/^hint: .*--replace/m, '... with a hint';
}
psql("alter table $schema.ordermill_build drop column c_load");
($exit, $out, $err) = kit('load', '-w', 1, '--replace', '-q', '--schema', $schema);
is $exit, 0, 'another layout is replaced' or diag $err;
psql("delete from $schema.ordermill_build");
($exit, $out, $err) = kit('check', '--schema', $schema);
is $exit, 5, 'no row of bookkeeping';
like $err, qr/table ordermill_build has 0 rows, not 1/, '... is named';

done_testing;

# The ways to call: the same inputs by function or by CALL, to either set of procedures, give the same
# answers and leave the same rows.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use Checksum;
use Kit;
use Loaded;
use Small;
use Test::More;

my %results = (new_order => 13, payment => 27, order_status => 13, delivery => 3, stock_level => 1);

# One call of each kind that there is: by number and by name, remote, an item twice, bad credit, an
# unused item, a warehouse with nothing left to deliver.
my @calls = (
    "new_order(1, 3::smallint, 1, '{6,5,4}', '{1,2,1}', '{5,3,2}')",
    "new_order(2, 1::smallint, 2, '{7,7,8,7}', '{2,1,2,2}', '{5,4,1,10}')",
    "new_order(1, 3::smallint, 2, '{6,5,21}', '{1,2,1}', '{1,1,1}')",
    "new_order(1, 2::smallint, 3, '{12,18,6}', '{1,1,1}', '{10,10,10}')",
    "payment(1, 2::smallint, 1, 2::smallint, 1, null, 100.50)",
    "payment(1, 2::smallint, 2, 7::smallint, null, 'THREE', 1.25)",
    "payment(2, 4::smallint, 1, 5::smallint, 10, null, 7.25)",
    "payment(2, 4::smallint, 1, 5::smallint, null, 'NOBODY', 7.25)",
    "order_status(1, 3::smallint, 1, null)",
    "order_status(2, 6::smallint, null, 'FOUR')",
    'delivery(1, 9::smallint)', 'delivery(1, 8::smallint)', 'delivery(1, 7::smallint)',
    'stock_level(2, 1::smallint, 45::smallint)',
);

sub as_function { return "select * from ordermill.$_[0]" }

sub as_call {
    my ($name, $arguments) = $_[0] =~ /\A(\w+)\((.*)\)\z/;
    return "call ordermill.call_$name($arguments" . ', null' x $results{$name} . ')';
}

# What all calls answer, without times, and what the tables then hold.
sub outcome {
    my ($set, $form) = @_;
    my $schema = small_schema($set);
    psql(source_sql($schema, 'schemas/bookkeeping.sql'));
    my ($exit, $install, $err) = kit('load', '--sql', '--only', 'procedures', '--procedures', $set,
        '--schema', $schema);
    is $exit, 0, "the $set procedures as a script" or diag $err;
    psql($install);
    my $script = join '', map { in_schema($schema, $form->($_)) . ";\n" } @calls;
    my (undef, $out, $errors) = run({stdin => $script}, qw(psql -X -q -A -t -v VERBOSITY=sqlstate -f -));
    s/\d{4}-\d\d-\d\d [\d:.]+[+-]\d\d/TIME/g, s/psql:\S+:\d+: //g for $out, $errors;
    return {answers => [split /\n/, $out], errors => [sort split /\n/, $errors],
        rows => checksums($schema)};
}

my $expected = outcome('default', \&as_function);
is scalar @{$expected->{answers}}, @calls - 2, 'all calls but two are answered';
is_deeply $expected->{errors}, ['ERROR:  OM001', 'ERROR:  OM002'], 'and those refused';
is_deeply outcome('default', \&as_call), $expected, 'the same by CALL';
is_deeply outcome('classic', \&as_function), $expected, 'the same from the classic set';
is_deeply outcome('classic', \&as_call), $expected, 'and from that by CALL';

# ---- levels ----

my $schema = loaded_schema(2);

sub sound {
    my ($how, %says) = @_;
    my ($exit, $json, $err) = run_json($schema, '-u', 2, '-t', '1s', map { ("--$_", $says{$_}) } sort keys %says);
    is $exit, 0, "$how: a sound level" or diag $err;
    is $json->{$_}, $says{$_}, "$how: says its $_" for sort keys %says;
    is $json->{verdicts}{consistency}, 'PASS', "$how: counted right";
    is_deeply $json->{errors}, {}, "$how: no errors";
    return;
}

sound('by CALL', call => 'procedures');
sound('parsed anew', protocol => 'extended');
sound('CALL parsed anew', call => 'procedures', protocol => 'extended');
sound('literals', protocol => 'simple');
sound('CALL with literals', call => 'procedures', protocol => 'simple');

sound('plain statements', call => 'statements');

my (undef, $json) = run_json($schema, '-u', 2, '-t', '1s', '--mix', 'read-only');
my @worked = grep { $json->{transactions}{$_}{committed} > 0 } sort keys %{$json->{transactions}};
is "@worked", 'order_status stock_level', 'a read-only level changes nothing';

my ($exit, undef, $err) = kit('run', '--schema', $schema, '--procedures', 'classic', '-t', '1s');
is $exit, 5, 'a set that is not installed is refused';
is $err, "ordermill: schema \"$schema\" has the default procedures, not the classic ones as asked\n"
  . "hint: ordermill load --schema '$schema' --only procedures --procedures classic installs them\n",
  'with what installs it';
($exit, undef, $err) = kit('load', '--schema', $schema, '--only', 'procedures', '--procedures', 'classic');
is $exit, 0, 'which does' or diag $err;
sound('the classic set', procedures => 'classic', call => 'functions');
($exit) = kit('load', '--schema', $schema, '--only', 'procedures', '--procedures', 'default');
is $exit, 0, 'and back';

done_testing;

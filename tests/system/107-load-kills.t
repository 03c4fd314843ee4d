# Killed at random moments, in every phase and in three ways, a load is completed by --resume to
# exactly the rows of an undisturbed one; `ordermill checksum` tells.
#
# Goes on until LOAD_KILLS (10) ends were survived, aimed at the phases in turn; a load that completed
# before its end came is compared, and another begun.
# LOAD_KILL_SEED repeats the moments of another run, as far as the machine does.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use Checksum;
use JSON::PP ();
use Kit;
use Test::More;
use Time::HiRes qw(sleep time);

my $wanted = $ENV{LOAD_KILLS}     // 10;
my $seed   = $ENV{LOAD_KILL_SEED} // time % 100000;
srand $seed;
diag "LOAD_KILL_SEED=$seed";

sub lines_that_differ {
    my ($left, $right) = map { [split /\n/] } @_;
    return join ' ', map { $left->[$_] =~ /^(\w+)/ } grep { $left->[$_] ne $right->[$_] } 0 .. $#$left;
}

# --- what the checksum tells ---------------------------------------------------------------------

my $warehouses = 2;
my $reference  = fresh_schema('reference');
my ($exit, $out, $err) =
  kit('load', '-q', '--json', '-w', $warehouses, '-j', 2, '--schema', $reference);
is $exit, 0, 'undisturbed load' or diag $err;
my %takes = %{JSON::PP::decode_json($out)->{phases}};
my $expected = checksum($reference);
is scalar(() = $expected =~ /^\w+ +\d+  [0-9a-f]{16}$/mg), 9, 'one line for each of nine tables';
like $expected, qr/^stock +200000  /m, 'the number of rows';

($exit, $out, $err) = kit('checksum', '--json', '-j', 3, '--schema', $reference);
is $exit, 0, 'checksum --json' or diag $err;
my $tables = JSON::PP::decode_json($out)->{tables};
is join('', map { sprintf "%-10s  %12d  %s\n", $_, @{$tables->{$_}}{qw(rows checksum)} }
      $expected =~ /^(\w+)/mg), $expected, '--json says the same, over other connections';

for my $case (
    ['a date', "update $reference.history set h_date = h_date + interval '1 s' where h_w_id = 2", ''],
    ['a row moved', "with gone as (delete from $reference.customer where c_w_id = 1 and c_id = 7
        returning *) insert into $reference.customer select * from gone", ''],
    ['a date gone', "update $reference.order_line set ol_delivery_d = null
        where (ol_w_id, ol_d_id, ol_o_id, ol_number) = (1, 1, 1, 1)", 'order_line'],
    ['a number', "update $reference.stock set s_quantity = s_quantity + 1
        where (s_w_id, s_i_id) = (2, 100000)", 'order_line stock'],
    ['a row twice', "insert into $reference.history select * from $reference.history
        where (h_w_id, h_d_id, h_c_id) = (1, 1, 1)", 'history order_line stock'],
    ['a row of no warehouse', "insert into $reference.new_order values (0, 1, 1)",
     'history new_order order_line stock'],
  ) {
    my ($name, $sql, $differ) = @$case;
    psql($sql);
    is lines_that_differ($expected, checksum($reference)), $differ, "$name: what differs";
}
($exit, $out, $err) = kit('checksum', '--schema', 'nobody_made_this');
is $exit, 5, 'no such schema';
like $err, qr/nobody_made_this/, 'is named';
psql("drop schema $reference cascade");

# --- the kills -----------------------------------------------------------------------------------

my $schema;
my @phases = qw(ddl data data data indexes indexes procedures analyze analyze check);
my %survived;

# The phase that the load is at.
sub current {
    return 'ddl' if psql("select to_regclass('$schema.ordermill_phase') is not null") ne 't';
    my %recorded = map { $_ => 1 } split /\n/, psql("select phase from $schema.ordermill_phase");
    return (grep { !$recorded{$_} } qw(data indexes procedures analyze check))[0] // 'the end';
}

# Whether it has got to this phase, or beyond.
sub begun {
    my ($phase) = @_;
    my %position = ('the end' => 99);
    @position{qw(ddl data indexes procedures analyze check)} = 0 .. 5;
    return $position{current()} >= $position{$phase};
}

sub backends {
    return split /\n/, psql("select pid from pg_stat_activity
                              where application_name like 'ordermill load%'");
}

# Each returns the exit status of a load that was at work.
my %ways = (
    'client killed' => sub { kill 'KILL', $_[0]->pid; return 137 },
    'sessions ended' => sub { psql("select pg_terminate_backend($_)") for backends(); return 4 },
    'server crashed' => sub { crash_server((backends())[0] // ()); return 4 },
);

# One attempt in one phase. What had already ended, or had no session at that moment, does not count.
sub disturb {
    my ($way, $phase, @arguments) = @_;
    my $run = in_background('load', '-j', 2, '--schema', $schema, @arguments);
    wait_until(sub { !$run->alive || begun($phase) }, 60);
    sleep rand() * 0.6 * $takes{"${phase}_s"};
    my $in = current();
    my $status = $run->alive ? $ways{$way}->($run) : 0;
    my ($ended) = $run->finish;
    ok $ended == 0 || $ended == $status, "$way, $in: exit status $ended";
    $survived{"$way, $in"}++ if $ended;
    return $ended != 0;
}

sub complete {
    my ($exit, $out, $err) = kit('load', '--resume', '--schema', $schema);
    is $exit, 0, 'the last resume completes it' or diag $err;
    is checksum($schema), $expected, 'the same rows';
    ($exit, $out, $err) = kit('check', '--schema', $schema);
    is $exit, 0, 'all conditions hold' or diag $err;
    is psql("select count(*) from pg_index as i join pg_class as c on c.oid = i.indexrelid
              where c.relnamespace = '$schema'::regnamespace and not indisvalid"), 0,
      'no index is left half-made';
    psql("drop schema $schema cascade");
    undef $schema;
    return;
}

my ($kills, $attempts) = (0, 0);
my @turns = sort keys %ways;
while ($kills < $wanted && $attempts < 5 * $wanted) {
    $schema //= fresh_schema('killed');
    my $begun = psql("select to_regclass('$schema.ordermill_build') is not null") eq 't';
    my $killed = disturb($turns[$attempts % @turns], $phases[$attempts % @phases],
        $begun ? '--resume' : ('-w', $warehouses));
    $attempts++;
    $kills += $killed;
    complete() if !$killed;
}
complete() if defined $schema;
diag "survived: $_: $survived{$_}" for sort keys %survived;
diag "survived: $kills in all";
is $kills, $wanted, 'so many ends were survived';

done_testing;

# What a load survives that the server of the other tests cannot be put through: it is restarted in
# order, and its disk fills up. A server of this test's own, run by the account of theirs.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use Kit;
use OwnServer;
use Test::More;

my $own = OwnServer->start(settings => "listen_addresses = ''\n");
my %server = (PGHOST => $own->folder, PGPORT => 5432, PGUSER => 'own', PGDATABASE => 'postgres');
my $small  = $own->folder . '/small';
my $mounted;

sub ask  { my ($sql) = @_; return psql($sql, env => \%server) }
sub ours { my @arguments = @_; return kit({env => \%server}, @arguments) }
sub begin_load { my @arguments = @_; return in_background({env => \%server}, 'load', @arguments) }

# As the kit itself sees the rows.
sub checksum {
    my ($schema) = @_;
    my ($exit, $out, $err) = ours('checksum', '--schema', $schema);
    is $exit, 0, "checksum of $schema" or diag $err;
    return $out;
}

END {
    my $status = $?;
    $own->stop if $own;    # its tablespace is there
    run('umount', $small) if $mounted;
    $? = $status;
}

my ($exit, $out, $err) = ours('load', '-q', '-w', 2, '--schema', 'reference');
is $exit, 0, 'undisturbed load' or diag $err;
my $expected = checksum('reference');

# ---- restarted in order, in the middle of the data and of the indexes ----

for my $moment (
    ['data', sub { ask("select count(*) from restarted.ordermill_chunk where row_count > 0") > 0 }],
    ['indexes', sub { ask("select count(*) from restarted.ordermill_phase where phase = 'data'") > 0 }],
) {
    my ($phase, $reached) = @$moment;
    my $begun = ask("select to_regclass('restarted.ordermill_chunk') is not null") eq 't';
    # The index of this table waits for that, and so does the load.
    my $holder = $begun && Kit::Process->start({env => \%server}, qw(psql -X -q -c),
        'begin; lock table restarted.customer in share update exclusive mode; select pg_sleep(600)');
    wait_until(sub { ask("select count(*) from pg_stat_activity where wait_event = 'PgSleep'") > 0 })
      if $holder;
    my $run = begin_load('-j', 2, '--schema', 'restarted', $begun ? '--resume' : ('-w', 2));
    wait_until(sub { !$run->alive
          || ask("select to_regclass('restarted.ordermill_phase') is not null") eq 't' && $reached->() });
    ok $run->alive, "$phase: the load is at work";
    $own->control('-m', 'fast', 'restart');
    ($exit, $out, $err) = $run->finish;
    is $exit, 4, "$phase: a restart of the server ends it";
    is scalar(() = $err =~ /^ordermill: (?!warning)/mg), 1, '... with one error line';
    like $err, qr/^hint: .*--schema 'restarted' --resume completes it$/m, '... and a hint';
    $holder->finish if $holder;
    is +(ours('check', '--schema', 'restarted'))[0], 5, '... check refuses what is there';
}
($exit, $out, $err) = ours('load', '--resume', '--schema', 'restarted');
is $exit, 0, 'resumed after both' or diag $err;
is checksum('restarted'), $expected, 'the same rows';
is +(ours('check', '--schema', 'restarted'))[0], 0, 'all conditions hold';
is +(ours('drop', '-q', '--schema', 'restarted'))[0], 0, 'dropped';

# ---- a disk that is full ----

SKIP: {
    mkdir $small or die "$small: $!\n";
    my ($refused, undef, $why) =
      run('mount', '-t', 'tmpfs', '-o', "size=60m,mode=0700,uid=$own->{uid},gid=$own->{gid}", 'tmpfs', $small);
    skip "a small disk cannot be mounted here: $why", 1 if $refused != 0;
    $mounted = 1;
    ask("create tablespace small location '$small'");

    my @load = ('load', '-j', 2, '--schema', 'full', '--tablespace', 'small');
    ($exit, $out, $err) = ours(@load, '-w', 2);
    is $exit, 5, 'the disk is full';
    is scalar(() = $err =~ /^ordermill: (?!warning)/mg), 1, 'one error line';
    like $err, qr/^ordermill: warehouse [12], table \w+: .*No space left on device.* \(SQLSTATE 53100\)$/m,
      'that says where and why';
    like $err, qr/^hint: free space on the server's disk, then ordermill load --schema 'full' --resume completes it$/m,
      'and what to do';
    ok wait_until(sub { ask("select count(*) from pg_stat_activity
                              where application_name like 'ordermill%'") == 0 }), 'all loaders have stopped';
    ($exit, $out, $err) = ours('check', '--schema', 'full');
    is $exit, 5, 'what is there is incomplete';
    like $err, qr/schema "full" is unfinished: [01] of 2 warehouses/, 'and called so';
    is ask('select count(*) from "full".ordermill_phase where phase = \'data\''), 0, 'the phase is not recorded';
    ($exit, $out, $err) = ours('load', '--resume', '--schema', 'full');
    is $exit, 5, 'it is full still';

    is +(run('mount', '-o', 'remount,size=1g', $small))[0], 0, 'space is made';
    ($exit, $out, $err) = ours('load', '--resume', '--schema', 'full');
    is $exit, 0, 'resumed' or diag $err;
    is checksum('full'), $expected, 'the same rows';
    is +(ours('check', '--schema', 'full'))[0], 0, 'all conditions hold';
}

done_testing;

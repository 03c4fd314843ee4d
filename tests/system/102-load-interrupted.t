# A load that is killed, interrupted or fails half-way is completed by --resume, and is then what an
# undisturbed one would have been.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use Checksum;
use Holder;
use Kit;
use Test::More;
use Time::HiRes qw(sleep);

my $warehouses = 3;
my $reference = fresh_schema('reference');
is_deeply [(kit('load', '-w', $warehouses, '-q', '--schema', $reference))[0, 2]], [0, ''],
  'undisturbed load';
my $expected = checksums($reference);
my $indexes = psql("select count(*) from pg_indexes where schemaname = '$reference'");
psql("drop schema $reference cascade");

# Killed at moments that depend on nothing but how far it got: before the first row, among the
# rows, after so many chunks, among the indexes, at vacuum. Where the load could be over before it is
# looked at, a lock that it must wait for holds it: COPY does not, but the index of that table does,
# and so does VACUUM.
my $schema = fresh_schema('killed');
my @moments = (
    ['at once', sub { psql("select to_regclass('$schema.ordermill_chunk') is not null") eq 't' }],
    ['among the first rows', sub { psql("select pg_relation_size('$schema.stock') > 0") eq 't' }],
    ['after a chunk', sub { chunks() >= 1 }],
    ['after another chunk', sub { chunks() >= 2 }],
    ['among the later rows', sub { sleep 0.3; 1 }],
    ['among the indexes',
     sub { psql("select count(*) from pg_indexes where schemaname = '$schema'
                   and tablename !~ '^ordermill_'") >= 5 }, 'customer'],
    ['after the indexes',
     sub { psql("select count(*) from $schema.ordermill_phase where phase = 'indexes'") == 1 },
     'history'],
);
sub chunks { return psql("select count(*) from $schema.ordermill_chunk where row_count > 0") }

my $kills = 0;
my @first = ('-w', $warehouses);
for my $moment (@moments) {
    my ($name, $reached, $held) = @$moment;
    my $holder = $held && hold("lock table $schema.$held in share update exclusive mode");
    my $run = in_background('load', @first, '-j', 2, '--schema', $schema);
    wait_until(sub { !$run->alive || $reached->() });
    ok $run->alive, "$name: still at work";
    kill 'KILL', $run->pid;
    my ($exit) = $run->finish;
    release($holder) if $holder;
    is $exit, 137, "$name: killed";
    $kills += $exit == 137;
    @first = ('--resume');
    next if $name eq 'after the indexes';

    my ($check, $out, $err) = kit('check', '--schema', $schema);
    is $check, 5, "$name: check refuses";
    like $err, qr/schema "$schema" is unfinished: [0-3] of 3 warehouses/, "$name: and says why";
    ($check, $out, $err) = kit('run', '-u', 1, '-t', '1s', '--schema', $schema);
    is $check, 5, "$name: run refuses";
    like $err, qr/schema "$schema" is unfinished: [0-3] of 3 warehouses/, "$name: and says why";
    ($check, $out, $err) = kit('load', '-w', $warehouses, '--schema', $schema);
    is $check, 5, "$name: a fresh load refuses";
    like $err, qr/^hint: .*--resume completes it/m, "$name: and hints at --resume";
}
my ($exit, $out, $err) = kit('load', '--resume', '--schema', $schema);
is $exit, 0, 'the last resume completes it' or diag $err;
is_deeply checksums($schema), $expected, "the same rows after $kills kills";
is psql("select count(*) from pg_indexes where schemaname = '$schema'"), $indexes, 'all indexes';
($exit, $out, $err) = kit('check', '--schema', $schema);
is $exit, 0, 'all conditions hold' or diag $err;
is psql("select string_agg(phase, ' ' order by completed_at) from $schema.ordermill_phase"),
  'ddl data indexes procedures analyze check', 'every phase is recorded, in order';

# Interrupted: ends soon, cleanly, and says how to go on.
for my $signal ('INT', 'TERM') {
    $schema = fresh_schema('interrupted');
    my $run = in_background('load', '-w', 20, '--schema', $schema);
    wait_until(sub { psql("select to_regclass('$schema.stock') is not null
                           and pg_relation_size(to_regclass('$schema.stock')) > 0") eq 't' });
    $run->signal($signal);
    ($exit, $out, $err) = $run->finish;
    is $exit, $signal eq 'INT' ? 130 : 143, "SIG$signal: exit status";
    like $err, qr/^hint: what is committed stays; .*--schema '$schema' --resume completes it/m,
      "SIG$signal: says how to go on";
    is $out, '', "SIG$signal: no result";
    ok sessions_ended(), "SIG$signal: no session is left";
}

# A statement that the server is still at is cancelled.
$schema = fresh_schema('locked');
is_deeply [(kit('load', '-w', 1, '-q', '--only', 'ddl', '--schema', $schema))[0, 2]], [0, ''],
  'tables';
my $locker = Kit::Process->start({}, 'psql', '-X', '-q', '-c',
    "begin; lock table $schema.stock, $schema.item; select pg_sleep(600)");
wait_until(sub { psql("select count(*) from pg_locks where relation = '$schema.item'::regclass
                       and mode = 'AccessExclusiveLock'") > 0 });
my $run = in_background('load', '--resume', '--schema', $schema);
wait_until(sub { psql("select count(*) from pg_stat_activity where application_name like
                       'ordermill%' and wait_event_type = 'Lock'") > 0 });
$run->signal('INT');
($exit) = $run->finish;
is $exit, 130, 'interrupted while it waits for a lock';
ok sessions_ended(), '... and no session is left';

# So is one of drop and of --replace.
for my $command (['drop'], ['load', '-w', 1, '--replace']) {
    $run = in_background(@$command, '--schema', $schema);
    wait_until(sub { psql("select count(*) from pg_stat_activity where application_name like
                           'ordermill%' and wait_event_type = 'Lock'") > 0 });
    $run->signal('INT');
    is +($run->finish)[0], 130, "@$command interrupted while it waits for a lock";
    ok sessions_ended(), '... and no session is left';
}
psql("select pg_terminate_backend(pid) from pg_locks
       where relation = '$schema.item'::regclass and granted");
$locker->finish;

# A failure of the server: all loaders stop, one error line, and resume completes it.
my $trigger = "create function $schema.fill() returns trigger language plpgsql as
    \$\$ begin if new.s_i_id = 50000 then raise exception using errcode = '53100',
    message = 'could not extend file: No space left on device'; end if; return new; end \$\$;
    create trigger fill before insert on $schema.stock for each row execute function $schema.fill()";
psql($trigger);
($exit, $out, $err) = kit('load', '--resume', '-j', 2, '--schema', $schema);
is $exit, 5, 'no space on the server';
is scalar(() = $err =~ /^ordermill: /mg), 1, 'one error line';
like $err, qr/^ordermill: warehouse 1, table stock: .*No space left on device/m, 'that names it';
like $err, qr/^hint: free space on the server's disk, then .*--resume/m, 'and a hint';
is psql("select count(*) from $schema.ordermill_chunk where warehouse = 1"), 0,
  'the chunk is not recorded';
psql("drop trigger fill on $schema.stock; drop function $schema.fill()");

# The server ends the sessions, all that are in the middle of a COPY to that table. A row that takes
# its time keeps one there until it is found.
psql("create function $schema.linger() returns trigger language plpgsql as
    \$\$ begin if new.s_i_id = 50000 then perform pg_sleep(60); end if; return new; end \$\$;
    create trigger linger before insert on $schema.stock for each row execute function $schema.linger()");
$run = in_background('load', '--resume', '--schema', $schema);
ok wait_until(sub { psql("select count(*) filter (where pg_terminate_backend(pid))
                            from pg_stat_progress_copy join pg_stat_activity using (pid)
                           where relid = '$schema.stock'::regclass
                             and application_name like 'ordermill%'") > 0 }),
  'a session in the middle of a COPY is ended';
($exit, $out, $err) = $run->finish;
is $exit, 4, 'sessions ended by the server';
is scalar(() = $err =~ /^ordermill: /mg), 1, 'one error line';
psql("drop trigger linger on $schema.stock; drop function $schema.linger()");
($exit, $out, $err) = kit('load', '--resume', '--schema', $schema);
is $exit, 0, 'resumed after both' or diag $err;
is_deeply checksums($schema), {map { $_ => $expected->{$_} } grep { / [01]$/ } keys %$expected},
  'the same rows';

# Two loaders at the same schema help each other.
$schema = fresh_schema('two');
is_deeply [(kit('load', '-w', 2, '-q', '--only', 'ddl', '--schema', $schema))[0, 2]], [0, ''],
  'tables';
my @both = map { in_background('load', '--only', 'data', '-j', 2, '--schema', $schema) } 1 .. 2;
my @exits = map { ($_->finish)[0] } @both;
is_deeply \@exits, [0, 0], 'two loaders at once';
is_deeply checksums($schema), {map { $_ => $expected->{$_} } grep { / [012]$/ } keys %$expected},
  'each chunk once';

# A server that takes no writes is named before anything is done.
psql('create role readonly login superuser; alter role readonly set default_transaction_read_only = on');
for my $command (['load', '-w', 1], ['load', '--resume'], ['drop']) {
    ($exit, $out, $err) = kit({env => {PGUSER => 'readonly'}}, @$command, '--schema', $schema);
    is $exit, 5, "@$command on a read-only server";
    like $err, qr/^ordermill: the server is read-only: default_transaction_read_only is on$/m,
      '... says so';
}
psql('drop role readonly');

done_testing;

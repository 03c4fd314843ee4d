# What the server limits while a level runs: how long statements may take, and what its disks hold, of
# the data and of the log; and the scale at which nothing can be remote.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use Holder;
use Kit;
use Loaded;
use OwnServer;
use Test::More;

# ---- how long statements may take ----

my $schema = loaded_schema(2);
my $role   = "hurried_$$";
psql("create role $role login; grant usage on schema $schema to $role;
      grant all on all tables in schema $schema to $role;
      alter role $role set statement_timeout = '150ms'");
sessions_ended();
my $run = in_background({env => {PGUSER => $role}}, 'run', '--schema', $schema, '--json', '-u', 4,
    '-t', '3s', '--ramp-up', '0s', '--mix', '50,46,4,0,0', '--keep-going');
orders_placed($schema, 10);
my $holder = hold("select 1 from $schema.district for update");
wait_until(sub { psql("select count(*) from pg_stat_activity where usename = '$role'
                        and wait_event_type = 'Lock'") == 0 }, 2);
release($holder);
my ($exit, $json, $err) = result_of($run);
my %failed = map { $_ => $json->{transactions}{$_}{failed} } keys %{$json->{transactions}};
cmp_ok $failed{new_order} + $failed{payment}, '>', 0, 'what takes too long fails' or diag $err;
is $json->{errors}{57014}, $failed{new_order} + $failed{payment}, '... counted by type and by its SQLSTATE';
is $failed{order_status}, 0, '... and what waits for nothing does not';
is $json->{verdicts}{consistency}, 'PASS', '... and leaves nothing behind';

my $profile = folder() . '/hurried.xml';
spew($profile, qq(<profile name="hurried" version="1"><connection schema="$schema"/>)
      . '<ladder virtual-users="1"/><timing ramp-up="0" measure="1s"/></profile>');
($exit, undef, $err) = kit({env => {PGUSER => $role}}, 'autopilot', $profile, '-o', folder() . '/hurried');
is $exit, 0, 'a profile of that role' or diag $err;
like slurp(folder() . '/hurried/report.txt'), qr/^statement_timeout +150ms$/m, '... discloses the limit';
psql("drop owned by $role; drop role $role");

# ---- one warehouse ----

my $own = OwnServer->start(
    settings => "listen_addresses = ''\nmin_wal_size = '32MB'\nmax_wal_size = '32MB'\n");
my %server = (PGHOST => $own->folder, PGPORT => 5432, PGUSER => 'own', PGDATABASE => 'postgres');
my %there  = (env => \%server);
sub ask  { my ($sql) = @_; return psql($sql, %there) }
sub ours { my @arguments = @_; return kit({%there}, @arguments) }

is +(ours('load', '-q', '-w', 1))[0], 0, 'one warehouse';
($exit, $json, $err) = run_json('ordermill', {%there}, '-u', 2, '-t', '2s');
is $exit, 0, 'a run on it' or diag $err;
cmp_ok $json->{inputs}{order_lines}, '>', 0, 'orders have lines';
is $json->{inputs}{remote_lines} + $json->{inputs}{payments_remote}, 0, '... none of them remote, nor a payment';
is ask('select sum(s_remote_cnt) from ordermill.stock'), 0, '... as the database says too';
spew($profile, '<profile name="one" version="1"><scale warehouses="1"/>'
      . '<ladder virtual-users="1"/><timing ramp-up="0" measure="1s"/></profile>');
($exit, undef, $err) = ours('autopilot', $profile, '-o', folder() . '/one');
is $exit, 0, 'a profile on it' or diag $err;
is +(ours('report', folder() . '/one', '--format', 'csv'))[0], 0, '... as tables';
is scalar(() = slurp(folder() . '/one/csv/inputs.csv') =~ /^"?remote (?:order lines|payments)\b.*one warehouse: nothing can be remote/mg),
  2, '... says that nothing can be remote';

# ---- disks that are full ----

my %mounted;

sub mount_small {
    my ($name, $size) = @_;
    my $path = $own->folder . "/$name";
    mkdir $path or die "$path: $!\n";
    my ($refused, undef, $why) = run('mount', '-t', 'tmpfs', '-o',
        "size=$size,mode=0700,uid=$own->{uid},gid=$own->{gid}", 'tmpfs', $path);
    skip "a small disk cannot be mounted here: $why", 1 if $refused != 0;
    $mounted{$path} = 1;
    return $path;
}

# All but so much of it.
sub fill {
    my ($path, $left) = @_;
    my $free = (run('df', '--output=avail', '-B1', $path))[1] =~ s/\D//gr;
    run('fallocate', '-l', $free - $left, "$path/filler");
    return;
}

END {
    my $status = $?;
    $own->stop if $own;
    run('umount', $_) for keys %mounted;
    $? = $status;
}

SKIP: {
    my $small = mount_small('small', '16m');
    ask("create tablespace small location '$small'");
    ask('alter table ordermill.history set tablespace small');
    fill($small, 200_000);
    ($exit, $json, $err) = run_json('ordermill', {%there}, '-u', 2, '-t', '60s', '--mix', '0,100,0,0,0');
    is $exit, 1, 'the disk of the data fills up' or diag $err;
    cmp_ok $json->{errors}{53100}, '>', 0, '... which is counted';
    is $json->{errors}{53100}, $json->{transactions}{payment}{failed}, '... as what has failed';
    cmp_ok $json->{transactions}{payment}{committed}, '>', 0, '... beside what was committed before';
    cmp_ok $json->{elapsed_s}, '<', 60, '... and ends the level';
    is $json->{verdicts}{errors}, 'FAIL', '... by its verdict';
    is $json->{verdicts}{consistency}, 'PASS', 'what failed has left nothing behind';
    unlink "$small/filler";
    is +(ours('check'))[0], 0, 'all conditions hold';
    is +(run_json('ordermill', {%there}, '-u', 1, '-t', '1s', '--mix', '0,100,0,0,0'))[0], 0, 'and it goes on';
}

# The server cannot go on without its log: it ends, and does not come back by itself.
SKIP: {
    $own->control('-m', 'fast', 'stop');
    my $log = mount_small('log_of_changes', '100m');
    my $data = $own->folder . '/data';
    run('sh', '-c', "cp -a '$data'/pg_wal/. '$log'/ && rm -r '$data/pg_wal' && ln -s '$log' '$data/pg_wal'");
    $own->control('start');
    fill($log, 20_000_000);
    ($exit, $json, $err) = run_json('ordermill', {%there}, '-u', 2, '-t', '60s', '--reconnect', '2s');
    is $exit, 1, 'the disk of the log fills up' or diag $err;
    is $json->{status}, 'failed', '... and the level fails';
    cmp_ok $json->{virtual_users_lost}, '>', 0, '... its virtual users are lost';
    cmp_ok $json->{transactions}{new_order}{committed}, '>', 0, '... what was committed before stays counted';
    cmp_ok $json->{elapsed_s}, '<', 60, '... and it has ended before its time';
    unlink "$log/filler";
    eval { $own->control('-m', 'immediate', 'stop') };
    $own->control('start');
    is +(ours('check'))[0], 0, 'when there is space again, all conditions hold';
}

done_testing;

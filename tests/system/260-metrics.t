# What is seen beside the load: on the driver's host, on the server, and on its host where that is
# another machine, which a pooler stands for here: its process numbers are none of this machine's.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use JSON::PP ();
use Kit;
use Loaded;
use Test::More;

my $schema = loaded_schema(2);

# The metrics of a run by source, name and instance.
sub by_name {
    my ($json) = @_;
    return {map { ("$_->{source} $_->{name} $_->{instance}" => $_) } @{$json->{metrics}{all}}};
}

my ($exit, $json, $err) = run_json($schema, '-u', 2, '-t', '6s', '--ramp-up', '1s');
is $exit, 0, 'a level with metrics' or diag $err;
my $of = by_name($json);
my $short = $json->{metrics};

cmp_ok $of->{'driver_host cpu_busy all'}{mean}, '>', 0, 'the host is busy';
cmp_ok $of->{'driver_host cpu_busy all'}{max}, '<=', 100, 'and no more than that';
my ($all, $sum, $cores) = ($of->{'driver_host cpu_user all'}{total}, 0, 0);
for (grep { /^driver_host cpu_user cpu/ } keys %$of) { $sum += $of->{$_}{total}; $cores++ }
chomp(my $online = qx(nproc --all));
is $cores, $online, 'every processor has figures';
cmp_ok abs($all - $sum), '<=', $cores, 'which add up';
cmp_ok $of->{'driver_host memory_available '}{min}, '>', 1e6, 'memory';
is $of->{'server_host cpu_busy '}{missing}, "the server is on the driver's host", 'one host';

# Counters of the server against the driver's own: sessions tell the server at most once a second,
# so that of six seconds one may be missing at either end.
my $ended = 0;
for my $type (values %{$json->{transactions}}) {
    $ended += $type->{$_} for qw(committed rolled_back);
}
my $commits = $of->{'server commits '}{total} + $of->{'server rollbacks '}{total};
cmp_ok abs($commits / $ended - 1), '<', 0.6, "the server counted $commits, the driver $ended";
cmp_ok $short->{wal_bytes_per_new_order}, '>', 1000, 'a new-order writes to the log';
cmp_ok $short->{wal_bytes_per_new_order}, '<', 100_000, 'and no book';
cmp_ok $short->{hit_ratio_percent}, '>', 50, 'hit ratio';
cmp_ok $short->{hit_ratio_percent}, '<=', 100, 'of a hundred';
cmp_ok $short->{active_sessions}, '<=', 2.01, 'no more sessions at work than virtual users';
my $shares = 0;
$shares += $_->{share} for @{$short->{waits}};
cmp_ok $shares, '<=', 1.001, 'shares of one time';
cmp_ok $of->{'server table_updates district'}{total}, '>', 0, 'tables';
ok !exists $of->{'server table_live_rows ordermill_build'}, 'not those of the bookkeeping';
cmp_ok $of->{'server database_size '}{mean}, '>', 1e8, 'size';
is $of->{'server sessions hidden'}{mean}, 0, 'nothing is hidden from a superuser';
cmp_ok $of->{'sampler cpu driver'}{mean}, '>', 0, 'looking costs something here';
ok exists $of->{'sampler cpu server'}, 'and on the server';
ok sessions_ended(), 'no session is left';

($exit, my $out, $err) = kit('run', '--schema', $schema, '-t', '2s', '--ramp-up', '0s');
my $unfolded = $out =~ s/\n {14}/ /gr; # how many kinds there are decides where lines end
like $unfolded, qr/^waits +\S+ [\d.]+ %.* of the time of [\d.]+ active sessions$/m, 'waits as text';
like $out, qr/^server +[\d.]+ k?B of WAL for each new-order, /m, 'the server as text';
like $out, qr/^hosts +the driver's processors [\d.]+ % busy/m, 'hosts as text';
like $out, qr/^sampler +looking took [\d.]+ % of a core/m, 'its own cost as text';

# ---- what the server did of its own accord inside the window ----

my $level;

# By the server's own count before and after; a run that ended just outside may be in one alone.
sub counts {
    return split /\|/, psql("select (select sum(autovacuum_count) from pg_stat_user_tables
          where schemaname = '$schema' and relname not like 'ordermill%'),
        (select checkpoints_timed + checkpoints_req from pg_stat_bgwriter)");
}
SKIP: {
    skip 'checkpoints are counted elsewhere from 17 on', 4 if psql('show server_version_num') >= 170_000;
    skip 'the role may not set what makes autovacuum run', 4
      if psql('select rolsuper from pg_roles where rolname = current_user') ne 't';
    psql("alter table $schema.district set (autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0)");
    psql(q{alter system set autovacuum_naptime = '1s'});
    psql('select pg_reload_conf()');
    my @before = counts();
    $level = in_background('run', '--schema', $schema, '-t', '12s', '--ramp-up', '1s', '--json', '-q');
    ok wait_until(sub { psql("select count(*) from pg_stat_activity
                               where application_name = 'ordermill metrics'") == 1 }), 'a level with a view';
    sleep 4;
    psql('checkpoint');
    ($exit, $out, $err) = $level->finish;
    $json = JSON::PP::decode_json($out);
    psql("alter table $schema.district reset (autovacuum_vacuum_threshold, autovacuum_vacuum_scale_factor)");
    psql('alter system reset autovacuum_naptime');
    psql('select pg_reload_conf()');
    my @after = counts();
    my ($vacuums, $checkpoints) = map { $after[$_] - $before[$_] } 0, 1;
    cmp_ok $json->{steady}{autovacuums}, '>', 0, "autovacuum runs in the window, of $vacuums";
    cmp_ok $json->{steady}{autovacuums}, '<=', $vacuums, 'no more than there were';
    is $json->{steady}{checkpoints}, $checkpoints, 'checkpoints';
}

# ---- not at all, and how often ----

$level = in_background('run', '--schema', $schema, '-t', '60s', '--metrics', '0s');
ok wait_until(sub { psql("select count(*) from pg_stat_activity
                           where application_name = 'ordermill run'") == 1 }), 'a level runs';
is psql("select count(*) from pg_stat_activity where application_name = 'ordermill metrics'"), 0,
  'and nobody looks';
$level->signal('INT');
$level->finish;
($exit, $json, $err) = run_json($schema, '-t', '1s', '--ramp-up', '0s', '--metrics', '0s');
is_deeply $json->{metrics}{all}, [], 'no metrics';
is $json->{metrics}{wal_bytes_per_new_order}, undef, 'which are not known, then';
($exit, $out, $err) = kit('run', '--schema', $schema, '--metrics', '50ms');
is $exit, 2, 'too often';
is $err, qq(ordermill: metrics: "50ms" is below 100ms\nhint: 0s looks at nothing\n),
  'is refused';

# ---- a role that sees only a part, and another machine ----

my $role = "metrics_$$";
psql("create role $role login;
      grant usage on schema $schema to $role;
      grant select, insert, update, delete on all tables in schema $schema to $role;
      grant execute on all functions in schema $schema to $role");
my $folder = folder();
my $owner = $> == 0 ? getpwuid((stat "$ENV{PGHOST}/.s.PGSQL.$ENV{PGPORT}")[4]) : undef;
chown +(getpwnam $owner)[2, 3], $folder if defined $owner;
spew("$folder/pooler.ini", <<"END");
[databases]
* = host=$ENV{PGHOST} port=$ENV{PGPORT}
[pgbouncer]
unix_socket_dir = $folder
listen_port = 6432
auth_type = trust
auth_file = $folder/users
pool_mode = session
ignore_startup_parameters = extra_float_digits, options
END
spew("$folder/users", qq("$role" ""\n"$ENV{PGUSER}" ""\n));
chmod 0644, "$folder/pooler.ini", "$folder/users";
my $pooler = Kit::Process->start({env => {PATH => "$ENV{PATH}:/usr/sbin"}}, 'pgbouncer', '-q',
    (defined $owner ? ('-u', $owner) : ()), "$folder/pooler.ini");
ok wait_until(sub { -S "$folder/.s.PGSQL.6432" }), 'the pooler listens';
my @there = ('-h', $folder, '-p', 6432, '-d', $ENV{PGDATABASE}, '-t', '2s', '--ramp-up', '0s');

my $stranger = Kit::Process->start({}, 'psql', '-X', '-q', '-c', 'select pg_sleep(600)');
($exit, $json, $err) = run_json($schema, @there, '-U', $role);
is $exit, 0, 'a role without rights' or diag $err;
$of = by_name($json);
cmp_ok $of->{'server sessions hidden'}{mean}, '>=', 1, 'what it may not see is counted as hidden';
is $of->{'server sessions other active'}{mean}, 0, 'and not as anything else';
cmp_ok $of->{'server commits '}{total}, '>', 0, 'what it may see has figures';
ok((grep { /^server wait / && $of->{$_}{mean} } keys %$of) > 0, 'its own sessions are seen');
is $of->{'server wal_directory_size '}{missing}, 'permission denied for function pg_ls_waldir',
  'one missing right takes one metric';
is $of->{'server_host cpu_busy '}{missing},
  "permission denied for function pg_read_file; it takes GRANT pg_read_server_files TO \"$role\","
  . " and GRANT EXECUTE ON FUNCTION pg_read_file(text) TO \"$role\"", 'and which grants it takes';
is $of->{'server_host memory_available '}{missing}, 'not available, for the reason of cpu_busy',
  'one reason is enough';
$stranger->signal('KILL');
$stranger->finish;

psql("grant pg_read_server_files to $role; grant execute on function pg_read_file(text) to $role");
($exit, $json, $err) = run_json($schema, @there, '-U', $role);
$of = by_name($json);
cmp_ok $of->{'server_host cpu_busy all'}{mean}, '>', 0, 'those grants let the host be seen';
cmp_ok $of->{'server_host memory_available '}{mean}, '>', 1e6, 'all of it';
ok exists $of->{'server_host cpu_user cpu0'}{mean}, 'down to the processors';
ok((grep { /^server_host (?:cpu_frequency|cpu_governor|energy) / } keys %$of) >= 3,
    'frequency, governor and energy, or why there are none');
($exit, $out, $err) = kit('run', '--schema', $schema, @there, '-U', $role);
like $out, qr/the\s+server's\s+processors [\d.]+ % busy/, 'as text';

# The doctor looks at that host too, with those grants alone.
($exit, $out, $err) = kit('doctor', '--json', '--schema', $schema, @there[0 .. 5], '-U', $role);
my %facts = map { ("$_->{group} $_->{name}" => $_->{value}) } @{JSON::PP::decode_json($out)->{facts}};
like $facts{'server host: processors'}, qr/^\d+ of \d+ online/, 'the doctor sees it';
like $facts{'server large answers come at'}, qr/ [kMG]?B\/s$/, 'and how fast the way there is';
psql("revoke pg_read_server_files from $role; revoke execute on function pg_read_file(text) from $role");
($exit, $out, $err) = kit('doctor', '--json', '--schema', $schema, @there[0 .. 5], '-U', $role);
my @names = map { "$_->{group} $_->{name}" } @{JSON::PP::decode_json($out)->{facts}};
is((grep { $_ eq 'server host: processors' } @names), 0, 'without them it does not');
ok((grep { $_ eq 'server host: speed of one core' } @names), 'but for its speed');

$pooler->signal('INT');
$pooler->finish;
psql("drop owned by $role; drop role $role");

done_testing;

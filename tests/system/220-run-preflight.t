# What would fail in every virtual user fails before the first one, with one clear line.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Test::More;
use Kit;
use Loaded;

my $schema = loaded_schema(2);
my @short = ('-t', '1s', '--ramp-up', '0s');

sub refuses {
    my ($what, $status, $message, $options, @args) = @_;
    my ($exit, $out, $err) = kit($options, 'run', '--schema', $schema, @short, @args);
    is("$exit|$out", "$status|", $what);
    like($err, $message, 'one clear line') or diag $err;
    return;
}

refuses('a missing schema', 5, qr/\Aordermill: .*"no such".*\nhint: .+\n\z/, {}, '--schema', 'no such');
refuses('an empty schema', 5, qr/\Aordermill: .*"public".*\nhint: .+\n\z/, {}, '--schema', 'public');
refuses('a read-only server', 5, qr/\Aordermill: .*read-only.*\n/,
    {env => {PGOPTIONS => '-c default_transaction_read_only=on'}});
my $reader = "reader_$$";
psql("create role $reader login; grant usage on schema $schema to $reader;"
      . "grant select on all tables in schema $schema to $reader");
refuses('a role that may only read', 5,
    qr/\Aordermill: role "$reader" has no UPDATE right on table "\w+" of schema "$schema"\nhint: .+\n\z/,
    {env => {PGUSER => $reader}});
my ($may, undef, $refused) = kit({env => {PGUSER => $reader}}, 'run', '--schema', $schema, @short,
    '--mix', 'read-only');
is($may, 0, 'may run what only reads') or diag $refused;
psql("drop owned by $reader; drop role $reader");

# Whoever may use all tables may still not be let to call what uses them.
my $writer = "writer_$$";
psql("create role $writer login; grant usage on schema $schema to $writer;"
      . "grant all on all tables in schema $schema to $writer;"
      . "revoke execute on all routines in schema $schema from public;"
      . "grant execute on all routines in schema $schema to $writer;"
      . "revoke execute on procedure $schema.call_payment from $writer;"
      . "revoke execute on function $schema.delivery from $writer");
for my $case (['functions', 'function "delivery"'], ['procedures', 'procedure "call_payment"']) {
    my ($call, $routine) = @$case;
    refuses("a role that may not call $call", 5,
        qr/\Aordermill: role "$writer" has no EXECUTE right on $routine of schema "$schema"\nhint: .*all routines.*\n\z/,
        {env => {PGUSER => $writer}}, '--call', $call);
}
for my $case (['functions', '50,50,0,0,0'], ['statements', 'standard']) {
    my ($call, $mix) = @$case;
    my ($status, undef, $says) = kit({env => {PGUSER => $writer}}, 'run', '--schema', $schema, @short,
        '--call', $call, '--mix', $mix);
    is($status, 0, "$call, $mix: what is not called needs no right") or diag $says;
}
psql("grant execute on all routines in schema $schema to public; drop owned by $writer; drop role $writer");
refuses('more virtual users than connections', 5,
    qr/\Aordermill: 10000 virtual users need as many connections, but the server has only \d+ free for this role \(max_connections \d+\)\nhint: .+\n\z/,
    {}, '-u', 10000);
refuses('an unreachable server', 4, qr/\Aordermill: .*nowhere/, {env => {PGHOST => '/nowhere'}});

# ---- descriptors of this process ----

my ($exit, $out, $err) =
  run('sh', '-c', 'ulimit -n 300; exec "$0" run -u 250', $ENV{ORDERMILL});
is("$exit|$out", '7|', 'more virtual users than file descriptors');
like($err, qr/\Aordermill: 250 virtual users need \d+ file descriptors, but .* only 300\nhint: .+\n\z/,
    'one clear line');

# ---- the limit of a role ----

my $role = "limited_$$";
psql("create role $role login connection limit 3; grant usage on schema $schema to $role;"
      . "grant all on all tables in schema $schema to $role");
refuses('more virtual users than the role may have', 5,
    qr/4 virtual users .* only 2 free .*CONNECTION LIMIT 3 of the role/,
    {env => {PGUSER => $role}}, '-u', 4);
($exit, $out, $err) = kit({env => {PGUSER => $role}}, 'run', '--schema', $schema, @short, '-u', 2);
is($exit, 0, 'as many as it may') or diag "$out$err";
psql("drop owned by $role; drop role $role");

# ---- connections that go away between the look and the need ----

my $thief = "thief_$$";
psql("create role $thief login; grant usage on schema $schema to $thief;"
      . "grant all on all tables in schema $schema to $thief;"
      . "alter role $thief set statement_timeout = 0");
# The limit has to fall between the look and the need; where the look was slower, once more.
for my $try (1 .. 5) {
    psql("alter role $thief connection limit -1");
    my $run = in_background({env => {PGUSER => $thief, PGOPTIONS => '-c post_auth_delay=1'}},
        'run', '--schema', $schema, @short, '-u', 20, '--threads', 1);
    wait_until(sub { psql("select count(*) from pg_stat_activity where usename = '$thief'") > 0 })
      or diag 'no run has begun';
    psql("alter role $thief connection limit 2");
    ($exit, $out, $err) = $run->finish;
    last if $err !~ /CONNECTION LIMIT 2/;
}
is("$exit|$out", '4|', 'a virtual user that cannot connect ends the level');
like($err, qr/^ordermill: only \d+ of 20 virtual users could begin: .*too many connections for role/m,
    'and is not silently left out');
ok(sessions_ended("usename = '$thief'"), 'no session is left');
psql("drop owned by $thief; drop role $thief");

# ---- procedures ----

psql("delete from $schema.ordermill_phase where phase = 'procedures'");
refuses('missing procedures', 5, qr/\Aordermill: .*procedures.*\nhint: .*--only procedures/, {});
($exit) = kit('load', '--schema', $schema, '--only', 'procedures');
is($exit, 0, 'which the hint puts right');

done_testing;

# Plain statements in a pipeline: levels on a schema without any procedure, and what ends a transaction
# in the middle of a round trip.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use Holder;
use Kit;
use Loaded;
use Small;
use Test::More;

my $schema = fresh_schema('statements');
my ($exit, undef, $err) = kit('load', '-w', 2, '--schema', $schema);
is $exit, 0, 'two warehouses are loaded' or diag $err;
psql("set client_min_messages = error;" . source_sql($schema, 'procedures/drop.sql')
      . in_schema($schema, "delete from ordermill.ordermill_phase where phase = 'procedures'"));

sub sql { return psql(in_schema($schema, $_[0])) }

sub level {
    my (@args) = @_;
    return run_json($schema, '--call', 'statements', '-u', 4, '-t', '1s', @args);
}

sub conditions_hold {
    my ($after) = @_;
    my ($status, $out, $said) = kit('check', '--schema', $schema);
    is $status, 0, "all conditions hold after $after" or diag "$out$said";
    return;
}

# ---- levels ----

my $json;
for my $protocol (qw(prepared extended)) {
    ($exit, $json, $err) = level('--protocol', $protocol, '--verify', 'full', '-t', '2s');
    is $exit, 0, "$protocol: a sound level without procedures" or diag $err;
    is "@$json{qw(call protocol procedures)}", "statements $protocol none", "$protocol: says so";
    is $json->{verdicts}{consistency}, 'PASS', "$protocol: counted right";
    is_deeply $json->{errors}, {}, "$protocol: no errors";
}
($exit, $json, $err) = level('-u', 8, '-t', '3s', '--isolation', 'serializable', '--verify', 'full');
cmp_ok $json->{errors}{40001}, '>', 0, 'serialization failures are counted' or diag $err;
is $json->{verdicts}{consistency}, 'PASS', 'and what was retried is counted once';
my ($retries, $failed) = (0, 0);
$retries += $_->{retries}, $failed += $_->{failed} for values %{$json->{transactions}};
is $json->{errors}{40001} + ($json->{errors}{'40P01'} // 0), $retries + $failed,
  'each is a retry, or the failure after the last try';

my ($functions, undef, $said) = kit('run', '--schema', $schema, '-t', '1s');
is $functions, 5, 'functions would have to be there';
like $said, qr/has no procedures\nhint: /, 'which is said';
for my $case (['--protocol', 'simple', qr/\Aordermill: plain statements go in pipelines, which the simple protocol does not have\nhint: .*prepared or extended\n\z/],
    ['--procedures', 'classic', qr/\Aordermill: the classic procedures are not called where plain statements are sent \(--call statements\)\n\z/]) {
    my ($option, $value, $message) = @$case;
    my ($status, $out, $says) = kit('run', '--schema', $schema, '--call', 'statements', $option, $value);
    is "$status|$out", '2|', "$option $value is refused";
    like $says, $message, 'with one clear line';
}

# ---- errors in the middle of a round trip ----

sub breaks {
    my ($when, $table, $sqlstate, $constraint) = @_;
    sql("create function ordermill.refuse() returns trigger language plpgsql as \$\$
        begin raise exception 'not today' using errcode = '$sqlstate'; end \$\$;
        create $constraint trigger refuse after insert on ordermill.$table "
          . ($constraint ? 'deferrable initially deferred ' : '')
          . 'for each row execute function ordermill.refuse()');
    my ($status, $result, $says) = level('-u', 2, '--verify', 'full');
    sql('drop function ordermill.refuse cascade');
    is $status, 1, "$when: the level fails" or diag $says;
    my ($ended) = grep { $_->{failed} > 0 } values %{$result->{transactions}};
    is $ended->{failed}, $result->{errors}{$sqlstate}, "$when: counted by its SQLSTATE";
    is $ended->{committed}, 0, "$when: none of that type is counted as committed";
    is $result->{verdicts}{consistency}, 'PASS', "$when: nor is any in the database";
    is $result->{error_messages}{$sqlstate} // 'not today', 'not today', "$when: in the server's words";
    my @others = grep { $_->{committed} > 0 } values %{$result->{transactions}};
    cmp_ok scalar @others, '>=', 2, "$when: the sessions go on with the others";
    return;
}

breaks('in the middle', 'history', 'XX001', '');
breaks('at COMMIT', 'orders', 'XX002', 'constraint');
conditions_hold('errors in the middle');

# ---- a deadlock with somebody else: its victim tries again ----

my $run = in_background('run', '--schema', $schema, '--json', '--call', 'statements', '--ramp-up', '0s',
    '-u', 2, '-t', '5s', '--mix', '0,100,0,0,0');
ok wait_until(sub { sessions_of('run') == 2 }), 'two virtual users run';
sql("set deadlock_timeout = '60s'; begin;
    select count(*) from (select 1 from ordermill.customer where c_w_id = 1 for update) as held;
    select pg_sleep(0.3);
    update ordermill.warehouse set w_ytd = w_ytd where w_id = 1; rollback");
($exit, my $out, $err) = $run->finish;
$json = JSON::PP::decode_json($out);
cmp_ok $json->{errors}{'40P01'}, '>', 0, 'a deadlock is counted' or diag $err;
cmp_ok $json->{transactions}{payment}{retries}, '>', 0, 'and its victim tried again';
is $json->{transactions}{payment}{failed}, 0, 'with success';
is $json->{verdicts}{consistency}, 'PASS', 'once';

# ---- connections that go while a payment waits for its warehouse ----

my $holder = hold(in_schema($schema, 'update ordermill.warehouse set w_ytd = w_ytd'));
$run = in_background('run', '--schema', $schema, '--json', '--call', 'statements', '--ramp-up', '0s',
    '-u', 2, '-t', '3s', '--mix', '0,100,0,0,0', '--reconnect', '0s');
my $waiting = "select pid from pg_stat_activity where application_name = 'ordermill run'
    and wait_event_type = 'Lock'";
ok wait_until(sub { psql("select count(*) from ($waiting) as w") == 2 }), 'two payments wait';
psql("select pg_terminate_backend(pid) from ($waiting) as w");
($exit, $out, $err) = $run->finish;
release($holder);
$json = JSON::PP::decode_json($out);
is $json->{transactions}{payment}{lost}, 2, 'their COMMIT was on its way: lost' or diag "$out$err";
is $json->{verdicts}{consistency}, 'PASS', 'which the count allows for';
is $json->{growth}{payments}{uncertain}, 2, 'as uncertain';
conditions_hold('lost connections');

done_testing;

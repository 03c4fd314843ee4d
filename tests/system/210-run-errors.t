# What goes wrong while a level runs: it is counted, labelled, bounded, and the data stay sound.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Holder;
use Test::More;
use Kit;
use Loaded;

my $schema = loaded_schema(2);

sub conditions_hold {
    my ($after) = @_;
    my ($exit, $out, $err) = kit('check', '--schema', $schema);
    is($exit, 0, "all conditions hold after $after") or diag "$out$err";
    return;
}

sub in_background_json {
    my (@args) = @_;
    sessions_ended();
    return in_background('run', '--schema', $schema, '--json', '--ramp-up', '0s', @args);
}

# Waits until so many virtual users run transactions.
sub wait_for_sessions {
    my ($count) = @_;
    ok(wait_until(sub { sessions_of('run') == $count }), "$count virtual users run");
    return;
}

# ---- serialization failures ----

my ($exit, $json, $err) =
  run_json($schema, '-u', 8, '-t', '3s', '--isolation', 'serializable');
is($json->{isolation}, 'serializable', 'the level asked for is the level confirmed') or diag $err;
cmp_ok($json->{errors}{40001}, '>', 0, 'serialization failures are counted');
my ($retries, $failed) = (0, 0);
for my $type (values %{$json->{transactions}}) {
    $retries += $type->{retries};
    $failed += $type->{failed};
}
cmp_ok($retries, '>', 0, 'and retried');
is($json->{errors}{40001} + ($json->{errors}{'40P01'} // 0), $retries + $failed,
    'each is a retry, or the failure after the last try');
is($json->{verdicts}{consistency}, 'PASS', 'the count of new-orders is exact');
conditions_hold('serialization failures');

# ---- a deadlock: a payment holds its warehouse and waits for a customer; we hold him and want
# the warehouse. Whoever has waited longer gives way, so we wait longer than the test lasts. ----

my $run = in_background_json('-u', 2, '-t', '5s', '--mix', '0,100,0,0,0');
wait_for_sessions(2);
psql(<<"SQL");
set deadlock_timeout = '60s';
begin;
select count(*) from (select 1 from $schema.customer where c_w_id = 1 for update) as held;
select pg_sleep(0.3);
update $schema.warehouse set w_ytd = w_ytd where w_id = 1;
rollback;
SQL
($exit, $json, $err) = result_of($run);
is($exit, 0, 'a level with a deadlock passes') or diag $err;
cmp_ok($json->{errors}{'40P01'}, '>', 0, 'the deadlock is counted');
cmp_ok($json->{transactions}{payment}{retries}, '>', 0, 'and its victim tried again');
is($json->{transactions}{payment}{failed}, 0, 'with success');

# ---- a lock held for seconds ----

$run = in_background_json('-u', 2, '-t', '6s', '--mix', '0,100,0,0,0');
wait_for_sessions(2);
psql("begin; update $schema.warehouse set w_ytd = w_ytd; select pg_sleep(2); rollback;");
($exit, $json) = result_of($run);
is($exit, 0, 'a level with a long wait passes');
cmp_ok($json->{transactions}{payment}{response_us}{max}, '>=', 1_900_000, 'its maximum is the wait');

# ---- a lock held beyond the end ----

my $holder = hold("update $schema.warehouse set w_ytd = w_ytd");
($exit, $json, $err) = run_json($schema, '-u', 3, '-t', '1s', '--mix', '0,100,0,0,0');
is($json->{unfinished}, 3, 'what ran beyond the window is listed') or diag $err;
is($json->{transactions}{payment}{committed}, 0, 'and not counted');
is($json->{verdicts}{errors}, 'FAIL', 'a window in which nothing ended is not a result');
is($exit, 1, 'and fails');
ok(sessions_ended(), 'the server was asked to cancel');
is($json->{verdicts}{consistency}, 'PASS', 'the count is exact');
release($holder);

# ---- lost connections, of virtual users that do not connect again ----

$run = in_background_json('-u', 3, '-t', '3s', '--reconnect', '0s');
wait_for_sessions(3);
psql("select pg_terminate_backend(pid) from pg_stat_activity"
      . " where application_name = 'ordermill run' order by pid limit 1");
($exit, $json, $err) = result_of($run);
is($exit, 1, 'a lost connection fails the level');
is($json->{virtual_users_lost}, 1, 'one virtual user is lost');
is($json->{status}, 'complete', 'the others went on');
is($json->{verdicts}{errors}, 'FAIL', 'the verdict says so');

$run = in_background_json('-u', 3, '-t', '60s', '--reconnect', '0s');
wait_for_sessions(3);
psql("select pg_terminate_backend(pid) from pg_stat_activity"
      . " where application_name = 'ordermill run'");
($exit, $json, $err) = result_of($run);
is($exit, 1, 'a level without connections fails');
is($json->{status}, 'failed', 'and says so');
like($json->{reason}, qr/\Aall virtual users lost their connection \(.+\) in the measured window\z/,
    'with the reason');
is($json->{virtual_users_lost}, 3, 'all are lost');
cmp_ok($json->{elapsed_s}, '<', 60, 'without waiting for the end');

# ---- a procedure that fails, and one that answers wrongly ----

sub replace_stock_level {
    my ($body) = @_;
    psql("create or replace function $schema.stock_level(p_w_id integer, p_d_id smallint,"
          . " p_threshold smallint, out low_stock integer) language plpgsql as \$\$ $body \$\$");
    return;
}

replace_stock_level("begin raise exception 'no stock today' using errcode = 'XX001'; end");
($exit, $json, $err) = run_json($schema, '-u', 2, '-t', '2s', '--mix', '0,0,0,0,100');
is($exit, 1, 'a procedure that always fails');
my $stock_level = $json->{transactions}{stock_level};
is($json->{errors}{XX001}, $stock_level->{failed}, 'is counted by its SQLSTATE');
cmp_ok($stock_level->{failed}, '>', 2, 'virtual users go on');
cmp_ok($stock_level->{failed}, '<', 100, 'but do not call it in a tight loop');
is($json->{verdicts}{errors}, 'FAIL', 'the verdict is FAIL');

($exit, $json, $err) = run_json($schema, '-u', 2, '-t', '60s', '--mix', '0,0,0,0,100');
is($json->{status}, 'failed', 'a level with failures does not go on to its end') or diag $err;
like($json->{reason}, qr/\Ainvalid: over 1 % of Stock-Level failed in the measured window\z/, 'says why');
cmp_ok($json->{elapsed_s}, '<', 30, 'and ends early');
is($exit, 1, 'it fails');
($exit, $json, $err) =
  run_json($schema, '-u', 2, '-t', '11s', '--mix', '0,0,0,0,100', '--keep-going');
is($json->{status}, 'complete', 'unless it is to keep going') or diag $err;
like($json->{verdict_figures}{errors}, qr/\AINVALID: /, 'which does not make it valid');
is($exit, 1, 'nor pass');

($exit, $json, $err) = run_json($schema, '-u', 2, '-t', '2s', '--mix', '50,0,0,0,50',
    '--max-error-share', '100%');
is($json->{max_error_share}, 1, 'a share of failures that is allowed') or diag $err;
like($json->{verdict_figures}{errors}, qr/\A[1-9]\d* failed, /, 'does not make a level invalid');
is($json->{verdicts}{errors}, 'PASS', 'and passes');

replace_stock_level('begin low_stock := -1; end');
($exit, my $text, $err) = kit('run', '--schema', $schema, '-u', 1, '-t', '1s', '--ramp-up', '0s',
    '--mix', '0,0,0,0,100');
is($exit, 1, 'a procedure that answers wrongly');
like($text, qr/^errors +OM900 +[1-9]\d*  stock_level: not a number of items$/m, 'is found out');

($exit) = kit('load', '--schema', $schema, '--only', 'procedures');
is($exit, 0, 'the procedures are put right');

# ---- an engine that does not know whether it committed (40003) ----

psql("create function $schema.unsure() returns trigger language plpgsql as \$\$ begin if random() < 0.2 then"
      . " raise 'nobody knows' using errcode = '40003'; end if; return new; end \$\$;"
      . " create trigger unsure after insert on $schema.history for each row execute function $schema.unsure()");
($exit, $json, $err) = run_json($schema, '-u', 2, '-t', '2s', '--mix', '0,100,0,0,0', '--verify', 'full');
psql("drop trigger unsure on $schema.history; drop function $schema.unsure()");
my $payment = $json->{transactions}{payment};
cmp_ok($payment->{lost}, '>', 0, 'an unknown outcome is counted as lost') or diag $err;
is($payment->{failed} + $payment->{retries}, 0, 'neither as failed, nor is it tried again');
is($json->{errors}{40003}, $payment->{lost}, 'by its SQLSTATE');
is($json->{connections_lost} // 0, 0, 'no connection was lost for it');
is($json->{verdicts}{consistency}, 'PASS', 'the database may have them or not');

# ---- interrupted ----

for my $signal ('INT', 'TERM') {
    $run = in_background('run', '--schema', $schema, '-u', 4, '-t', '60s', '--ramp-up', '0s');
    wait_for_sessions(4);
    ok(orders_placed($schema, 20), 'and place orders');
    $run->signal($signal);
    ($exit, $text, $err) = $run->finish;
    is($exit, $signal eq 'INT' ? 130 : 143, "exit status after SIG$signal");
    like($text, qr/\APARTIAL RESULT: interrupted by SIG$signal in the measured window$/m,
        'the result is labelled');
    like($text, qr/^New-Order +[1-9]/m, 'and holds what was measured');
    like($text, qr/^  consistency   PASS/m, 'the count is exact');
    ok(sessions_ended(), 'no session is left');
}

# While a transaction waits for a lock, it must be cancelled.
$holder = hold("update $schema.district set d_ytd = d_ytd");
$run = in_background('run', '--schema', $schema, '-u', 2, '-t', '60s', '--ramp-up', '50s');
ok(wait_until(sub { psql("select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
          . " and application_name = 'ordermill run'") == 2 }), 'two transactions wait');
$run->signal('INT');
($exit, $text, $err) = $run->finish;
is($exit, 130, 'exit status in the ramp-up');
like($text, qr/\APARTIAL RESULT: interrupted by SIGINT in the ramp-up$/m, 'the phase is named');
unlike($text, qr/NOPM/, 'nothing is measured');
ok(sessions_ended(), 'no session is left');
release($holder);

conditions_hold('all of this');

done_testing;

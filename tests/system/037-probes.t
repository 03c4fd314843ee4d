# The three probes beside the five transactions: by each way to call, counted, and without harm to the
# data.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use Kit;
use Loaded;
use Small;
use Test::More;

my $schema = loaded_schema(2);

sub count { return psql("select count(*) from $schema.history") }

sub probe {
    my ($probe, $call, $protocol) = @_;
    my $how = "$probe, $call, $protocol";
    my $before = count();
    my ($exit, $json, $err) = run_json($schema, '-u', 2, '-t', '1s', '--mix', $probe, '--call', $call,
        '--protocol', $protocol);
    # On a fast server next to nothing is limited by the driver, and the verdict that says so is right.
    my %verdicts = %{$json->{verdicts}};
    is_deeply [grep { $_ ne 'client' && $verdicts{$_} eq 'FAIL' } sort keys %verdicts], [],
      "$how: a sound level" or diag $err;
    is $exit, $verdicts{client} eq 'FAIL' ? 1 : 0, "$how: exit status";
    my $committed = $json->{transactions}{$probe}{committed};
    cmp_ok $committed, '>', 0, "$how: runs";
    is_deeply [grep { $json->{transactions}{$_}{committed} > 0 } sort keys %{$json->{transactions}}],
      [$probe], "$how: and nothing else";
    ok exists $json->{nopm} && !defined $json->{nopm}, "$how: NOPM is not applicable";
    ok abs($json->{tpm} - $committed * 60 / $json->{elapsed_s}) < 1, "$how: TPM counts it";
    is $json->{mix_name}, $probe, "$how: the result says which";
    is_deeply $json->{errors}, {}, "$how: no errors";
    is $json->{verdicts}{consistency}, 'PASS', "$how: counted right";
    my $grown = $probe eq 'insert' ? $json->{growth}{payments}{driver} : 0;
    is count() - $before, $grown, "$how: history grew by what was inserted";
    cmp_ok $grown, '>=', $committed, "$how: all of it" if $probe eq 'insert';
    return $json;
}

for my $probe (qw(lookup insert null)) {
    probe($probe, $_, 'prepared') for qw(functions statements);
}
probe('lookup', 'procedures', 'simple');
probe('null', 'procedures', 'extended');
my $json = probe('insert', 'procedures', 'simple');
like $json->{verdict_figures}{consistency}, qr/; rows of history ([\d,]+), \1\z/,
  'rows of history as the driver and as the database have them';
is $json->{verdicts}{mix}, 'NOT TESTED', 'a probe is not the standard mix';
like $json->{verdict_figures}{mix}, qr/the probe "insert" ran/, 'and says so';
is $json->{verdict_figures}{latency}, 'probes have no limit', 'nor has it a limit';

is psql("select count(*) from $schema.history where h_data = 'insert probe'"
      . ' and (h_amount <> 0 or h_w_id <> h_c_w_id or h_d_id <> h_c_d_id)'), 0, 'rows of no money';
my ($exit, $out, $err) = kit('check', '--schema', $schema);
is $exit, 0, 'all twelve conditions hold' or diag "$out$err";

# A row that goes missing, or one too many, is found out.
psql("create function $schema.swallow() returns trigger language plpgsql as "
      . "\$\$ begin return null; end \$\$; create trigger swallow before insert on $schema.history "
      . "for each row when (new.h_c_id = 1 or new.h_c_id % 2 = 0) execute function $schema.swallow()");
($exit, $json) = run_json($schema, '-u', 2, '-t', '1s', '--mix', 'insert');
psql("drop function $schema.swallow cascade");
is $json->{verdicts}{consistency}, 'FAIL', 'inserts that the database does not have';
is $exit, 1, 'fail the level';

($exit, $out, $err) = kit('run', '--schema', $schema, '-u', 1, '-t', '1s', '--ramp-up', '0s', '--mix', 'null');
like $exit, qr/^[01]\z/, 'as text' or diag $err;
like $out, qr/^mix null, a probe beside the workload's own transactions; default procedures,$/m, 'with its name';
like $out, qr/^  NOPM not applicable +no new-order in the mix$/m, 'without NOPM';
like $out, qr/^  TPM +[\d,]+   all transactions per minute; TOO SHORT$/m, 'with TPM';
like $out, qr/^Null +[\d,]+ 100\.00%       - /m, 'and its row';
unlike $out, qr/^(?:New-Order|Lookup) /m, 'and no other';
($exit, undef, $err) = kit('run', '--schema', $schema, '--mix', 'lookup', '--pacing', 'standard');
is $exit, 2, 'a probe and a pace';
is $err, "ordermill: the probe \"lookup\" has no keying and think times\n", 'do not go together';

# The functions and the statements, to the letter.
my $small = small_schema();
psql(source_sql($small, "procedures/probes/$_.sql")) for qw(lookup insert_history nothing);
for my $name (qw(lookup insert_history nothing)) {
    my $session = Session->new;
    $session->ask(source_sql($small, "procedures/statements/$name.sql"));
    my $arguments = $name eq 'nothing' ? '2' : '2, 3::smallint, 4';
    my $function = psql(in_schema($small, "select * from ordermill.$name($arguments)"));
    my $statement = $session->ask("execute $name($arguments)");
    s/\d{4}-\d\d-\d\d [\d:.]+[+-]\d\d/TIME/g for $function, $statement;
    is $function, {lookup => '4|THREE|GC|0.2000|-10.00', insert_history => 'TIME', nothing => '2'}->{$name},
      "$name: what the function gives";
    is $statement, $function, "$name: and the statement";
}
is psql(in_schema($small, 'select h_c_w_id, h_c_d_id, h_c_id, h_w_id, h_d_id, h_amount, h_data, count(*)
    from ordermill.history where h_amount = 0 group by 1, 2, 3, 4, 5, 6, 7')),
  '2|3|4|2|3|0.00|insert probe|2', 'what is inserted';
my (undef, undef, $missing) = psql(in_schema($small, 'select * from ordermill.lookup(2, 3::smallint, 11)'),
    fails => 1);
like $missing, qr/no customer 11 in district 3 of warehouse 2/, 'a customer who does not exist';
is_deeply {broken($small)}, {}, 'all conditions hold';

done_testing;

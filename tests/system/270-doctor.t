# ordermill doctor: what it finds on a server, with whose eyes, and that runs keep it. The rules
# themselves are tested without a server.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use Holder;
use JSON::PP ();
use Kit;
use Loaded;
use Test::More;

my $schema = loaded_schema(2);

# (exit status, findings by name, facts by group and name)
sub doctor {
    my @args = @_;
    my $options = ref $args[0] eq 'HASH' ? shift @args : {};
    my ($exit, $out, $err) = kit($options, 'doctor', '--schema', $schema, '--json', @args);
    is $err, '', 'nothing on stderr' if $exit < 2;
    my $json = eval { JSON::PP::decode_json($out) } // {};
    return ($exit, {map { $_->{name} => $_ } @{$json->{findings}}},
        {map { ("$_->{group} $_->{name}" => $_->{value}) } @{$json->{facts}}}, $json);
}

my ($exit, $found, $facts) = doctor({env => {PGOPTIONS => '-c jit=off'}});
my $spoils = grep { $_->{severity} eq 'spoils' } values %$found;
is $exit, $spoils ? 1 : 0, 'the exit status tells whether something spoils';
is $found->{'same-host'}{severity}, 'caution', 'the server is on this host';
like $facts->{'server filesystem of the data'}, qr/^\w+$/, 'where the data lie';
is $found->{durability}, undef, 'nothing is switched off'
  if $facts->{'server filesystem of the data'} !~ /^(?:tmpfs|ramfs)$/;
is $found->{jit}, undef, 'nor is jit on';
is $facts->{'server engine'}, "PostgreSQL, compatible with version " . (psql('show server_version') =~ /^(\d+)/)[0],
  'the engine';
is $facts->{"server $_"}, 'yes', $_
  for 'PL/pgSQL with exceptions', 'CALL of procedures', 'statistics views', 'advisory locks',
  'COPY in binary format';
like $facts->{'client speed of one core'}, qr/^[\d.]+ million steps/, 'how fast this host is';
like $facts->{'server host: speed of one core'}, qr/^[\d.]+ million steps/, 'and the server';

($exit, $found) = doctor({env => {PGOPTIONS => '-c synchronous_commit=off -c jit=on'}});
is $exit, 1, 'something spoils';
is $found->{durability}{severity}, 'spoils', 'durability';
like $found->{durability}{seen}, qr/^synchronous_commit is off/, 'and why';
is $found->{jit}{severity}, 'note', 'jit is worth a note';

my $other = hold('select 1');
(undef, $found) = doctor();
like $found->{'other-sessions'}{seen}, qr/^active sessions of others: \d+$/, 'others are at work';
release($other);

# A session that stands in a transaction keeps the dead rows of all tables.
my $open = Kit::Process->start({stdin => "begin;\nselect 1;\n\\! sleep 8\n"}, qw(psql -X -q -A -t -f -));
ok wait_until(sub { psql("select count(*) from pg_stat_activity where state = 'idle in transaction'") == 1 }),
  'a session that is idle in a transaction';
(undef, $found) = doctor();
is $found->{'open-transactions'}{seen}, 'sessions of others that are idle in a transaction: 1', 'is found';
psql($found->{'open-transactions'}{mend});
$open->finish;
(undef, $found) = doctor();
is $found->{'open-transactions'}, undef, 'and gone by the command that mends it';

psql("alter table $schema.item set (autovacuum_enabled = off)");
(undef, $found) = doctor();
is $found->{autovacuum}{seen}, '1 of 9 tables have autovacuum switched off', 'however it was written';
is $found->{autovacuum}{mend}, "ALTER TABLE $schema.item RESET (autovacuum_enabled)", 'with what mends it';
psql($found->{autovacuum}{mend});
(undef, $found) = doctor();
is $found->{autovacuum}, undef, 'which does';

SKIP: {
    skip 'the server keeps no log for others', 2 if psql('show wal_level') eq 'minimal';
    psql("select pg_create_physical_replication_slot('doctor_$$', true)");
    (undef, $found) = doctor();
    is $found->{replication}{seen}, 'replication slots that nobody reads: 1', 'a slot that was left';
    is $found->{replication}{severity}, 'caution', 'keeps the log';
    psql("select pg_drop_replication_slot('doctor_$$')");
}

# ---- a role that may do little ----

my $role = "doctor_$$";
psql("create role $role login");
my $stranger = hold('select 1');
($exit, $found, $facts) = doctor('-U', $role);
like $found->{'hidden-sessions'}{seen}, qr/: [1-9]\d*$/, 'what it may not see is said';
is $found->{'other-sessions'}, undef, 'and not guessed';
is $facts->{'server advisory locks'}, 'yes', 'what anybody may is tried';
release($stranger);
psql("revoke temporary on database \"$ENV{PGDATABASE}\" from public");
(undef, $found, $facts) = doctor('-U', $role);
is $facts->{'server COPY in binary format'}, 'not tried', 'what it may not try is not known';
is $found->{engine}, undef, 'and not held against the server';
psql("grant temporary on database \"$ENV{PGDATABASE}\" to public; drop role $role");

# ---- text, and no server ----

($exit, my $out, my $err) =
  kit({env => {PGOPTIONS => '-c fsync=off'}}, 'doctor', '--schema', $schema);
is $exit < 2, 1, 'an option that the server refuses is no usage error';
($exit, $out, $err) =
  kit({env => {PGOPTIONS => '-c synchronous_commit=off'}}, 'doctor', '--schema', $schema);
like $out, qr/^client  processors  +\d+ of \d+ online/m, 'facts';
like $out, qr/^spoils   durability\n {9}synchronous_commit is off\n {9}why: .*?\n {9}mend: ALTER/ms,
  'findings';
($exit, $out) = kit({env => {PGHOST => '/nowhere'}}, 'doctor');
cmp_ok $exit, '<', 2, 'without a server';
like $out, qr/^server  not looked at: connection to server on socket "/m, 'the host alone';
($exit, $out, $err) = kit('doctor', '-h', '/nowhere');
is $exit, 4, 'a server that was named and is not there';
like $out, qr/^client  processors/m, 'still the host';
like $err, qr/^ordermill: connection to server on socket/, 'and the reason';
($exit, undef, undef, my $json) = doctor({env => {PGHOST => '/nowhere'}});
like $json->{server_not_looked_at}, qr/^connection to server/, 'in JSON';

# ---- runs keep it ----

spew(folder() . '/p.xml', <<"END");
<profile name="doctor" version="1"><connection schema="$schema"/><ladder virtual-users="1"/>
<timing ramp-up="0s" measure="1s"/></profile>
END
my $run = folder() . '/run';
($exit, $out, $err) = kit({env => {PGOPTIONS => '-c synchronous_commit=off'}}, 'autopilot', '-q',
    folder() . '/p.xml', '-o', $run);
like slurp("$run/report.txt"), qr/What the doctor found\n-+\nspoils   durability: synchronous_commit/,
  'the text report shows what was found';
like slurp("$run/report.html"), qr/synchronous_commit is off/, 'as the page';
($exit, $out) = kit('report', $run, '--format', 'json');
my $report = JSON::PP::decode_json($out);
is $report->{findings}[0]{name}, 'durability', 'and JSON';
ok((grep { $_->{name} eq 'speed of one core' } @{$report->{environment}}), 'with the facts');
ok @{$report->{steps}[0]{run}{metrics}{all}} > 50, 'and metrics of each step';

done_testing;

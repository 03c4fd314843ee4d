# The full cycle for a role that may little: no superuser, no right to create databases, one schema;
# what an administrator prepares for it; and whatever is shared stays as it is (C03).
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use Kit;
use Test::More;

my $role = "plain \"$$\"";
my $quoted = quote_ident($role);
my %as_role = (env => {PGUSER => $role});
psql("create role $quoted login nosuperuser nocreatedb nocreaterole");

sub cycle {
    my ($what, $schema, @options) = @_;
    for my $command (
        ['load', '-w', 1, @options], ['check'],
        ['run', '-u', 2, '-t', '2s', '--ramp-up', '0s'], ['load', '--only', 'analyze'], ['check'],
    ) {
        my ($exit, $out, $err) = kit(\%as_role, @$command, '--schema', $schema);
        is $exit, 0, "$what: @$command" or diag "$out$err";
        unlike $err, qr/not permitted/, "... with all rights it needs";
    }
    my $profile = folder() . '/rights.xml';
    spew($profile, qq(<profile name="rights" version="1"><connection schema="$schema"/>)
          . '<ladder virtual-users="1"/><timing ramp-up="0" measure="1s"/></profile>');
    my ($exit, $out, $err) = kit(\%as_role, 'autopilot', $profile, '-o', folder() . "/$schema");
    is $exit, 0, "$what: autopilot" or diag $err;
    ($exit, $out, $err) = kit(\%as_role, 'drop', '--schema', $schema);
    is $exit, 0, "$what: drop" or diag $err;
    like $err, qr/the schema stays/, '... which leaves the schema';
    return;
}

my $granted = fresh_schema('granted');
psql("create schema $granted; grant usage, create on schema $granted to $quoted");
cycle('a schema of somebody else', $granted);
my $owned = fresh_schema('owned');
psql("create schema $owned authorization $quoted");
cycle('a schema of its own', $owned, '--foreign-keys', '--partitions', 2, '--partition-by', 'hash');

# Nothing granted: refused by the server, and said once.
my $closed = fresh_schema('closed');
psql("create schema $closed");
my ($exit, $out, $err) = kit(\%as_role, 'load', '-w', 1, '--schema', $closed);
is $exit, 5, 'a schema without any grant';
like $err, qr/\Aordermill: permission denied for schema \Q$closed\E/, '... is refused by the server';
($exit, $out, $err) = kit(\%as_role, 'load', '-w', 1, '--schema', "none_$$");
is $exit, 5, 'no right to create a schema';
like $err, qr/\Aordermill: permission denied for database/, '... is refused by the server';

# Tables that a DBA made and owns: the kit does what it may, and lists the rest once.
my $theirs = fresh_schema('theirs');
my (undef, $ddl) = kit('load', '-w', 1, '--schema', $theirs, '--sql', '--only', 'ddl');
psql($ddl);
psql("grant usage on schema $theirs to $quoted;
      grant select, insert, update, delete on all tables in schema $theirs to $quoted");
($exit, $out, $err) = kit(\%as_role, 'load', '--only', 'data', '--schema', $theirs);
is $exit, 0, 'data into the tables of a DBA' or diag $err;
for my $phase (qw(indexes procedures)) {
    (undef, my $sql) = kit('load', '-w', 1, '--schema', $theirs, '--sql', '--only', $phase);
    psql($sql);
}
($exit, $out, $err) = kit(\%as_role, 'load', '--only', 'analyze', '--schema', $theirs);
is $exit, 0, 'what is not permitted is not fatal' or diag $err;
is_deeply [$err =~ /^(.*not permitted.*)$/mg],
  ['ordermill: warning: not permitted to this role: VACUUM and ANALYZE of order_line, stock, customer, orders, '
      . 'history, new_order, item, warehouse, district; have their owner do it'],
  '... and listed once' or diag $err;
($exit, $out, $err) = kit(\%as_role, 'run', '--schema', $theirs, '-u', 1, '-t', '1s', '--ramp-up', '0s');
is $exit, 0, 'a run on the tables of a DBA' or diag $err;
is((kit(\%as_role, 'check', '--schema', $theirs))[0], 0, 'consistent after it');
($exit, $out, $err) = kit(\%as_role, 'drop', '--schema', $theirs);
is $exit, 5, 'they are not dropped';
is psql("select count(*) from $theirs.ordermill_build"), 1, '... nor anything beside them';
psql("grant all on schema $theirs to public");

# ---- prepare ----

($exit, $out, $err) = kit({env => {PGHOST => '/nowhere', PGPASSWORD => 'hunter2'}}, 'prepare',
    '--username', "o'role \\$$", '--dbname', "d\"b $$", '--schema', "s'c");
is "$exit|$err", '0|', 'prepare connects to nothing';
unlike $out, qr/hunter2|PASSWORD '/i, '... prints no password';
for my $time (1 .. 2) {
    my ($status, $said, $talk) = psql($out, fails => 1);
    is $status, 0, "psql takes it, time $time" or diag $talk;
}
my %prepared = (env => {PGUSER => "o'role \\$$", PGDATABASE => "d\"b $$"});
for my $command (['load', '-w', 1], ['run', '-u', 1, '-t', '1s', '--ramp-up', '0s'], ['drop']) {
    ($exit, my $said, $err) = kit(\%prepared, @$command, '--schema', "s'c");
    is $exit, 0, "@$command as the prepared role" or diag $err;
}
is psql("select rolsuper, rolcreatedb, rolcreaterole, rolpassword is null from pg_authid
         where rolname = 'o''role \\$$'"), 'f|f|f|t', 'the role may little and has no password';
($exit, my $from_uri) = kit('prepare', '--dbname', 'postgresql://uri_role:secret@nowhere/uri_db');
like $from_uri, qr/^\\set role 'uri_role'\n\\set database 'uri_db'$/m, 'names of a connection string';
unlike $from_uri, qr/secret|nowhere/, '... and nothing else of it';
($exit, my $nothing, $err) = kit({env => {PGUSER => undef}}, 'prepare');
is "$exit|$nothing", '2|', 'prepare without a role';
like $err, qr/^ordermill: --username: .*\nhint: /, '... asks for one';

# C03: a role and a database that exist stay as they are.
my $before = psql("alter role $quoted password 'kept' connection limit 7; alter database \"d\"\"b $$\"
    connection limit 9; select rolpassword, rolconnlimit from pg_authid where rolname = '$role'");
(undef, $out) = kit('prepare', '--username', $role, '--dbname', "d\"b $$", '--schema', $granted);
psql($out);
is psql("select rolpassword, rolconnlimit from pg_authid where rolname = '$role'"), $before,
  'prepare leaves an existing role as it is';
is psql("select datconnlimit, pg_get_userbyid(datdba) = current_user from pg_database
    where datname = 'd\"b $$'"), '9|t', '... and an existing database';
psql("drop database \"d\"\"b $$\"");
psql("drop owned by $quoted cascade; drop role $quoted; drop role \"o'role \\$$\"");

done_testing;

# The load works in any schema, under any search_path, in databases of any encoding, and for a role
# that may little; and drop removes what the load made, nothing else.
use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/lib";
use Checksum;
use Kit;
use Test::More;

$ENV{PGCLIENTENCODING} = 'UTF8';    # of psql; the kit sets its own

sub bytes { my ($text) = @_; utf8::encode($text); return $text }

# Whatever lies in public and on the search_path must not matter, nor do the limits of the role.
psql(<<'SQL');
create role "Bench@srv-1" login;
alter role "Bench@srv-1" set search_path = 'nope';
alter role "Bench@srv-1" set default_transaction_isolation = 'serializable';
alter role "Bench@srv-1" set statement_timeout = '50ms';
alter role "Bench@srv-1" set lock_timeout = '50ms';
alter role "Bench@srv-1" set idle_in_transaction_session_timeout = '50ms';
SQL

my $reference = fresh_schema('reference');
is_deeply [(kit('load', '-w', 1, '-q', '--schema', $reference))[0, 2]], [0, ''], 'reference';
my $expected = checksums($reference);
is_deeply [(kit('drop', '-q', '--schema', $reference))[0, 2]], [0, ''], 'dropped';
is psql("select count(*) from pg_namespace where nspname = '$reference'"), 0, '... with its schema';

my %databases = (
    'utf8'          => "encoding 'UTF8' lc_collate 'C.UTF-8' lc_ctype 'C.UTF-8'",
    'My-"Db" @ icu' => "encoding 'UTF8' locale_provider icu icu_locale 'en-US' locale 'C.UTF-8'",
    'ascii'         => "encoding 'SQL_ASCII' lc_collate 'C' lc_ctype 'C'",
    'latin1'        => "encoding 'LATIN1' lc_collate 'C' lc_ctype 'C'",
);
my $hostile = bytes('My "odd" Schéma-x');
for my $database (sort keys %databases) {
    my $name = quote_ident($database);
    psql("create database $name template template0 $databases{$database}");
    my %there = (env => {PGDATABASE => $database});
    my %as_role = (env => {PGDATABASE => $database, PGUSER => 'Bench@srv-1'});

    psql('grant create on database ' . $name . ' to "Bench@srv-1"');
    psql('create table public.warehouse (w_id text); create table public.item (nonsense box);
          create function public.new_order() returns int language sql as $$ select 1 $$', %there);
    my ($exit, $out, $err) = kit(\%as_role, 'load', '-w', 1, '-j', 2, '--schema', $hostile);
    is $exit, 0, "$database: load by a plain role" or diag $err;
    like $out, qr/all 12 consistency conditions hold/, "$database: consistent";
    is_deeply checksums($hostile, %there), $expected, "$database: the same rows";
    ($exit, $out, $err) = kit(\%as_role, 'check', '--schema', $hostile);
    is $exit, 0, "$database: check" or diag $err;
    is psql('select count(*) from public.warehouse', %there), 0, "$database: no row strayed";

    ($exit, $out, $err) = kit(\%as_role, 'drop', '--schema', $hostile);
    is $exit, 0, "$database: drop" or diag $err;
    is psql("select string_agg(relname, ' ' order by relname) from pg_class c join pg_namespace n
             on n.oid = relnamespace where nspname !~ '^pg_|^information_schema'
             and relkind in ('r', 'p', 'v', 'S')", %there), 'item warehouse',
      "$database: only the decoys are left";
    is psql("select count(*) from pg_proc where proname = 'new_order'", %there), 1,
      "$database: and the decoy function";
    is psql("select count(*) from pg_namespace where nspname like '%Sch%'", %there), 0,
      "$database: the schema is gone";
    psql("drop database $name");
}

# A schema that somebody else made and granted.
my $granted = fresh_schema('granted');
psql(qq(create schema $granted; grant usage, create on schema $granted to "Bench\@srv-1"));
my %as_role = (env => {PGUSER => 'Bench@srv-1'});
my ($exit, $out, $err) = kit(\%as_role, 'load', '-w', 1, '-j', 2, '--schema', $granted);
is $exit, 0, 'load into a granted schema' or diag $err;
unlike $err, qr/warning: /m, 'the owner may vacuum';

# What came later and is not the kit's stays, schema included.
psql("create table $granted.mine (a int); insert into $granted.mine values (1);
      create function $granted.new_order(a int) returns int language sql as 'select 1'");
($exit, $out, $err) = kit(\%as_role, 'drop', '--schema', $granted);
is $exit, 0, 'drop beside foreign objects' or diag $err;
like $err, qr/; the schema stays$/m, '... says that the schema stays';
is psql("select string_agg(relname, ' ') from pg_class where relnamespace = '$granted'::regnamespace"),
  'mine', 'the foreign table stays';
is psql("select count(*) from pg_proc where pronamespace = '$granted'::regnamespace"), 1,
  'the foreign function stays';

# And what is not the kit's is not touched.
($exit, $out, $err) = kit(\%as_role, 'drop', '--schema', $granted);
is $exit, 5, 'drop without the marker is refused';
like $err, qr/schema "$granted" holds what this kit did not build: mine, new_order\(\)$/m,
  '... naming what is there';
for my $options ([], ['--replace']) {
    ($exit, $out, $err) = kit({timeout => 20}, 'load', '--schema', $granted, @$options);
    is $exit, 5, "load @$options into a foreign schema is refused";
    like $err, qr/schema "$granted" holds what this kit did not build: mine, /, '... naming it';
}

# A view on the kit's tables is somebody's work.
my $viewed = fresh_schema('viewed');
is_deeply [(kit('load', '-w', 1, '-q', '--only', 'ddl', '--schema', $viewed))[0, 2]], [0, ''],
  'tables';
psql("create view public.on_stock as select s_i_id from $viewed.stock");
for my $command (['drop'], ['load', '--replace']) {
    ($exit, $out, $err) = kit(@$command, '--schema', $viewed);
    is $exit, 5, "@$command stops at a view that depends on a table";
    like $err, qr/^hint: something that is not the kit's depends on its tables/m, '... with a hint';
}
is psql("select count(*) from $viewed.ordermill_build"), 1, 'nothing was dropped';
psql('drop view public.on_stock');

psql('drop owned by "Bench@srv-1"; drop role "Bench@srv-1"');
done_testing;

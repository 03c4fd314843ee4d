# Counters that grow have room (C38); a run under a hostile search_path (C16) and in
# databases of other encodings and collations (C17); procedures of another kit (C22).
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use JSON::PP;
use Kit;
use Test::More;

my $schema = fresh_schema('counters');
is_deeply [(kit('load', '-q', '-w', 1, '--schema', $schema))[0, 2]], [0, ''], 'loaded';

# Beyond what four digits or a smallint hold, and ytd sums beyond twelve digits, consistently.
psql("update $schema.stock set s_order_cnt = 32760, s_remote_cnt = 32767, s_ytd = 99999999;
      update $schema.customer set c_payment_cnt = 32767, c_delivery_cnt = 32767;
      update $schema.warehouse set w_ytd = w_ytd + 100000000000;
      update $schema.district set d_ytd = d_ytd + 10000000000");
my $before = psql("select sum(s_order_cnt), sum(s_ytd) from $schema.stock");
my ($exit, $out, $err) =
  kit('run', '--schema', $schema, '-u', 2, '-t', '3s', '--ramp-up', '0s', '--json');
is $exit, 0, 'a run with counters near their old limits' or diag $err;
my $run = decode_json($out);
is $run->{errors}{22003} // 0, 0, 'no number is out of range';
cmp_ok $run->{transactions}{new_order}{committed}, '>', 10, 'new orders were committed';
isnt psql("select sum(s_order_cnt), sum(s_ytd) from $schema.stock"), $before, 'and they grew';
psql("update $schema.stock set s_order_cnt = 2147483000, s_ytd = 99999999999");
($exit, $out, $err) = kit('run', '--schema', $schema, '-u', 1, '-t', '1s', '--ramp-up', '0s');
is $exit, 0, 'even after years' or diag $err;

# A search_path of nothing, and one of decoys.
psql("create schema decoy_$$; create table decoy_$$.warehouse (w_id text);
      create table decoy_$$.stock (s_w_id box);
      create function decoy_$$.new_order(integer, smallint, integer, integer[], integer[], smallint[])
        returns int language sql as 'select 1';
      create function decoy_$$.array_position(integer[], integer) returns int
        language plpgsql as 'begin raise exception \$\$decoy\$\$; end'");
for my $path ('nope', "decoy_$$", "decoy_$$, pg_catalog") {
    my %hostile = (env => {PGOPTIONS => '-c search_path=' . ($path =~ s/ /\\ /gr)});
    for my $command (['run', '-u', 1, '-t', '1s', '--ramp-up', '0s'],
        ['load', '--only', 'procedures'], ['load', '--only', 'analyze']) {
        ($exit, $out, $err) = kit(\%hostile, @$command, '--schema', $schema);
        is $exit, 0, "search_path $path: @$command" or diag $err;
    }
}
psql("drop schema decoy_$$ cascade");

# Procedures of an older kit are named, with the command that helps.
psql("update $schema.ordermill_phase set detail = '0123456789abcdef' where phase = 'procedures'");
($exit, $out, $err) = kit('run', '--schema', $schema, '-u', 1, '-t', '1s');
is $exit, 5, 'procedures of another version';
like $err, qr/has the procedures of another version of the kit\nhint: ordermill load --schema '\Q$schema\E' --only procedures installs them$/m,
  '... are named, with what helps';
($exit) = kit('load', '--only', 'procedures', '--schema', $schema);
is $exit, 0, '... and it does';


# So is one that is gone, of either kind.
for my $gone (['function', 'delivery'], ['procedure', 'call_payment']) {
    my ($kind, $name) = @$gone;
    psql("drop $kind $schema.$name");
    ($exit, $out, $err) = kit('run', '--schema', $schema, '-u', 1, '-t', '1s');
    is $exit, 5, "without the $kind $name";
    like $err, qr/^ordermill: schema "\Q$schema\E" lacks the procedure $name\nhint: ordermill load --schema '\Q$schema\E' --only procedures installs them$/m,
      '... is named, with what helps';
    ($exit) = kit('load', '--only', 'procedures', '--schema', $schema);
    is $exit, 0, '... and it does';
}

# The encodings a run meets.
my %databases = (
    "ascii_$$"  => "encoding 'SQL_ASCII' lc_collate 'C' lc_ctype 'C'",
    "latin1_$$" => "encoding 'LATIN1' lc_collate 'C' lc_ctype 'C'",
    "icu_$$"    => "encoding 'UTF8' locale_provider icu icu_locale 'en-US' locale 'C.UTF-8'",
);
for my $database (sort keys %databases) {
    psql("create database $database template template0 $databases{$database}");
    my %there = (env => {PGDATABASE => $database});
    for my $command (['load', '-w', 1], ['run', '-u', 2, '-t', '1s', '--ramp-up', '0s'], ['check']) {
        ($exit, $out, $err) = kit(\%there, @$command);
        is $exit, 0, "$database: @$command" or diag "$out$err";
    }
    psql("drop database $database");
}

done_testing;

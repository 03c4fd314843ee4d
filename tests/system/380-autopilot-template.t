# Each step in a fresh copy of the database: the same checksum every time, the original untouched, and
# nothing dropped that the kit did not make.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use Kit;
use RunFolder;
use Test::More;

# A database of its own: nobody may be connected to it.
my $database = 'original_' . $$;
my $copy     = "${database}_ordermill_copy";
my $profile  = folder() . '/template.xml';
my $folder   = folder() . '/run';

spew($profile, <<"END");
<profile name="template" version="1">
  <connection dbname="$database" schema="om"/>
  <scale warehouses="1"/>
  <ladder virtual-users="1 2" repeat-first="false"/>
  <timing ramp-up="0" measure="1s"/>
  <reset method="template"/>
</profile>
END

sub databases { return psql("select count(*) from pg_database where datname = '$_[0]'") }

psql("create database $database");
my ($exit, $out, $err) = kit('load', '-w', 1, '--schema', 'om', '-d', $database, '-q');
is $exit, 0, 'one warehouse' or diag $err;
my (undef, $sums) = kit('checksum', '--schema', 'om', '-d', $database);

# A database of that name that is somebody else's.
psql("create database $copy");
($exit, $out, $err) = kit('autopilot', $profile, '-o', $folder);
is $exit, 5, 'in the way: nothing is measured' or diag $err;
like store($folder, 'select reason from step where number = 1'),
  qr/^template: database "\Q$copy\E" is in the way: it bears no mark of this kit, and is left alone/, 'in the way: said so';
is databases($copy), 1, 'in the way: it is left alone';
psql("drop database $copy");

$folder = folder() . '/whole';
($exit, $out, $err) = kit('autopilot', $profile, '-o', $folder);
ok $exit == 0 || $exit == 1, 'the run' or diag "exit $exit\n$err";
is store($folder, q{select group_concat(step || ' ' || what, ', ') from journal where elapsed_us >= 0}),
  '1 copy, 1 checksum, 1 checkpoint, 2 copy, 2 checksum, 2 checkpoint', 'a verified copy for each step';
is store($folder, q{select count(*) from step where status = 'complete' and new_orders_driver > 0
        and new_orders_driver = new_orders_database}), 2, 'both steps ran, and were counted';
is store($folder, 'select status, check_done from run'), 'complete|1', 'the last copy was checked';
is((kit('checksum', '--schema', 'om', '-d', $database))[1], $sums, 'the original is as it was');
is databases($copy), 0, 'no copy is left';

# A name that the copy's would be cut off from.
my $long = 'x' x 49;
psql("create database $long");
is((kit('load', '-w', 1, '--schema', 'om', '-d', $long, '-q'))[0], 0, 'a long name: one warehouse');
(my $text = do { open my $in, '<', $profile or die; local $/; <$in> }) =~ s/dbname="[^"]*"/dbname="$long"/;
spew("$folder-long.xml", $text);
($exit, $out, $err) = kit('autopilot', "$folder-long.xml", '-o', "$folder-long");
isnt $exit, 0, 'a long name: refused';
like $err, qr/reset=template: the name of database "$long" is too long\n.*within 63 bytes/, 'a long name: said so' or diag $err;
psql("drop database $long");

# Killed in the second step: the copy of then is replaced.
$folder = folder() . '/killed';
my $run = in_background('autopilot', $profile, '-o', $folder);
$run->wait_for(qr/step 2 of 2: 2 virtual users, measuring/);
$run->signal('KILL');
$run->finish;
is databases($copy), 1, 'killed: its copy is left';
($exit, $out, $err) = kit('autopilot', '--resume', $folder);
ok $exit == 0 || $exit == 1, 'resumed' or diag "exit $exit\n$err";
is store($folder, 'select group_concat(status) from step'), 'complete,complete', 'resumed: to its end';
is databases($copy), 0, 'resumed: no copy is left';

# A role that may not.
my $role = 'mason_' . $$;
psql("create role $role login");
psql(qq{grant usage on schema om to $role; grant select, insert, update, delete on all tables in schema om to $role},
    env => {PGDATABASE => $database});
($exit, $out, $err) = kit('autopilot', $profile, '-o', folder() . '/role', '-U', $role);
psql("drop owned by $role", env => {PGDATABASE => $database});
psql("drop role $role");
is $exit, 5, 'no right to: exit 5';
like $err, qr/^ordermill: reset=template: role "$role" may not create databases$/m, 'no right to: said before the first step';
($exit, $out, $err) = kit('autopilot', $profile, '-o', folder() . '/uri', '--set', "dbname=dbname=$database");
is $exit, 2, 'a connection string: exit 2' or diag $err;
like $err, qr/^ordermill: --set: dbname: reset="template" needs the database by its name, not in a connection string, /m,
  'a connection string: said so';

# Two servers, and two sizes on the second of them: each step runs in a copy of its own database, and
# what it does is nowhere else. The servers are databases of one server here.
my $second = 'second_' . $$;
psql("create database $second");
spew($profile, <<"END");
<profile name="several" version="1">
  <servers>
    <server name="a" dbname="$database" schema="om"/>
    <server name="b" dbname="$second" schema="om"/>
  </servers>
  <scale warehouses="1"/>
  <ladder virtual-users="1" repeats="2" order="interleaved"/>
  <timing ramp-up="0" measure="1s"/>
  <reset method="template"/>
  <checks when="both"/>
</profile>
END
$folder = folder() . '/servers';
($exit, $out, $err) = kit('autopilot', $profile, '-o', $folder);
ok $exit == 0 || $exit == 1, 'two servers' or diag "exit $exit\n$err";
is store($folder, q{select group_concat(step || ' ' || detail, ', ') from journal where what = 'copy'}),
  join(', ', map { my $name = $_ % 2 ? $database : $second;
      "$_ database ${name}_ordermill_copy from $name" } 1 .. 4), 'two servers: a copy of its own for each step';
is store($folder, q{select count(*) from journal where what = 'checksum'}), 4, 'two servers: all verified';
is store($folder, q{select count(*) from step where status = 'complete' and new_orders_driver > 0
        and new_orders_driver = new_orders_database}), 4, 'two servers: all steps ran, and were counted';
is store($folder, 'select status, check_done from run'), 'complete|1',
  'two servers: checked before, when there were no copies, and after';
is((kit('checksum', '--schema', 'om', '-d', $database))[1], $sums, 'two servers: the first is as it was');
is((kit('checksum', '--schema', 'om', '-d', $second))[1], $sums, 'two servers: so is the second');
is databases($_ . '_ordermill_copy'), 0, "two servers: no copy of $_ is left" for $database, $second;

spew($profile, <<"END");
<profile name="sizes" version="1">
  <connection dbname="$second" schema="om"/>
  <sweep warehouses="1 2"/>
  <ladder virtual-users="1"/>
  <timing ramp-up="0" measure="1s"/>
  <reset method="template"/>
</profile>
END
$folder = folder() . '/sizes';
($exit, $out, $err) = kit({timeout => 240}, 'autopilot', $profile, '-o', $folder);
ok $exit == 0 || $exit == 1, 'two sizes' or diag "exit $exit\n$err";
is store($folder, q{select group_concat(number || ' ' || warehouses || ' ' || status, ', ') from step}),
  '1 1 complete, 2 2 complete, 3 1 complete', 'two sizes: both steps, and the first level again';
is store($folder, q{select count(*) from journal where what = 'checksum'}), 3, 'two sizes: each against its own';
like store($folder, q{select detail from journal where what = 'first level again'}),
  qr/^1 virtual user: [\d,]+ NOPM in step 1, [\d,]+ in step 3: /, 'two sizes: compared with the first';
is psql('select sum(d_next_o_id) from om_w2.district', env => {PGDATABASE => $second}), 2 * 10 * 3001,
  'two sizes: no order has come to the original';
is databases("${second}_ordermill_copy"), 0, 'two sizes: no copy is left';
psql("drop database $database");
psql("drop database $second");

done_testing;

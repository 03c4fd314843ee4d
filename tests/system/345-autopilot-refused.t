# What cannot be resumed and is refused by name; two autopilots in one folder; a folder without room.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use Kit;
use RunFolder;
use Test::More;

my $schema  = fresh_schema('refused');
my $profile = folder() . '/p.xml';
my $folder  = folder() . '/run';

sub profile {
    my ($measure) = @_;
    return <<"END";
<profile name="p" version="1">
  <connection schema="$schema"/>
  <scale warehouses="1"/>
  <ladder virtual-users="1 2" repeat-first="false"/>
  <timing ramp-up="0" measure="$measure"/>
</profile>
END
}

sub change {
    my ($sql) = @_;
    store($folder, $sql);
    return;
}

sub refused {
    my ($what, $status, $wanted, @options) = @_;
    my ($exit, $out, $err) = kit('autopilot', '--resume', @options);
    is $exit, $status, "$what: exit $status";
    like $err, qr/\Aordermill: $wanted/, "$what: said so";
    is $out, '', "$what: nothing on stdout";
    return;
}

# Folders that are none.
mkdir folder() . '/empty' or die $!;
mkdir folder() . '/foreign' or die $!;
spew(folder() . '/foreign/run.sqlite', 'no database');
mkdir folder() . '/stillborn' or die $!;
spew(folder() . '/stillborn/run.sqlite', '');
my $f = folder();
refused('a missing folder', 7, qr{"\Q$f\E/none" is not the folder of a run: it has no run\.sqlite$}m,
    "$f/none");
refused('an empty folder', 7, qr{"\Q$f\E/empty" is not the folder of a run}, "$f/empty");
refused('a foreign file', 7, qr{cannot \w+ "\Q$f\E/foreign/run\.sqlite": file is not a database$}m,
    "$f/foreign");
refused('a stillborn run', 7, qr{"\Q$f\E/stillborn/run\.sqlite" is empty: that run ended before it began$}m,
    "$f/stillborn");
ok !-e "$f/$_/run.lock", "$_: nothing is left behind" for qw(empty foreign stillborn);

# A run that is broken off in its first step; meanwhile nobody else gets into its folder.
spew($profile, profile('60s'));
my $run = in_background('autopilot', $profile, '-o', $folder, '--set', 'repeats=2');
$run->wait_for(qr/step 1 of 4: 1 virtual user, measuring/);
chomp(my $host = `uname -n`);
my $in_use = qr{"\Q$folder\E" is in use by another ordermill: process @{[$run->pid]} on \Q$host\E$}m;
refused('a run that is going', 7, $in_use, $folder);
{
    my ($exit, $out, $err) = kit('autopilot', $profile, '-o', $folder);
    is $exit, 7, 'a second autopilot: exit 7';
    like $err, qr/\Aordermill: $in_use/, 'a second autopilot: is kept out';
}
$run->signal('KILL');
$run->finish;
ok -e "$folder/run.lock", 'the lock file of a killed run is left';

# Another profile, other settings.
my $other = folder() . '/other.xml';
spew($other, profile('30s'));
refused('another profile', 3, qr{\Q$other\E:5: differs from the profile that the run began with$}m, $folder,
    $other);
refused('another setting', 2, qr/measure is "60s" in that run, not "5s"$/m, $folder, '--set', 'measure=5s');
refused('an override left out', 2, qr/repeats is "2" in that run, not "1"$/m, $folder, $profile, '--set',
    'repeats=1');
refused('a folder for the results', 2, qr/--resume: the results stay in their folder/, $folder, '-o', "$f/x");
refused('a dry run', 2, qr/--resume and --dry-run exclude each other$/m, $folder, '--dry-run');

# Another version of the kit, a store that was tampered with.
change(q{update run set kit_version = '0.0.9'});
refused('another version', 7, qr{the run in "\Q$folder\E" was begun by ordermill 0\.0\.9; this is \d}, $folder);
change(q{update run set kit_version = '} . version() . q{'});
change(q{update run_setting set value = '1s' where name = 'measure'});
refused('changed settings', 7,
    qr/profile and settings in the store are not those that the run began with \(fingerprint/, $folder);
change(q{update run_setting set value = '60s' where name = 'measure'});

sub version {
    my ($exit, $out) = kit('--version');
    return $out =~ /(\S+)$/ ? $1 : '';
}

# The schema was loaded anew.
{
    my ($exit, undef, $err) = kit('load', '-w', 1, '--schema', $schema, '--replace', '-q', '--seed', 5);
    is $exit, 0, 'loaded anew' or diag $err;
    ($exit, undef, $err) = kit('autopilot', '--resume', $folder);
    is $exit, 5, 'another load: exit 5';
    like $err, qr/^ordermill: schema "\Q$schema\E" is not the one that this run began with: it holds 1 warehouse, seed 5, loaded \S+Z$/m,
      'another load: named';
    like $err, qr/^hint: the run was on 1 warehouse, seed 42, loaded \S+Z$/m, 'with the one before';
    ok -s "$folder/run.sqlite", 'another load: the store stays';
}

# A complete run.
{
    spew($profile, profile('1s'));
    my ($exit, undef, $err) = kit('autopilot', $profile, '-o', "$f/whole", '--set', 'ladder=1');
    ok $exit == 0 || $exit == 1, 'a whole run' or diag $err;
    refused('a complete run', 7, qr{the run in "\Q$f\E/whole" is complete: there is nothing to go on with$}m,
        "$f/whole");
    ok -s "$f/whole/report.html", 'a complete run: is left alone';
}

# Room is asked for before anything else, the server included.
SKIP: {
    my $small = folder() . '/small';
    mkdir $small or die $!;
    my ($exit, undef, $err) = run('mount', '-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', $small);
    skip "a file system cannot be mounted here: $err", 3 if $exit != 0;
    ($exit, undef, $err) = kit('autopilot', $profile, '-o', "$small/run", '-h', '/nonexistent');
    my $left = -e "$small/run";
    run('umount', $small);
    is $exit, 7, 'no room: exit 7';
    like $err, qr{\Aordermill: "\Q$small\E/run" has no room for the 8\.\d MB that are needed there: No space left on device; free: 2\.0 MB$}m,
      'no room: said with both sizes';
    ok !$left, 'no room: no folder is left';
}

done_testing;

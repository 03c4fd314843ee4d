# What the autopilot refuses, before it starts anything.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use Kit;
use Test::More;

my $schema = fresh_schema('refused');
my $folder = folder() . '/run';
my $count  = 0;

# Runs a profile with this inside; nothing may be left behind.
sub refused {
    my ($what, $exit_wanted, $wanted, $text, @options) = @_;
    my $path = folder() . '/p' . ++$count . '.xml';

    spew($path, $text);
    my ($exit, $out, $err) = kit('autopilot', $path, '-o', $folder, @options);
    is $exit, $exit_wanted, "$what: exit $exit_wanted" or diag $err;
    $err =~ s/\Q$path\E/FILE/g;
    is $err, $wanted, "$what: one clear line";
    is $out, '', "$what: nothing on stdout";
    ok !-e $folder, "$what: no folder";
    return;
}

sub profile {
    my ($inside) = @_;
    return qq{<profile name="p" version="1">\n<connection schema="$schema"/>\n$inside\n</profile>\n};
}

refused('empty file', 3, "ordermill: FILE:1: the file is empty\n", '');
refused('no XML', 3,
    "ordermill: FILE:1: not well-formed XML: start tag expected, '<' not found\n", "name: p\n");
refused('wrong root', 3, "ordermill: FILE:1: the root element is <ramp>; expected <profile>\n",
    '<ramp/>');
refused('unknown attribute', 3,
    "ordermill: FILE:3: unknown attribute \"users\" of <ladder>; it has virtual-users, repeats, "
      . "repeat-first, search, search-steps, order\n", profile('<ladder users="2"/>'));
refused('no number', 3,
    "ordermill: FILE:3: warehouses: \"10abc\" is not a whole number from 1 to 100000\n",
    profile('<scale warehouses="10abc"/>'));
refused('too short', 3, "ordermill: FILE:3: measure: \"10ms\" is below 1s\n",
    profile('<timing measure="10ms"/>'));
refused('entities', 3, "ordermill: FILE:1: a DOCTYPE is not allowed here\n",
    qq{<!DOCTYPE p [<!ENTITY x SYSTEM "file:///etc/passwd">]>} . profile('<title>&x;</title>'));
refused('a password', 3,
    "ordermill: FILE:2: dbname: a password must not stand in a profile\n"
      . "hint: use PGPASSWORD, a password file or a service file\n",
    qq{<profile name="p" version="1">\n<connection dbname="host=x password=geheim"/></profile>});
refused('unknown override', 2,
    "ordermill: --set: a profile has no value \"mesure\"\nhint: did you mean \"measure\"?\n",
    profile(''), '--set', 'mesure=1s');
refused('no server', 4, kit_message(), profile(''), '-h', '/nonexistent');

# The server's own words for a socket that is not there, once.
sub kit_message {
    my (undef, undef, $err) = kit('check', '-h', '/nonexistent');
    return "results go to $folder\n$err";
}

{
    my ($exit, $out, $err) = kit('autopilot', folder() . '/none.xml');
    is $exit, 3, 'missing profile: exit 3';
    is $err, 'ordermill: cannot open "' . folder() . "/none.xml\": No such file or directory\n",
      'missing profile: said so';
    ($exit, $out, $err) = kit('autopilot');
    is $exit, 2, 'no profile: a usage error';
}

# A schema that is not ours, and one with another number of warehouses.
{
    psql(qq{create schema "$schema"; create table "$schema".precious (a int)});
    my $path = folder() . '/foreign.xml';
    spew($path, profile(''));
    my ($exit, $out, $err) = kit('autopilot', $path, '-o', $folder);
    is $exit, 5, 'foreign schema: exit 5';
    like $err, qr/^ordermill: .*\Q$schema\E.*precious/m, 'foreign schema: named with what it holds';
    ok !-e $folder, 'foreign schema: no folder';
    is psql(qq{select count(*) from "$schema".precious}), 0, 'foreign schema: untouched';

    my $loaded = fresh_schema('loaded');
    ($exit, $out, $err) = kit('load', '-w', 1, '--schema', $loaded, '-q');
    is $exit, 0, 'one warehouse' or diag $err;
    spew($path, qq{<profile name="p" version="1">\n<connection schema="$loaded"/>\n}
          . qq{<scale warehouses="2"/></profile>});
    ($exit, $out, $err) = kit('autopilot', $path, '-o', $folder);
    is $exit, 5, 'other warehouses: exit 5';
    like $err, qr/^ordermill: .*\Q$loaded\E.*; the profile asks for 2$/m, 'other warehouses: both numbers';
    ok !-e $folder, 'other warehouses: no folder';

    # More virtual users than the server has slots: found before the first step.
    ($exit, $out, $err) = kit('autopilot', $path, '-o', $folder, '--set', 'warehouses=1', '--set',
        'ladder=1 9000');
    is $exit, 5, 'too many virtual users: exit 5' or diag $err;
    like $err, qr/^ordermill: .*9000/m, 'too many virtual users: the number';
    ok !-e $folder, 'too many virtual users: no folder';
}

# A folder that cannot be made, before the server is asked for anything.
{
    my $path = folder() . '/nowhere.xml';
    spew($path, profile(''));
    my ($exit, $out, $err) = kit('autopilot', $path, '-o', '/proc/nowhere', '-h', '/nonexistent');
    is $exit, 7, 'no folder possible: exit 7';
    is $err, "ordermill: cannot make the folder \"/proc/nowhere\": No such file or directory\n",
      'no folder possible: said before connecting';
}

done_testing;

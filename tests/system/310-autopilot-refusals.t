# What the autopilot refuses, before it starts anything.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use Kit;
use Loaded;
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
    if (ref $wanted) {
        like $err, $wanted, "$what: said";
        is scalar(() = $err =~ /^(?!hint: )/mg), 1, "$what: in one clear line";
    } else {
        is $err, $wanted, "$what: one clear line";
    }
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
    qr/^ordermill: FILE:3: unknown attribute "users" of <ladder>; it has virtual-users, repeats, .*order$/,
    profile('<ladder users="2"/>'));
refused('no number', 3,
    "ordermill: FILE:3: warehouses: \"10abc\" is not a whole number from 1 to 100000\n",
    profile('<scale warehouses="10abc"/>'));
refused('too short', 3, "ordermill: FILE:3: measure: \"10ms\" is below 1s\n",
    profile('<timing measure="10ms"/>'));
refused('entities', 3, "ordermill: FILE:1: a DOCTYPE is not allowed here\n",
    qq{<!DOCTYPE p [<!ENTITY x SYSTEM "file:///etc/passwd">]>} . profile('<title>&x;</title>'));
refused('many laughs', 3, "ordermill: FILE:1: a DOCTYPE is not allowed here\n",
    '<!DOCTYPE l [<!ENTITY a "ha">' . join('', map { my $n = chr(ord('b') + $_); my $m = chr(ord('a') + $_);
        "<!ENTITY $n \"" . "&$m;" x 10 . '">' } 0 .. 9) . ']>' . profile('<title>&k;</title>'));
refused('an entity of nowhere', 3, "ordermill: FILE:3: not well-formed XML: entity 'x' not defined\n",
    profile('<title>&x;</title>'));
refused('XInclude', 3, "ordermill: FILE:3: namespaces are not allowed here\n",
    profile('<x:include xmlns:x="http://www.w3.org/2001/XInclude" href="file:///etc/passwd"/>'));
refused('an element twice', 3, "ordermill: FILE:4: <scale> stands twice\n",
    profile("<scale/>\n<scale/>"));
refused('an attribute twice', 3,
    "ordermill: FILE:3: not well-formed XML: attribute seed redefined\n", profile('<scale seed="1" seed="2"/>'));
refused('UTF-16', 3, "ordermill: FILE:1: the file is not UTF-8 text\n",
    "\xff\xfe" . join('', map { "$_\0" } split //, profile('')));
refused('a byte of zero', 3, "ordermill: FILE:1: the file is not UTF-8 text\n", profile("<!-- \0 -->"));
refused('over 1 MiB', 3, qr/^ordermill: .*(?:1048576|1\.0 MB|too large|larger)/,
    profile('<!--' . 'x' x (1 << 20) . '-->'));
refused('nested deeply', 3, qr/^ordermill: FILE:\d+: elements are nested too deeply$/,
    '<a>' x 40 . '</a>' x 40);
refused('no virtual users', 3, qr/^ordermill: FILE:3: virtual-users: "0" is not a list /,
    profile('<ladder virtual-users="0"/>'));
refused('a negative pace', 3, qr/^ordermill: FILE:3: pacing: "-1" is not /, profile('<workload pacing="-1"/>'));
refused('no number', 3, qr/^ordermill: FILE:3: pacing: "NaN" is not /, profile('<workload pacing="NaN"/>'));
refused('far too much', 3, qr/^ordermill: FILE:3: measure: "1e99s" is not /, profile('<timing measure="1e99s"/>'));
refused('more than there is', 3, qr/^ordermill: FILE:3: measure: "999999999999999999h" is /,
    profile('<timing measure="999999999999999999h"/>'));
refused('2^63', 3, qr/^ordermill: FILE:3: seed: "9223372036854775808" is not a whole number from 0 to 9223372036854775807$/,
    profile('<scale seed="9223372036854775808"/>'));
refused('a limit of nothing', 3, "ordermill: FILE:3: new-order: the mix has no such transaction\n",
    profile('<workload mix="read-only"/><limits new-order="1s"/>'));
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
    ($exit, $out, $err) = kit('autopilot', folder());
    is $exit, 3, 'a folder in place of a profile: exit 3';
    spew(folder() . '/bom.xml', "\xef\xbb\xbf" . profile(''));
    ($exit, $out, $err) = kit('autopilot', folder() . '/bom.xml', '--dry-run');
    is $exit, 0, 'a byte order mark is fine' or diag $err;
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

    my $loaded = loaded_schema(1);
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

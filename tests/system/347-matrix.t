# A profile that sweeps: sizes, configurations, mixes and ways to call, and two servers.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use JSON::PP;
use Kit;
use RunFolder;
use Test::More;

my $schema = fresh_schema('matrix');
END { psql(qq{drop schema if exists "${schema}_w$_" cascade}) for 1, 2 }

sub profile {
    my ($name, $inside) = @_;
    my $path = folder() . "/$name.xml";
    spew($path, qq{<profile name="$name" version="1">\n$inside\n}
          . qq{<ladder virtual-users="1 2" repeat-first="false"/>\n<timing ramp-up="0" measure="1s"/>\n<reset method="none"/>\n</profile>\n});
    return $path;
}

# Two sizes and two mixes: each size is built once, in a schema of its own.
{
    my $folder = folder() . '/sizes';
    my $path = profile('sizes', qq{<connection schema="$schema"/>\n}
          . q{<sweep warehouses="1 2" mix="standard read-only"/>} . "\n"
          . q{<limits new-order="2s" percentile="99"/>});
    my ($exit, $out, $err) = kit('autopilot', $path, '--dry-run', '--json');
    my $plan = decode_json($out);
    is scalar @{$plan->{steps}}, 8, 'dry run: eight steps';
    is $plan->{curves}[3]{name}, '2 warehouses, read-only', 'and the curves by name';

    ($exit, $out, $err) = kit({timeout => 120}, 'autopilot', $path, '-o', $folder);
    ok $exit == 0 || $exit == 1, 'sizes and mixes' or diag "exit $exit\n$err";
    is scalar(() = $err =~ /^building \d warehouses?$/mg), 2, 'each size is built once';
    is store($folder, 'select number, curve, curve_name, warehouses, mix_name, virtual_users from step'),
      "1|1|1 warehouse, standard|1|standard|1\n2|1|1 warehouse, standard|1|standard|2\n"
      . "3|2|1 warehouse, read-only|1|read-only|1\n4|2|1 warehouse, read-only|1|read-only|2\n"
      . "5|3|2 warehouses, standard|2|standard|1\n6|3|2 warehouses, standard|2|standard|2\n"
      . "7|4|2 warehouses, read-only|2|read-only|1\n8|4|2 warehouses, read-only|2|read-only|2",
      'what was run, in its order';
    is store($folder, 'select count(distinct seed) from step'), 8, 'no two with the same inputs';
    is store($folder, q{select count(*) from step_transaction t join step s on t.step = s.number
        where (t.type = 'payment') and ((t.committed > 0) = (s.mix_name = 'standard'))}), 8,
      'each with its own mix';
    is store($folder, q{select distinct new_order_limit_us, payment_limit_us, limit_percentile from step}),
      '2000000|0|99.0', 'and the limits';
    is psql(qq{select count(*) from "${schema}_w2".warehouse}), 2, 'two warehouses in their schema';
    is store($folder, q{select count(*) from environment where name like '%: version'}), 0,
      'what is the same is said once';
    is store($folder, q{select value from environment where name = '2 warehouses, standard: warehouses'
        and fact_group = 'database'}), 2, 'and what is not for each';
    is store($folder, 'select check_done from run'), 1, 'both are checked';
    my $report = slurp("$folder/report.txt");
    like $report, qr/^\Q$_\E$/m, "the report has the curve $_"
      for '1 warehouse, standard', '2 warehouses, read-only';
    my ($status, $json) = kit('report', $folder, '--format', 'json');
    my $document = decode_json($json);
    is join('; ', map { "$_->{curve} $_->{title}: @{$_->{virtual_users}}" } @{$document->{curves}}),
      '1 1 warehouse, standard: 1 2; 2 1 warehouse, read-only: 1 2; 3 2 warehouses, standard: 1 2; '
      . '4 2 warehouses, read-only: 1 2', 'and so has JSON';
    like slurp("$folder/report.html"), qr{<h3[^>]*>2 warehouses, read-only</h3>}, 'and HTML';
    my $html = slurp("$folder/report.html");
    cmp_ok scalar(() = $html =~ m{<h3[^>]*>2 warehouses, read-only</h3>}g), '>=', 4,
      'profile, response times, errors, resources, each by curve';
}

# Configurations by session, the same server under two names, two ways to call.
{
    my $folder = folder() . '/servers';
    my $path = profile('servers', <<"END");
<connection schema="${schema}_w1"/>
<servers><server name="old"/><server name="new" host="/nowhere"/></servers>
<configurations>
  <configuration name="plain"/>
  <configuration name="async" session-settings="synchronous_commit=off; work_mem=5MB"/>
</configurations>
<sweep call="functions procedures"/>
END
    my ($exit, $out, $err) = kit('autopilot', $path, '-o', $folder);
    is $exit, 4, 'a server that is not there' or diag $err;
    ok !-e $folder, 'is found before the first step';
    ($exit, $out, $err) = kit({timeout => 120}, 'autopilot', $path, '-o', $folder, '--set',
        "new\@host=$ENV{PGHOST}", '--set', 'ladder=1', '-q');
    ok $exit == 0 || $exit == 1, 'servers, configurations, calls' or diag "exit $exit\n$err";
    is store($folder, 'select server, configuration, call, curve_name from step'),
      join("\n", map { my $s = $_; map { my $c = $_; map { "$s|$c|$_|$s, $c, $_" }
          qw(functions procedures) } qw(plain async) } qw(old new)), 'all combinations';
    ($exit, $out, $err) = kit('autopilot', $path, '--set', "new\@host=$ENV{PGHOST}", '-o',
        folder() . '/none', '--set', 'async@session-settings=nonsense=1');
    is $exit, 4, 'a setting that the server does not know' or diag $err;
    like $err, qr/^ordermill: old, async, functions: .*nonsense/m, 'is named with its curve';
    ok !-e folder() . '/none', 'before the first step';
    ($exit, $out, $err) = kit('autopilot', $path, '--set', "new\@host=$ENV{PGHOST}", '-o',
        folder() . '/none', '--set', 'async@session-settings=shared_buffers=1GB');
    is $exit, 4, 'a setting that no session can have' or diag $err;
    like $err, qr/^hint: sessions ask for what their role may set; the kit alters no role, database or server, but a hook/m,
      'the hint says what the kit does not do, and who can';
}

# What a role may set by ALTER ROLE a session may ask for: that wins over what the role has, the role
# keeps it, and a configuration without it has the role's own.
{
    my $role = 'setter_' . $$;
    my $folder = folder() . '/role';
    psql(qq{create role $role superuser login; alter role $role set default_transaction_read_only = on;
        alter role $role set work_mem = '7MB'});
    my $path = profile('role', qq{<connection schema="${schema}_w1" username="$role"/>\n}
          . '<configurations><configuration name="asked" session-settings="default_transaction_read_only=off"/>'
          . '</configurations><checks consistency="none"/>');
    my ($exit, $out, $err) = kit('autopilot', $path, '-o', $folder, '--set', 'ladder=1');
    ok $exit == 0 || $exit == 1, 'a session asks for what its role has otherwise' or diag "exit $exit\n$err";
    cmp_ok store($folder, 'select sum(new_orders_driver) from step'), '>', 0, 'its sessions write';
    is store($folder, q{select value from environment where fact_group = 'setting' and name = 'work_mem'}),
      '7MB', 'what it does not ask for is the role\'s own';
    ($exit, $out, $err) = kit('autopilot', $path, '-o', folder() . '/own', '--set', 'ladder=1', '--set',
        'asked@session-settings=work_mem=9MB');
    is $exit, 5, 'without that the role may not write' or diag $err;
    is psql("select array_to_string(rolconfig, ' ') from pg_roles where rolname = '$role'"),
      'default_transaction_read_only=on work_mem=7MB', 'the role is as it was';
    psql("drop role $role");
}

done_testing;

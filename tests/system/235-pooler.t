# A level behind PgBouncer in transaction mode, with fewer server connections than virtual users.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use Kit;
use Loaded;
use Test::More;

my $schema = loaded_schema(2);
my $folder = folder();
my $config = "$folder/pooler.ini";

# It refuses to run as root, so then it runs as whoever owns the server's socket.
my $owner = $> == 0 ? getpwuid((stat "$ENV{PGHOST}/.s.PGSQL.$ENV{PGPORT}")[4]) : undef;
chown +(getpwnam $owner)[2, 3], $folder if defined $owner;

sub pooler {
    my ($ignored) = @_;
    spew($config, <<"END");
[databases]
* = host=$ENV{PGHOST} port=$ENV{PGPORT} user=$ENV{PGUSER}
[pgbouncer]
unix_socket_dir = $folder
listen_port = 6432
auth_type = any
pool_mode = transaction
default_pool_size = 2
ignore_startup_parameters = $ignored
END
    chmod 0644, $config;
    my $pooler = Kit::Process->start({env => {PATH => "$ENV{PATH}:/usr/sbin"}}, 'pgbouncer', '-q',
        (defined $owner ? ('-u', $owner) : ()), $config);
    ok wait_until(sub { -S "$folder/.s.PGSQL.6432" }), 'the pooler listens';
    return $pooler;
}

sub stop {
    my ($pooler) = @_;
    $pooler->signal('INT');
    $pooler->finish;
    return;
}

my @level = ('-h', $folder, '-p', 6432, '-U', $ENV{PGUSER}, '-d', $ENV{PGDATABASE}, '-u', 4, '-t', '1s');

my $pooler = pooler('extra_float_digits, options');
for my $how (['functions', 'extended'], ['procedures', 'extended'], ['functions', 'simple'],
    ['procedures', 'simple'], ['statements', 'extended']) {
    my ($call, $protocol) = @$how;
    my ($exit, $json, $err) = run_json($schema, @level, '--protocol', $protocol, '--call', $call);
    is $exit, 0, "@$how: four virtual users share two connections" or diag $err;
    is $json->{verdicts}{consistency}, 'PASS', "@$how: counted right";
    is_deeply $json->{errors}, {}, "@$how: no errors";
}
my ($exit, $json, $err) = run_json($schema, @level);
isnt $exit, 0, 'prepared statements do not survive the pooler';
like join(' ', $err, map { $_ // '' } %{$json->{error_messages} // {}}),
  qr/behind a connection pooler in transaction mode, run with --protocol extended/, 'which is said';
stop($pooler);

$pooler = pooler('extra_float_digits');
($exit, undef, $err) = run_json($schema, @level, '--protocol', 'extended');
is $exit, 4, 'a pooler that refuses what sessions ask for';
like $err, qr/unsupported startup parameter.*\nhint: .*ignore_startup_parameters/, 'and what to do';
stop($pooler);

done_testing;

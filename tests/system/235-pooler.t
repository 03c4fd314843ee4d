# A level behind PgBouncer in transaction mode, with fewer server connections than virtual users.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use IO::Socket::INET;
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
    my ($ignored, %how) = @_;
    my ($mode, $size) = ($how{mode} // 'transaction', $how{size} // 2);
    my ($port, $more) = ($how{port} // 6432, $how{more} // '');
    spew($config, <<"END");
[databases]
* = host=$ENV{PGHOST} port=$ENV{PGPORT} user=$ENV{PGUSER}
[pgbouncer]
unix_socket_dir = $folder
listen_port = $port
auth_type = any
pool_mode = $mode
default_pool_size = $size
ignore_startup_parameters = $ignored
$more
END
    chmod 0644, $config;
    my $pooler = Kit::Process->start({env => {PATH => "$ENV{PATH}:/usr/sbin"}}, 'pgbouncer', '-q',
        (defined $owner ? ('-u', $owner) : ()), $config);
    ok wait_until(sub { -S "$folder/.s.PGSQL.$port" }), 'the pooler listens';
    return $pooler;
}

sub free_port {
    my $socket = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1') or die "no port: $!\n";
    return $socket->sockport;
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
    ok exists $json->{sessions_left} && !defined $json->{sessions_left},
      "@$how: whether sessions are left on the server cannot be seen";
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

# ---- encrypted, in session mode ----

# Calls that pass libpq by would end such a stream at once; on the same pooler without encryption
# they are understood.
sub encrypted_and_plain {
    my $port = free_port();
    my ($made) = run({}, 'openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', 2,
        '-subj', '/CN=localhost', '-keyout', "$folder/key", '-out', "$folder/certificate");
    is $made, 0, 'a certificate';
    chown +(getpwnam $owner)[2, 3], "$folder/key" if defined $owner;
    my $secure = pooler('extra_float_digits, options', mode => 'session', size => 8, port => $port,
        more => "client_tls_sslmode = allow\nclient_tls_key_file = $folder/key\n"
          . "client_tls_cert_file = $folder/certificate\nlisten_addr = 127.0.0.1");
    for my $tls ('require', 'disable') {
        local $ENV{PGSSLMODE} = $tls;
        my ($status, $level, $errors) = run_json($schema, @level, '-h', '127.0.0.1', '-p', $port, '-u', 2);
        is $status, 0, "sslmode=$tls: a sound level" or diag $errors;
        is $level->{protocol}, 'prepared', "sslmode=$tls: of prepared calls";
        is $level->{verdicts}{consistency}, 'PASS', "sslmode=$tls: counted right";
        is_deeply $level->{errors}, {}, "sslmode=$tls: no errors";
    }
    stop($secure);
    return;
}

SKIP: {
    skip 'no openssl', 1 if !grep { -x "$_/openssl" } split /:/, $ENV{PATH};
    encrypted_and_plain();
}

done_testing;

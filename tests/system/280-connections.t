# Every way that libpq has to say where, as whom and with which password; TLS as it really is. A server
# of this test's own, since that of the others asks nobody for a password.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use File::Find ();
use IO::Socket::INET;
use Kit;
use OwnServer;
use Test::More;
use Time::HiRes qw(time);

my $port = do { my $free = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1'); $free->sockport };
my $role     = 'Bench@srv-1';
my $database = 'My-Db';
my $password = q{p%a s'"w@:\\};
my %nobody   = map { $_ => undef } qw(PGHOST PGPORT PGUSER PGDATABASE PGPASSWORD PGPASSFILE PGSERVICE PGSSLMODE);
my $server = OwnServer->start(settings => "listen_addresses = '127.0.0.1'\nport = $port\n",
    hba => "local all own trust\nhost all own 127.0.0.1/32 trust\n"
      . "local all all scram-sha-256\nhost all all 127.0.0.1/32 scram-sha-256\n");
my ($own, $folder) = ($server->folder, folder());
my %own = (%nobody, PGHOST => $own, PGPORT => $port, PGUSER => 'own', PGDATABASE => 'postgres');
sub ask { my ($sql, $where) = @_; return psql($sql, env => {%own, PGDATABASE => $where // 'postgres'}) }

(my $literal = $password) =~ s/'/''/g;
ask(qq{create role "$role" login password '$literal'; create database "$database" owner "$role"});

# ---- the password in all its forms, and names that need quotes, through the whole cycle ----

sub encoded { my ($text) = @_; $text =~ s/([^A-Za-z0-9.-])/sprintf '%%%02X', ord $1/ge; return $text }
sub quoted { my ($text) = @_; $text =~ s/([\\'])/\\$1/g; return "'$text'" }

(my $in_file = $password) =~ s/([\\:])/\\$1/g;
spew("$folder/passwords", "*:*:*:$role:$in_file\n");
chmod 0600, "$folder/passwords";
spew("$folder/services", "[bench]\nhost=$own\nport=$port\nuser=$role\ndbname=$database\n");
my %at = (%nobody, PGHOST => $own, PGPORT => $port);
my %forms = (
    'a URI' => [{%nobody}, '-d', 'postgresql://' . encoded($role) . ':' . encoded($password) . "\@/"
          . encoded($database) . '?host=' . encoded($own) . "&port=$port"],
    'keywords' => [{%nobody}, '-d', "host=$own port=$port dbname=$database user=" . quoted($role)
          . ' password=' . quoted($password)],
    PGPASSWORD => [{%at, PGPASSWORD => $password}, '-U', $role, '-d', $database],
    'a password file' => [{%at, PGPASSFILE => "$folder/passwords"}, '-U', $role, '-d', $database],
    'a service' => [{%nobody, PGSERVICEFILE => "$folder/services", PGPASSFILE => "$folder/passwords"},
        '-d', 'service=bench'],
);

sub silent { my ($what, @texts) = @_; return unlike(join('', @texts), qr/\Q$password\E|%25a%20s|p%a s/, "$what: never shown") }

my ($exit, $out, $err);
my @cycle = (['load', '-w', 1, '-q'], ['run', '-u', 2, '-t', '1s', '--ramp-up', '0s', '-v'], ['check'], ['drop']);
for my $command (@cycle) {
    my ($env, @where) = @{$forms{'a URI'}};
    ($exit, $out, $err) = kit({env => $env}, @$command, @where, '--schema', 'Its Schema');
    ok $exit == 0 || $command->[0] eq 'run' && $exit == 1, "a URI: $command->[0]" or diag $err;
    silent("a URI: $command->[0]", $out, $err);
}
is ask(q{select count(*) from pg_namespace where nspname = 'Its Schema'}, $database), 0, 'dropped again';
is ask(qq{select count(*) from pg_database where datname = '$database'}), 1, 'but not the database';
is ask(qq{select a.rolpassword like 'SCRAM%' and s.setrole is null from pg_authid a left join pg_db_role_setting s
      on s.setrole = a.oid where a.rolname = '$role'}), 't',
  'and the role is as it was';

my ($uri_env, @uri) = @{$forms{'a URI'}};
($exit, $out, $err) = kit({env => $uri_env}, 'load', '-w', 1, '-q', @uri);
is $exit, 0, 'one warehouse' or diag $err;
for my $form (sort keys %forms) {
    my ($env, @where) = @{$forms{$form}};
    ($exit, $out, $err) = kit({env => $env}, 'check', '--fast', @where);
    is $exit, 0, "$form: connects" or diag $err;
    silent($form, $out, $err);
}

# ---- forms that are wrong ----

for my $wrong ("postgresql://u:$password\@h/d", "password=$password host=$own", 'postgresql://u:se%zz@h/d') {
    ($exit, $out, $err) = kit({env => {%nobody}}, 'check', '-d', $wrong);
    is $exit, 2, 'a malformed string is a usage error' or diag $err;
    like $err, qr/\Aordermill: --dbname: the connection string is malformed: [^\n]+\n(?:hint: [^\n]+\n)?\z/, 'in one line';
    unlike $err, qr/se%zz|p%a|w@/, 'without the secret';
}
($exit, $out, $err) = kit({env => {%at, PGPASSWORD => "not $password"}}, 'check', '-U', $role, '-d', $database);
is $exit, 4, 'the wrong password' or diag $err;
like $err, qr/password authentication failed for user "\Q$role\E"/, 'is said';
silent('the wrong password', $out, $err);

# ---- no password, and a file that others may read ----

my $begun = time;
($exit, $out, $err) = kit({env => {%at}, stdin => ''}, 'run', '-U', $role, '-d', $database, '-u', 4, '-t', '1s');
is $exit, 4, 'no password' or diag $err;
like $err, qr/\Aordermill: [^\n]*no password supplied\nhint: set PGPASSWORD, or put the password into a password file [^\n]+\n\z/,
  'is said once, with what to do';
cmp_ok time - $begun, '<', 10, 'at once, and nobody is asked';

chmod 0644, "$folder/passwords";
my %open = (PGPASSFILE => "$folder/passwords");
($exit, $out, $err) = kit({env => {%at, %open}}, 'run', '-U', $role, '-d', $database, '-u', 4, '-t', '1s');
is $exit, 4, 'a password file that others may read is not used' or diag $err;
is scalar(() = $err =~ /password file "/g), 1, 'said once';
like $err, qr/^ordermill: warning: the password file "\Q$folder\E\/passwords" is not used: others may read it; chmod 0600 mends that$/m,
  'with what mends it';
($exit, $out, $err) = kit({env => {%at, %open}}, 'run', '-U', 'own', '-d', $database, '-u', 4, '-t', '1s',
    '--ramp-up', '0s');
ok $exit == 0 || $exit == 1, 'whoever needs none connects all the same' or diag $err;
is scalar(() = $err =~ /password file/g), 1, 'and is warned once, not for each virtual user';
($exit, $out, $err) = kit({env => {%at, %open, PGPASSWORD => $password}}, 'check', '--fast', '-U', $role, '-d', $database);
is "$exit|$err" =~ /password file/ ? 'warned' : $exit, 0, 'with a password from elsewhere nothing is said of it';
chmod 0600, "$folder/passwords";

# ---- several hosts; what the report says is where it really was ----

my $runs = 0;
spew("$folder/p.xml", '<profile name="p" version="1"><ladder virtual-users="1"/><timing ramp-up="0" measure="1s"/>'
      . '<reset method="none"/><checks consistency="none"/></profile>');

sub fact {
    my ($what, $env, @where) = @_;
    my $to = "$folder/run" . ++$runs;
    my ($status, $printed, $said) = kit({env => $env}, 'autopilot', "$folder/p.xml", '-o', $to, @where);
    ok $status == 0 || $status == 1, $what or diag "exit $status\n$said";
    return {} if $status > 1;
    my (undef, $facts) = run('sqlite3', "$to/run.sqlite",
        q{select name || '=' || value from environment where fact_group = 'server'
           or name = 'prepared calls'});
    File::Find::find(sub { -f && index(slurp($_), $password) >= 0 and fail "the password is in $_" }, $to);
    return {map { split /=/, $_, 2 } split /\n/, $facts};
}

my %as = (%nobody, PGPASSWORD => $password);
my $facts = fact('several hosts', \%as, '-d',
    "host=/nonexistent,$own port=$port dbname=$database user=" . quoted($role) . ' target_session_attrs=read-write');
is $facts->{host}, $own, 'several hosts: the report names the one that was used';
$facts = fact('a service', {%as, PGSERVICEFILE => "$folder/services"}, '-d', 'service=bench');
is "$facts->{host} $facts->{port}", "$own $port", 'a service: the report names host and port';
($exit, $out, $err) = kit({env => {%as}}, 'check', '-U', $role, '-d',
    "host=$own port=$port dbname=$database target_session_attrs=read-only");
is $exit, 4, 'a session that is not as asked for' or diag $err;
like $err, qr/^ordermill: .*read-only/m, 'is named';
($exit, $out, $err) = kit({env => {%nobody, PGSERVICEFILE => "$folder/services"}}, 'check', '-d', 'service=nope');
is $exit, 4, 'a service that is not there' or diag $err;
like $err, qr/^ordermill: .*nope/m, 'is named';

# ---- TLS: what is, not what was wished for ----

my %tcp = (%as, PGHOST => '127.0.0.1', PGPORT => $port);
($exit, $out, $err) = kit({env => {%tcp, PGSSLMODE => 'require'}}, 'check', '-U', $role, '-d', $database);
is $exit, 4, 'required, but the server has none' or diag $err;
like $err, qr/server does not support SSL, but SSL was required/, 'is said';
$facts = fact('required, over a unix socket', {%as, PGHOST => $own, PGPORT => $port, PGSSLMODE => 'require'},
    '-U', $role, '-d', $database);
is $facts->{tls}, 'not in use', 'required, over a unix socket: there is none, and so it says';
is $facts->{'prepared calls'}, 'sent and read without libpq', 'and calls pass libpq by';

SKIP: {
    my ($made, undef, $why) = run('openssl', split(/ /, 'req -x509 -newkey rsa:2048 -nodes -days 2'
          . ' -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout'), "$own/key", '-out', "$own/certificate");
    skip "no certificate: $why", 1 if $made != 0;
    chmod 0600, "$own/key";
    $server->give("$own/key", "$own/certificate");
    my (undef, undef, $refused) = psql("alter system set ssl_key_file = '$own/key'; alter system set"
          . " ssl_cert_file = '$own/certificate'; alter system set ssl = on; select pg_reload_conf()",
        fails => 1, env => \%own);
    skip "no TLS in this server: $refused", 1
      if !wait_until(sub { (psql('show ssl', fails => 1, env => \%own))[1] =~ /on/ }, 5);
    $facts = fact('required, and there is TLS', {%tcp, PGSSLMODE => 'require'}, '-U', $role, '-d', $database);
    is $facts->{tls}, 'in use', 'required, and there is TLS: so it says';
    is $facts->{'prepared calls'}, 'through libpq, as the connection is encrypted', 'and calls go through libpq';
    ($exit, $out, $err) = kit({env => {%tcp, PGSSLMODE => 'verify-full', HOME => "$folder/nowhere",
        PGSSLROOTCERT => "$folder/no.crt"}}, 'check', '-U', $role, '-d', $database);
    is $exit, 4, 'verified, without a root certificate' or diag $err;
    like $err, qr/^ordermill: .*root certificate file "\Q$folder\E\/no\.crt" does not exist/m, 'is said';
    $facts = fact('verified', {%tcp, PGSSLMODE => 'verify-full', PGSSLROOTCERT => "$own/certificate"}, '-U', $role,
        '-d', $database);
    is $facts->{tls}, 'in use', 'verified: in use';
}

done_testing;

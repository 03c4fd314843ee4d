# The private server: who runs it, what it is, and that it is gone however the kit ends.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Test::More;
use Kit;

use File::Copy ();

# The kit's folder may be closed to others, so that the ordinary account needs a copy.
my $folder = folder();
my $binary = "$folder/ordermill";
File::Copy::copy($ENV{ORDERMILL}, $binary) or die "copy: $!";
chmod 0755, $binary, $folder or die "chmod: $!";

# A folder for servers alone, so that whatever is in it at the end was left behind.
my $servers = "$folder/t";
mkdir $servers or die "mkdir: $!";
chmod 01777, $servers or die "chmod: $!";
my %env = (env => {TMPDIR => $servers, map { $_ => undef } qw(PGHOST PGPORT PGUSER PGDATABASE)});

my @ordinary = $> == 0 ? qw(runuser -u nobody --) : ();

sub left_behind { return join ' ', glob "$servers/*" }

# The supervisor, the postmaster and the processes under it.
sub processes {
    my ($server) = @_;
    my ($postmaster) = slurp("$server/data/postmaster.pid") =~ /^(\d+)/;
    my ($supervisor) = slurp("/proc/$postmaster/status") =~ /^PPid:\s+(\d+)/m;
    my @children;
    for my $status (glob '/proc/[0-9]*/status') {
        my $text = eval { slurp($status) } // next;
        push @children, $1 if $text =~ /^PPid:\s+$postmaster$/m && $status =~ m{/(\d+)/};
    }
    return ($supervisor, $postmaster, @children);
}

# Gone, or a zombie that its new parent has not collected.
sub all_gone {
    my @pids = @_;
    my $runs = sub { (eval { slurp("/proc/$_[0]/status") } // 'State: Z') !~ /^State:\s+[ZX]/m };
    return wait_until(sub { !grep { $runs->($_) } @pids });
}

# Starts a server that waits for a signal; returns it, its folder and its processes.
sub waiting_server {
    my (@prefix) = @_;
    my $run = Kit::Process->start(\%env, @prefix, $binary, 'server');
    my ($server) = $run->wait_for(qr/^connect: .*\n/m) =~ /^connect: +psql -h (\S+) /m;
    return ($run, $server, processes($server));
}

# ---- what it is ----

is psql('show fsync'),              'on', 'fsync is on';
is psql('show synchronous_commit'), 'on', 'synchronous_commit is on';
is psql('show full_page_writes'),   'on', 'full_page_writes is on';
is psql('show listen_addresses'),   '',   'it listens on no address';
is psql('show unix_socket_directories'), qq("$ENV{PGHOST}"), 'its socket is in its folder';
is psql('select current_user'),     'ordermill', 'the role is ordermill';
is psql('select rolsuper from pg_roles where rolname = current_user'), 't', 'a superuser';
is psql('select current_database()'), 'ordermill', 'and the database';
is psql('show server_encoding'), 'UTF8', 'in UTF-8';
is sprintf('%o', (stat $ENV{PGHOST})[2] & 07777), '700', 'its folder is closed to others';
isnt +(stat $ENV{PGHOST})[4], 0, 'an ordinary account runs it';

# ---- around a command ----

for my $prefix ($> == 0 ? [] : (), \@ordinary) {
    my $who = @$prefix ? 'nobody' : getpwuid $>;
    my ($exit, $out, $err) = run({%env}, @$prefix, $binary, 'server', '--',
        'sh', '-c', 'psql -X -A -t -c "select 41 + 1"; stat -c %U "$PGHOST"; exit 3');
    my $owner = $> != 0 || @$prefix ? $who : getpwnam('postgres') ? 'postgres' : 'nobody';
    is $exit, 3, "$who: the exit status is the command's";
    is $out, "42\n$owner\n", "$who: the command reaches a server of account $owner";
    like $err, qr/^private server: PostgreSQL \d+/, "$who: the version is printed";
    like $err, qr/shared_buffers=\d+MB.* fsync=on/, "$who: so are the settings";
    is left_behind(), '', "$who: nothing is left";
}

# The user's own server must not shine through, neither for the kit nor for the command.
{
    my %own = (PGHOSTADDR => '192.0.2.1', PGSERVICE => 'nowhere', PGOPTIONS => '-c nothing=1',
               PGSSLMODE => 'verify-full', PGPORT => 1, PGDATABASE => 'own');
    my ($exit, $out) = run({env => {%{$env{env}}, %own}}, $binary, 'server', '-q', '--',
        'psql', '-X', '-A', '-t', '-c', 'select current_database()');
    is $exit, 0, 'with variables of libpq that point elsewhere: exit status';
    is $out, "ordermill\n", 'the command reaches the private server';
}

# ---- every way to end ----

for my $signal (qw(INT TERM KILL)) {
    my ($run, $server, @pids) = waiting_server($signal eq 'KILL' ? @ordinary : ());
    # runuser passes no KILL on: it is the kit itself that must be hit.
    my ($kit) = slurp("/proc/$pids[0]/status") =~ /^PPid:\s+(\d+)/m;
    cmp_ok scalar @pids, '>', 3, "$signal: a server runs";
    kill $signal, $kit;
    $run->finish;
    ok all_gone($kit, @pids), "$signal: its processes are gone";
    ok wait_until(sub { !-e $server }), "$signal: so is its folder";
}

for my $signal (qw(TERM KILL)) {
    my $run = Kit::Process->start(\%env, $binary, 'server', '--',
        'sh', '-c', 'echo "in $PGHOST by $$."; exec sleep 600');
    my ($server, $pid) = $run->wait_for(qr/by \d+\./) =~ /in (\S+) by (\d+)\./;
    my @pids = ($pid, processes($server));
    $run->signal($signal);
    my ($exit) = $run->finish;
    is $exit, $signal eq 'TERM' ? 143 : 137, "$signal around a command: exit status";
    ok all_gone(@pids), "$signal around a command: the command and the server are gone";
    ok wait_until(sub { !-e $server }), "$signal around a command: so is the folder";
}

{
    my ($run, $server, $supervisor, $postmaster, @children) = waiting_server();
    kill 'KILL', $postmaster;
    my ($exit, $out, $err) = $run->finish;
    is $exit, 7, 'a server that is killed: exit status';
    like $err, qr/^ordermill: the private server was ended by signal 9$/m, 'and the reason';
    ok all_gone($supervisor, $postmaster, @children), 'no process is left';
    ok !-e $server, 'no folder is left';
}

# Processes that were stopped can neither shut down nor notice that the postmaster is gone.
for my $way ('is killed', 'is told to end') {
    my ($run, $server, $supervisor, $postmaster, @children) = waiting_server();
    kill 'STOP', @children, $way eq 'is told to end' ? $postmaster : ();
    $way eq 'is killed' ? kill 'KILL', $postmaster : $run->signal('TERM');
    $run->finish;
    ok all_gone($supervisor, $postmaster, @children),
      "a server with stopped processes that $way: none is left";
    kill 'KILL', @children;
    ok !-e $server, 'no folder is left';
}

# ---- keep ----

{
    # Through a pipe: its end shows that the server does not hold the kit's output open.
    my ($exit, $out, $err) = run({%env}, 'sh', '-c', "$binary server -q --keep | cat");
    my ($connect, $stop) = $out =~ /\Aconnect: +(.*)\nstop: +(.*)\n\z/;
    is $exit, 0, 'keep: exit status';
    my @pids = processes(left_behind());
    is_deeply [(run({%env}, 'sh', '-c', "$connect -X -A -t -c 'select 7'"))[0, 1]], [0, "7\n"],
      'keep: the line to connect works';
    is +(run({%env}, 'sh', '-c', $stop))[0], 0, 'keep: the line to stop works';
    shift @pids; # the supervisor ended with the kit; its number may be anybody's
    ok all_gone(@pids), 'keep: the server is gone then';
}

# ---- refusals: one line, a hint, nothing started ----

sub refuses {
    my ($name, $env, $args, $message, $hint) = @_;
    my ($exit, $out, $err) = run({env => {%{$env{env}}, %$env}}, $binary, 'server', @$args, '--', 'true');
    is $exit, 7, "$name: exit status";
    like $err, qr/\Aordermill: $message\n(?:hint: $hint\n)\z/, "$name: message and hint";
    return;
}

{
    my $long = "$servers/" . 'x' x 90;
    mkdir $long;
    chmod 01777, $long;
    refuses('a folder with a long name', {TMPDIR => $long}, [],
        qr/\Q$long\E is too long: the path of the server's socket would have \d+ bytes, the limit is 107/,
        'set TMPDIR to a folder with a shorter path');
    rmdir $long;
}
refuses('a folder that is not there', {TMPDIR => '/nonexistent'}, [],
    'cannot use folder /nonexistent: No such file or directory', 'set TMPDIR to a folder that exists');
{
    my $closed = "$servers/closed";
    mkdir $closed, 0500;
    refuses('a folder closed to the account', {TMPDIR => $closed}, [],
        qr/cannot start a private server: cannot make a folder in \Q$closed\E.*: Permission denied/,
        'set TMPDIR to a folder where it can');
    rmdir $closed;
}
{
    my ($exit, $out, $err) = run({%env}, $binary, 'server', '--bindir', '/nonexistent', '--', 'true');
    is_deeply [$exit, $err], [7, "ordermill: no initdb and postgres in /nonexistent\n"],
      'a folder without a server';
    ($exit, $out, $err) = run({%env}, $binary, 'server', '-q', '--', '/nonexistent/program');
    is_deeply [$exit, $err],
      [127, "ordermill: cannot run /nonexistent/program: No such file or directory\n"],
      'a command that is not there';
}

is left_behind(), '', 'nothing is left in the end';

done_testing;

# Kit: what the system tests share. They run inside `ordermill server -- prove ...`, which gives
# them PGHOST, PGPORT, PGUSER and PGDATABASE; ORDERMILL names the binary. Where several run at once,
# ../servers.sh starts a server for each, and a test has the one it takes to itself until it ends.
#
#   my ($exit, $stdout, $stderr) = kit('load', '-w', 1, '--schema', $schema);
#   my ($exit, $stdout, $stderr) = kit({timeout => 20, env => {PGUSER => 'x'}}, 'check');
#   my ($exit, $stdout, $stderr) = run('psql', '--version');      # any program, the same options
#   my $text   = psql('select 1');                                # dies on an SQL error
#   my $schema = fresh_schema();                                  # dropped when the test ends
#   my $run    = in_background('run', '-u', 2, '-t', '60s');      # then:
#   $run->wait_for(qr/virtual users run/);  $run->signal('INT');  my @result = $run->finish;
#
# Options, as a first hash: timeout (seconds, default 120), env (undef as value removes), stdin
# (text), cwd. The exit status of a program that a signal ended is 128 + the signal. A program
# that exceeds its time is killed and the test dies.
package Kit;

use strict;
use warnings;

use Exporter 'import';
use Fcntl qw(LOCK_EX LOCK_NB);
use File::Temp ();
use POSIX ();
use Time::HiRes qw(sleep time);

our @EXPORT = qw(kit run psql fresh_schema in_background slurp spew folder wait_until quote_ident
  sessions_ended crash_server);

our %running;     # pid => Kit::Process, what END must not leave behind
my $folder;       # of this test, removed at its end
my @schemas;
my $schema_count = 0;
my $owner = $$;
my $server;       # the file that is locked while a server of several is ours

# Of the servers one that is free, else the next to be.
sub take_server {
    my @hosts = split ' ', delete($ENV{TEST_SERVERS}) // '';
    for my $wait (LOCK_NB, 0) {
        for my $host (@hosts) {
            my $path = "$host/.s.PGSQL.$ENV{PGPORT}.lock";
            open $server, '<', $path or die "Kit: $path: $!\n";
            next if !flock $server, LOCK_EX | $wait;
            $ENV{PGHOST} = $host;
            return;
        }
    }
    return;
}
take_server();

sub options {
    my ($args) = @_;
    return ref $args->[0] eq 'HASH' ? shift @$args : {};
}

sub binary {
    my $path = $ENV{ORDERMILL} or die "Kit: ORDERMILL does not name the binary; run: make test\n";
    return $path;
}

# ($exit, $stdout, $stderr) of the kit with these arguments.
sub kit {
    my @args = @_;
    my $options = options(\@args);
    return run($options, binary(), @args);
}

# The same for any program.
sub run {
    my @args = @_;
    my $options = options(\@args);
    return Kit::Process->start($options, @args)->finish;
}

# Starts the kit and returns at once, with a Kit::Process.
sub in_background {
    my @args = @_;
    my $options = options(\@args);
    return Kit::Process->start($options, binary(), @args);
}

# The rows of the last statement: columns separated by |, rows by newlines, no newline at the end.
# Dies on an error, unless fails => 1: then returns ($exit, $stdout, $stderr).
sub psql {
    my ($sql, %options) = @_;
    my $fails = delete $options{fails};
    my ($exit, $out, $err) =
      run({%options, stdin => $sql}, qw(psql -X -q -A -t -v ON_ERROR_STOP=1 -f -));

    return ($exit, $out, $err) if $fails;
    die "psql: exit $exit: ${err}in: $sql\n" if $exit != 0;
    chomp $out;
    return $out;
}

sub quote_ident {
    my ($name) = @_;
    $name =~ s/"/""/g;
    return qq("$name");
}

# A schema name that nobody uses. The schema itself is not made; whatever is in it at the end of
# the test is dropped.
sub fresh_schema {
    my ($stem) = @_;
    my $name = sprintf '%s_%d_%d', $stem // 'test', $$, ++$schema_count;
    push @schemas, $name;
    return $name;
}

# A folder of this test alone, removed at its end.
sub folder {
    $folder //= File::Temp->newdir('ordermill-test-XXXXXX', TMPDIR => 1);
    return "$folder";
}

sub slurp {
    my ($path) = @_;
    open my $in, '<:raw', $path or die "$path: $!\n";
    local $/;
    return scalar <$in>;
}

sub spew {
    my ($path, $text) = @_;
    open my $out, '>:raw', $path or die "$path: $!\n";
    print $out $text;
    close $out or die "$path: $!\n";
    return;
}

# Waits until the code returns true, at most so many seconds (default 30); returns what it returned.
sub wait_until {
    my ($code, $seconds) = @_;
    my $end = time + ($seconds // 30);
    while (1) {
        my $value = $code->();
        return $value if $value || time > $end;
        sleep 0.02;
    }
}

# Whether every session of the kit, or of those that the condition means, has ended. The server takes
# a moment to notice that a client has left, and what waits for sessions to begin must not find those
# of before.
sub sessions_ended {
    my ($condition) = @_;
    $condition //= "application_name like 'ordermill%'";
    return wait_until(sub { psql("select count(*) from pg_stat_activity where $condition") == 0 });
}

# A backend of the server dies, and one of these if there still is one; the server then ends all
# sessions and recovers from its log: commits that were not yet on disk are lost. Returns when it is
# back, which may be soon: that it has begun to is told by a session of our own.
sub crash_server {
    my (@backends) = @_;
    my $canary = Kit::Process->start({env => {PGAPPNAME => 'canary'}}, 'psql', '-X', '-q', '-c',
        'select pg_sleep(600)');
    my $pid = wait_until(sub { psql("select pid from pg_stat_activity
                                      where application_name = 'canary' and state = 'active'") });
    kill 'KILL', @backends, $pid;
    $canary->finish;
    return wait_until(sub { (psql('select 1', fails => 1))[0] == 0 }, 60);
}

END {
    if ($$ == $owner) {
        my $status = $?;
        $_->kill_all for values %running;
        if (@schemas) {
            my $sql = join '', "set client_min_messages = error;\n",
              map { 'drop schema if exists ' . quote_ident($_) . " cascade;\n" } @schemas;
            eval { psql($sql); 1 } or print STDERR "# fresh_schema: $@";
        }
        undef $folder;
        $? = $status;
    }
}

package Kit::Process;

use Time::HiRes qw(sleep time);

# In a process group of its own, so that what it started can be ended with it.
sub start {
    my ($class, $options, @command) = @_;
    my $self = bless {command => \@command, timeout => $options->{timeout} // 120}, $class;
    my ($in, $out, $err) = map { File::Temp->new } 1 .. 3;

    if (defined $options->{stdin}) {
        binmode $in;
        print {$in} $options->{stdin};
        $in->flush;
        seek $in, 0, 0;
    }
    $self->{end} = time + $self->{timeout};
    my $pid = fork // die "fork: $!\n";
    if ($pid == 0) {
        setpgrp;
        open STDIN,  '<&', $in  or POSIX::_exit(126);
        open STDOUT, '>&', $out or POSIX::_exit(126);
        open STDERR, '>&', $err or POSIX::_exit(126);
        my $env = $options->{env} // {};
        for my $name (keys %$env) {
            if (defined $env->{$name}) { $ENV{$name} = $env->{$name} }
            else                       { delete $ENV{$name} }
        }
        if (defined $options->{cwd}) { chdir $options->{cwd} or POSIX::_exit(126) }
        { no warnings 'exec'; exec { $command[0] } @command; }
        print STDERR "$command[0]: $!\n";
        POSIX::_exit(127);
    }
    @$self{qw(pid out err)} = ($pid, $out, $err);
    return $Kit::running{$pid} = $self;
}

sub pid    { return $_[0]{pid} }
sub stdout { return Kit::slurp($_[0]{out}->filename) }
sub stderr { return Kit::slurp($_[0]{err}->filename) }

# Whether it still runs.
sub alive {
    my ($self) = @_;
    return 0 if defined $self->{status};
    my $got = waitpid $self->{pid}, POSIX::WNOHANG();
    if ($got == $self->{pid}) {
        $self->{status} = $?;
        delete $Kit::running{$self->{pid}};
    }
    return !defined $self->{status};
}

sub signal {
    my ($self, $signal) = @_;
    kill $signal, $self->{pid} if $self->alive;
    return;
}

# Waits until its stdout or stderr matches; dies when it ends or runs out of time before.
sub wait_for {
    my ($self, $pattern) = @_;
    while (1) {
        my $alive = $self->alive;
        my $text = $self->stdout . $self->stderr;
        return $text if $text =~ $pattern;
        $self->give_up("ended before it said $pattern") if !$alive;
        $self->give_up("did not say $pattern in $self->{timeout} s") if time > $self->{end};
        sleep 0.02;
    }
}

# Waits for its end: ($exit, $stdout, $stderr).
sub finish {
    my ($self) = @_;
    my $pause = 0.002;
    while ($self->alive) {
        $self->give_up("still runs after $self->{timeout} s") if time > $self->{end};
        sleep $pause;
        $pause *= 1.5 if $pause < 0.05;
    }
    my $status = $self->{status};
    my $exit = $status & 127 ? 128 + ($status & 127) : $status >> 8;
    return ($exit, $self->stdout, $self->stderr);
}

sub give_up {
    my ($self, $why) = @_;
    $self->kill_all;
    die join "\n", "@{$self->{command}}: $why", 'stdout: ' . $self->stdout,
      'stderr: ' . $self->stderr, '';
}

# First gently: the kit then stops its private server itself.
sub kill_all {
    my ($self) = @_;
    return if !$self->alive;
    kill 'TERM', -$self->{pid};
    Kit::wait_until(sub { !$self->alive }, 10);
    kill 'KILL', -$self->{pid} if $self->alive;
    Kit::wait_until(sub { !$self->alive }, 10);
    return;
}

1;

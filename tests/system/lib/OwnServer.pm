# OwnServer: a server of a test's own, for what that of the others cannot be put through. The account of
# theirs runs it, since a server must not run as root; it ends with the test.
#
#   my $own = OwnServer->start(settings => "listen_addresses = ''\n");
#   psql('select 1', env => {PGHOST => $own->folder, PGUSER => 'own', PGDATABASE => 'postgres'});
#   $own->control('-m', 'fast', 'restart');
#   my $standby = $own->standby or plan skip_all => 'pg_basebackup is not installed';
#   $standby->control('promote');
package OwnServer;

use strict;
use warnings;

use Kit ();
use Test::More;

my @running;

# Its socket, its data and its log are in a folder of its own. `settings` come on top of those that make
# it quick; `hba` takes the place of "trust".
sub start {
    my ($class, %options) = @_;
    my ($uid, $gid) = (stat Kit::psql('show data_directory'))[4, 5];
    my $self = bless {
        bin    => Kit::psql("select setting from pg_config where name = 'BINDIR'"),
        folder => Kit::folder() . '/own',
        uid    => $uid,
        gid    => $gid,
    }, $class;
    my $own = $self->{folder};

    chmod 0755, Kit::folder();    # for that account to pass through
    mkdir $own or die "$own: $!\n";
    $self->give($own);
    $self->program('initdb', '-N', '-A', 'trust', '-U', 'own', '-E', 'UTF8', '--no-locale');
    Kit::spew("$own/data/postgresql.auto.conf",
        "unix_socket_directories = '$own'\nfsync = off\nautovacuum = off\n$options{settings}");
    Kit::spew("$own/data/pg_hba.conf", $options{hba}) if defined $options{hba};
    $self->control('start');
    push @running, $self;
    return $self;
}

sub folder { return $_[0]{folder} }

# A standby that streams from it, in a folder of its own; nothing where pg_basebackup is missing. Like a
# server of its own from then on.
sub standby {
    my ($self) = @_;
    my $standby = bless {%$self, folder => "$self->{folder}-standby"}, ref $self;
    my $folder = $standby->{folder};

    return if !-x "$self->{bin}/pg_basebackup";
    mkdir $folder or die "$folder: $!\n";
    $self->give($folder);
    $standby->program('pg_basebackup', '-h', $self->{folder}, '-U', 'own', '-c', 'fast', '-R', '-N');
    my $settings = "$folder/data/postgresql.auto.conf";
    Kit::spew($settings, Kit::slurp($settings) . "unix_socket_directories = '$folder'\n");
    $standby->control('start');
    push @running, $standby;
    return $standby;
}

# Hands files over to its account.
sub give {
    my ($self, @paths) = @_;
    return chown $self->{uid}, $self->{gid}, @paths;
}

# A program of the server's, such as pg_ctl.
sub program {
    my ($self, $program, @arguments) = @_;
    my @command = ("$self->{bin}/$program", '-D', "$self->{folder}/data", @arguments);
    unshift @command, 'setpriv', "--reuid=$self->{uid}", "--regid=$self->{gid}", '--clear-groups' if $> == 0;
    my ($exit, $out, $err) = Kit::run({cwd => $self->{folder}}, @command);
    die "@command: $out$err" if $exit != 0;
    return;
}

sub control {
    my ($self, @arguments) = @_;
    return $self->program('pg_ctl', '-w', '-s', '-l', "$self->{folder}/log", @arguments);
}

# Soon; nothing is written that could be lost.
sub stop {
    my ($self) = @_;
    return if !grep { $_ == $self } @running;
    @running = grep { $_ != $self } @running;
    eval { $self->control('-m', 'immediate', 'stop'); 1 } or diag $@;
    return;
}

END {
    my $status = $?;
    $_->stop for my @all = @running;
    $? = $status;
}

1;

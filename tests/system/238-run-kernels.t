# A whole level where the kernel, or a container's policy, refuses the newer system calls: io_uring, by
# which the sends of a turn go together, and epoll_pwait2. Only the way there may differ.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use POSIX ();
use Test::More;
use Kit;
use Loaded;

my ($EPERM, $ENOSYS) = (1, 38);
my ($URING_SETUP, $URING_ENTER, $URING_REGISTER, $EPOLL_PWAIT2) = (425, 426, 427, 441);

my $schema = loaded_schema(2);
my $kit = $ENV{ORDERMILL};

# From here on the kit is one to which these calls are refused; none: as it is.
sub refuse {
    my ($errno, @numbers) = @_;
    $ENV{ORDERMILL} = @numbers ? folder() . '/refused' : $kit;
    return if !@numbers;
    my $list = join ',', @numbers;
    spew($ENV{ORDERMILL}, "#!/bin/sh\nexec perl '$FindBin::Bin/lib/refuse.pl' $errno $list '$kit' \"\$@\"\n");
    chmod 0755, $ENV{ORDERMILL} or die "$ENV{ORDERMILL}: $!";
    return;
}

sub holds_ring {
    my ($pid) = @_;
    return 0 + grep { (readlink // '') =~ /io_uring/ } glob "/proc/$pid/fd/*";
}

# Whether a process has a ring to stay: one that is only tried is gone at the second look.
sub uses_ring {
    my ($run) = @_;
    my $looks = 0;
    wait_until(sub { $looks = holds_ring($run->pid) ? $looks + 1 : 0; $looks == 3 || !$run->alive });
    return $looks == 3 ? 1 : 0;
}

# Whether this kernel gives us one of the kind that the kit asks for.
sub gives_rings {
    my $asked = pack('LLL', 0, 0, 1 << 7) . "\0" x 108;    # IORING_SETUP_SUBMIT_ALL
    my $ring = syscall $URING_SETUP, 4, $asked;
    POSIX::close($ring) if $ring >= 0;
    return $ring >= 0;
}

# Every sum that the database keeps has grown by what the driver counted.
sub sound {
    my ($how, $exit, $json, $err) = @_;
    is $json->{status}, 'complete', "$how: a whole level" or diag "exit $exit: $err";
    is $json->{verdicts}{consistency}, 'PASS', "$how: counted right";
    is $json->{verdicts}{errors}, 'PASS', "$how: nothing failed";
    is_deeply $json->{errors}, {}, "$how: no errors";
    for my $what (qw(new_orders order_lines remote_lines quantity payments paid_cents)) {
        my $growth = $json->{growth}{$what};
        is $growth->{database}, $growth->{driver}, "$how: $what, by the driver and by the database";
    }
    cmp_ok $json->{growth}{new_orders}{driver}, '>', 0, "$how: and there are some";
    is $json->{sessions_left}, 0, "$how: no session is left";
    return;
}

# Two sessions and more send together; many more than there are places in a ring.
sub level {
    my ($how, $ring_is_there) = @_;
    my $run = in_background('run', '--schema', $schema, '--json', '--ramp-up', '500ms', '-t', '2s', '-u', 8,
        '--threads', 1);
    is uses_ring($run), $ring_is_there, "$how: " . ($ring_is_there ? 'a ring' : 'no ring');
    sound("$how, 8 virtual users", result_of($run));
    sound("$how, 1 virtual user", run_json($schema, '-u', 1, '-t', '1s'));
    my ($exit, $json, $err) = run_json($schema, '--terminals', 200, '--sessions', 80, '--threads', 2,
        '--pacing', '0.02', '-t', '2s');
    sound("$how, terminals", $exit, $json, $err);
    return;
}

refuse($EPERM, $URING_SETUP);
my ($exit, undef, $err) = kit('run', '--help');
plan skip_all => 'no seccomp filter here' if $exit == 77;
is $exit, 0, 'calls can be refused' or diag $err;

level('where a container forbids io_uring', 0);
refuse($ENOSYS, $URING_SETUP, $URING_ENTER, $URING_REGISTER, $EPOLL_PWAIT2);
level('on a kernel without io_uring and epoll_pwait2', 0);
refuse($EPERM, $URING_ENTER);
level('where a ring may be made and not be used', 0);

# So that the test would see one.
refuse();
SKIP: {
    skip 'this kernel has no io_uring for us', 1 if !gives_rings();
    level('as this kernel is', 1);
}

($exit, my $out, $err) = kit('check', '--schema', $schema);
is $exit, 0, 'all twelve conditions hold' or diag "$out$err";

done_testing;

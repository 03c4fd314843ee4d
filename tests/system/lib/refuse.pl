#!/usr/bin/perl
# refuse.pl ERRNO NUMBER[,NUMBER...] COMMAND [ARG...]: runs a command to which the kernel refuses these
# system calls, as a container's policy (errno 1, EPERM) or an older kernel (38, ENOSYS) would. By a seccomp
# filter, which takes no rights. The numbers must be the same on every architecture: those from 424 on.
use strict;
use warnings;
use POSIX ();

# From the kernel's headers; the numbers of prctl itself differ.
my %prctl = (x86_64 => 157, aarch64 => 167);
my ($PR_SET_NO_NEW_PRIVS, $PR_SET_SECCOMP, $SECCOMP_MODE_FILTER) = (38, 22, 2);
my ($LOAD, $IF_EQUAL, $RETURN) = (0x20, 0x15, 0x06);
my ($ALLOW, $ERRNO) = (0x7fff0000, 0x00050000);

my ($errno, $numbers, @command) = @ARGV;
my @numbers = split /,/, $numbers;
my $prctl = $prctl{(POSIX::uname())[4]} or exit 77;

# One instruction: its code, how far to jump where it is true and where not, its number.
sub instruction { return pack 'SCCL', @_ }

my @filter = instruction($LOAD, 0, 0, 0);    # the number of the call
push @filter, instruction($IF_EQUAL, 0, 1, $_), instruction($RETURN, 0, 0, $ERRNO | $errno) for @numbers;
push @filter, instruction($RETURN, 0, 0, $ALLOW);
my $filter = join '', @filter;
my $program = pack 'Sx![P]P', scalar @filter, $filter;
syscall($prctl, $PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 or exit 77;
syscall($prctl, $PR_SET_SECCOMP, $SECCOMP_MODE_FILTER, $program, 0, 0) == 0 or exit 77;

for my $number (@numbers) {
    syscall($number, 0, 0, 0, 0, 0, 0) == -1 && $! == $errno or die "refuse.pl: call $number is not refused: $!\n";
}
exec { $command[0] } @command;
die "$command[0]: $!\n";

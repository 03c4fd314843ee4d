#!/usr/bin/perl
# reports.pl BUILD: how long a report takes, how much memory, and how large it gets, for a made-up run
# of sixteen levels of an hour each with 256 metrics. Exits 1 where it is more than 5 s, 300 MB or 5 MB.
use strict;
use warnings;
use File::Temp ();
use Time::HiRes qw(sleep time);

my ($build) = @ARGV or die "usage: reports.pl BUILD\n";
my $folder = File::Temp->newdir('ordermill-bench-XXXXXX', TMPDIR => 1);
system("$build/tests/make_run", 'hours', "$folder") == 0 or die "make_run failed\n";

my %limit = (seconds => 5, megabytes => 300, html_megabytes => 5);
my $failed = 0;
for my $format (qw(html text xml csv)) {
    my ($began, $most_kb) = (time, 0);
    my $pid = fork // die "fork: $!";
    if (!$pid) {
        open STDOUT, '>', '/dev/null' or die "open: $!";
        exec "$build/ordermill", 'report', "$folder", '--format', $format or die "exec: $!";
    }
    until (waitpid $pid, 1) {    # WNOHANG
        if (open my $status, '<', "/proc/$pid/status") {
            /^VmHWM:\s+(\d+)/ && ($most_kb = $1) while <$status>;
        }
        sleep 0.01;
    }
    my %got = (seconds => time - $began, megabytes => $most_kb / 1024);
    $got{html_megabytes} = (-s "$folder/report.html") / 2**20 if $format eq 'html';
    printf "%-5s %s\n", $format, join ', ', map { sprintf '%s %.2f', $_, $got{$_} } sort keys %got;
    $failed ||= grep { $got{$_} > $limit{$_} } keys %got;
}
exit $failed ? 1 : 0;

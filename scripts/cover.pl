#!/usr/bin/perl
# cover.pl FOLDER: sums up what gcov counted for the objects under FOLDER: lines run, by file and
# in all, the least covered first.
use strict;
use warnings;
use File::Find;

my $folder = shift // die "usage: cover.pl FOLDER\n";
my (@objects, %lines, %run);

find({no_chdir => 1, wanted => sub { push @objects, $_ if /\.gcda$/ }}, $folder);
die "cover.pl: no counts under $folder\n" if !@objects;
for my $object (sort @objects) {
    open my $gcov, '-|', 'gcov', '--no-output', $object or die "gcov: $!\n";
    my $file;
    while (<$gcov>) {
        $file = $1 if /^File '([^']+)'/;
        next if !defined $file || $file =~ m{^/|^tests/|^build/} || !/^Lines executed:([\d.]+)% of (\d+)/;
        $lines{$file} = $2;
        my $count = int($1 * $2 / 100 + 0.5);
        $run{$file} = $count if $count > ($run{$file} // -1);
        undef $file;
    }
    close $gcov;
}
my ($all, $all_run) = (0, 0);
for my $file (sort { $run{$a} / $lines{$a} <=> $run{$b} / $lines{$b} || $a cmp $b } keys %lines) {
    printf "%6.1f %%  %5d of %5d  %s\n", 100 * $run{$file} / $lines{$file}, $run{$file}, $lines{$file}, $file;
    $all += $lines{$file};
    $all_run += $run{$file};
}
printf "%6.1f %%  %5d of %5d  in all\n", 100 * $all_run / ($all || 1), $all_run, $all;

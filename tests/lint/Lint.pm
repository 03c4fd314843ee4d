# Lint: what the lint scripts share. Each script looks at the tracked files, complains with
# file:line and ends with status 1 if it complained.
package Lint;

use strict;
use warnings;

use Exporter 'import';
use File::Find ();

our @EXPORT = qw(files sources lines complain code_lines);

my $complaints = 0;

# All files of the project: those that git tracks or would, else all outside build/.
sub files {
    my @files;
    if (-e '.git') {
        @files = grep { -f } split /\0/, qx(git ls-files -z -co --exclude-standard);
    } else {
        File::Find::find({no_chdir => 1, wanted => sub { push @files, $_ if -f }}, '.');
        s{^\./}{} for @files;
        @files = grep { !m{^build/} } @files;
    }
    return sort @files;
}

sub sources { return grep { /\.[ch]$/ } files() }

sub lines {
    my ($path) = @_;
    open my $in, '<', $path or die "$path: $!\n";
    my @lines = <$in>;
    chomp @lines;
    return @lines;
}

# The lines of a C file with comments and the contents of literals blanked out.
sub code_lines {
    my ($path) = @_;
    my $text = join "\n", lines($path);
    $text =~ s{(/\*.*?\*/|//[^\n]*)|("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')}
              {defined $1 ? $1 =~ s/[^\n]//gr : substr($2, 0, 1) x 2}gse;
    return split /\n/, $text, -1;
}

sub complain {
    my ($path, $line, $message) = @_;
    print "$path:$line: $message\n";
    $complaints++;
    return;
}

END { $? ||= 1 if $complaints }

1;

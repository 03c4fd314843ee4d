# RunFolder: what an autopilot has left in the folder of its run.
#
#   is store($folder, 'select status from run'), 'complete';
#   ok wait_for_row($folder, q{select 1 from journal where what = 'reset'});
package RunFolder;

use strict;
use warnings;

use Exporter 'import';
use Kit;
use Test::More;

our @EXPORT = qw(store wait_for_row without_figures);

# The rows of a statement on the store: columns separated by |, rows by newlines, no newline at the
# end. The autopilot may be at work and hold the file for a moment.
sub store {
    my ($from, $sql) = @_;
    my ($exit, $out, $err) = run('sqlite3', '-cmd', '.timeout 9000', "$from/run.sqlite", $sql);
    is $exit, 0, "sqlite3: $sql" or diag $err;
    chomp $out;
    return $out;
}

# Waits until the statement gives a row. The autopilot may not have made the file yet, or its tables.
sub wait_for_row {
    my ($from, $sql) = @_;
    return wait_until(sub {
        return 0 if !-e "$from/run.sqlite";
        my ($exit, $out) = run('sqlite3', '-cmd', '.timeout 9000', "$from/run.sqlite", $sql);
        return $exit == 0 && $out =~ /\S/;
    });
}

# Everything of the text report but figures, what they say, and what happened when: the part that a run
# which was broken off has in common with one that was not.
sub without_figures {
    my ($folder) = @_;
    my $text = slurp("$folder/report.txt");
    # What depends on the figures: the headline with its verdicts, and which level is the peak.
    $text =~ s/\A.*?(?=^Performance profile)//ms;
    $text =~ s/^Response times at the peak\n.*?(?=^Server$)//ms;
    $text =~ s/^Scalability law.*?\n\n//ms;
    $text =~ s/^Course of the run\n.*?\n\n//ms;
    $text =~ s/^ *\d+ \|#*.*\n//mg;
    $text =~ s/\d[\d.,]*(?:us|ms|s|h|m|kB|MB|GB)?/N/g;
    $text =~ s/\s+/ /g;
    return $text;
}

1;

#!/usr/bin/perl
# embed.pl FILE...: prints a C source that holds the text of every file, as the table of
# common/embedded.h, sorted by path. Uses nothing beyond perl-base.
use strict;
use warnings;

sub literal {
    my ($text) = @_;
    my $out = '';
    for my $line ($text =~ /[^\n]*\n|[^\n]+/g) {
        $line =~ s/([\\"])/\\$1/g;
        $line =~ s/\n/\\n/g;
        $line =~ s/\t/\\t/g;
        # Three octal digits end by themselves, whatever follows; ?? could be a trigraph.
        $line =~ s/([^\x20-\x7e])/sprintf('\\%03o', ord $1)/ge;
        $line =~ s/\?(?=\?)/?\\/g;
        $out .= "\n     \"$line\"";
    }
    return $out eq '' ? '""' : $out;
}

my @paths = sort @ARGV;
print "/* Written by scripts/embed.pl; do not edit. */\n#include \"common/embedded.h\"\n\n";
print "const struct embedded_file embedded_files[] = {\n";
for my $path (@paths) {
    open my $in, '<:raw', $path or die "embed.pl: $path: $!\n";
    my $text = do { local $/; <$in> } // '';
    close $in;
    die "embed.pl: $path: holds a NUL byte\n" if $text =~ /\0/;
    print "    {\"$path\",", literal($text), "},\n";
}
print "    {0, 0},\n};\n\nconst size_t embedded_files_count = ", scalar(@paths), ";\n";
close STDOUT or die "embed.pl: stdout: $!\n";

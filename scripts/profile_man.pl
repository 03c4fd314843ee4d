#!/usr/bin/perl
# Makes the man page ordermill-profile(5) from docs/profiles.md, which a test proves to be complete, and
# from the shipped profiles: profile_man.pl docs/profiles.md profiles/*.xml
use strict;
use warnings;

my ($source, @profiles) = @ARGV;
die "usage: profile_man.pl docs/profiles.md profiles/*.xml\n" unless $source;

sub slurp {
    my ($path) = @_;
    open my $in, '<:encoding(UTF-8)', $path or die "$path: $!\n";
    local $/;
    return scalar <$in>;
}

# Text without meaning to roff.
sub plain {
    my ($text) = @_;
    $text =~ s/\\/\\e/g;
    $text =~ s/-/\\-/g;
    $text =~ s/^([.'])/\\&$1/mg;
    return $text;
}

# A paragraph of Markdown: links become their words, code stands in quotes, a sentence begins on a
# line of its own.
sub prose {
    my ($text) = @_;
    $text =~ s/\s+/ /g;
    $text =~ s/\[([^\]]+)\]\([^)]+\)/$1/g;
    $text =~ s/\*\*//g;
    my @parts = split /(`[^`]+`)/, $text;
    for (@parts) {
        my $code = s/^`(.+)`$/$1/s;
        $_ = plain($_);
        $_ = "\\(oq$_\\(cq" if $code;
    }
    $text = join '', @parts;
    $text =~ s/(?<=[.:]) (?=[A-Z])/\n/g;
    # Lines of at most 75 columns, broken at blanks.
    my @lines = map { my $l = $_; $l =~ s/(.{1,75})(?: |\z)/$1\n/g; $l } split /\n/, $text;
    $text = join '', @lines;
    $text =~ s/^([.'])/\\&$1/mg;
    return $text;
}

sub code {
    my ($text) = @_;
    return ".Bd -literal -offset indent\n" . plain($text) . ".Ed\n";
}

# | `attribute` | `--set` | default | meaning |: of the language; any other table: its cells.
sub table {
    my @rows = map { [map { s/^\s+|\s+$//gr } split /\s*(?<!\\)\|\s*/, $_ =~ s/^\|\s*|\s*\|\s*$//gr, -1] }
      grep { !/^\|[-| ]+\|$/ } @_;
    shift @rows;
    my $out = ".Bl -tag -width Ds\n";
    for my $row (@rows) {
        my ($attribute, $set, $default, $meaning) = @$row;
        my $words = 'override: `' . ($set =~ s/`//gr) . '`' . (length $default ? ", default: `$default`" : '');
        $out .= '.It Cm ' . plain($attribute =~ s/`//gr) . "\n"
          . (length $meaning ? prose(ucfirst($meaning) . '.') : '') . prose("($words)");
    }
    return $out . ".El\n";
}

sub body {
    my ($text) = @_;
    my $out = '';
    while (length $text) {
        if ($text =~ s/\A\s*\n//) {
        } elsif ($text =~ s/\A```\w*\n(.*?)^```\n//ms) {
            $out .= code($1);
        } elsif ($text =~ s/\A## (.+)\n//) {
            $out .= '.Ss ' . plain($1) . "\n";
        } elsif ($text =~ s/\A((?:\|.*\n)+)//) {
            $out .= table(split /\n/, $1);
        } elsif ($text =~ s/\A((?:- .*\n(?:  .*\n)*)+)//) {
            $out .= ".Bl -bullet\n" . join('', map { ".It\n" . prose($_) } split /^- /m, $1 =~ s/\A- //r) . ".El\n";
        } elsif ($text =~ s/\A((?:(?!```|## |\||- ).+\n)+)//) {
            $out .= ".Pp\n" . prose($1);
        } else {
            die "$source: cannot read: " . substr($text, 0, 60) . "\n";
        }
    }
    # A heading or a list begins its own paragraph.
    $out =~ s/^(\.S[sh] .*\n)\.Pp\n/$1/mg;
    return $out;
}

my ($intro, $elements) = slurp($source) =~ /\A# .*?\n(.*?)^(## .*)\z/ms or die "$source: no elements\n";
print <<'END';
.Dd $Mdocdate$
.Dt ORDERMILL-PROFILE 5
.Os
.Sh NAME
.Nm ordermill-profile
.Nd the language of the profiles of ordermill autopilot
.Sh DESCRIPTION
END
print body($intro) =~ s/\A\.Pp\n//r;
print ".Sh ELEMENTS\n", body($elements);
print ".Sh SHIPPED PROFILES\n.Ql ordermill autopilot \\-\\-shipped\nlists them.\n.Bl -tag -width Ds\n";
for my $path (@profiles) {
    my $text = slurp($path);
    my ($name) = $text =~ /<profile name="([^"]+)"/ or die "$path: no name\n";
    my ($title) = $text =~ m{<title>(.*?)</title>}s or die "$path: no title\n";
    print ".It Cm ", plain($name), "\n", prose($title);
}
print <<'END';
.El
.Sh SEE ALSO
.Xr ordermill 1 ,
.Xr ordermill-autopilot 1 ,
.Xr ordermill-plan 1
END

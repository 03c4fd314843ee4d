#!/usr/bin/perl
# The arrows between the parts, and one file per outside library, or one and its siblings.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Lint;

my %may_include = (
    main     => [qw(common loader driver reports server profiles)],
    profiles => [qw(profiles common loader driver reports server)],
    loader   => [qw(loader common)],
    driver   => [qw(driver common)],
    reports  => [qw(reports common)],
    server   => [qw(server common)],
    common   => [qw(common)],
);
my @outside = (
    [qr{^(libpq-fe|libpq/|postgres|pg_config)}, 'common/pg.c', qr{^common/pg_((?:async|blocking|connect)[.]c|inside[.]h)$}],
    [qr{^libxml/},                              'common/xml.c'],
    [qr{^sqlite3},                              'common/store.c'],
    [qr{^gsl/},                                 'common/stats.c', qr{^common/stats_\w+[.]c$}],
);
my %includes;

sub check_quoted {
    my ($path, $line, $part, $included) = @_;
    my ($target) = $included =~ m{^(\w+)/};
    if (!$target || !-e $included) {
        complain($path, $line, "\"$included\" is not a path from the root");
    } elsif (!grep { $_ eq $target } @{$may_include{$part}}) {
        complain($path, $line, "$part/ must not include $target/");
    }
    push @{$includes{$path}}, $included;
    return;
}

sub check_outside {
    my ($path, $line, $included) = @_;
    for my $rule (@outside) {
        my ($pattern, $only, $siblings) = @$rule;
        next if $included !~ $pattern || $path eq $only || $siblings && $path =~ $siblings;
        complain($path, $line, "<$included> belongs into $only alone");
    }
    return;
}

for my $path (grep { !m{^tests/} } sources()) {
    my ($part) = $path =~ m{^(\w+)[/.]};
    my ($line, $first) = (0);
    if (!$may_include{$part}) {
        complain($path, 1, "$part/ is not one of the parts");
        next;
    }
    for my $text (lines($path)) {
        $line++;
        next if $text !~ /^\s*#\s*include\s+([<"])([^>"]+)[>"]/;
        my ($quote, $included) = ($1, $2);
        my $own = $path =~ s/\.c$/.h/r;
        complain($path, $line, "its own header must be included first")
          if !$first++ && $path =~ /\.c$/ && -e $own && $included ne $own;
        if   ($quote eq '"') { check_quoted($path, $line, $part, $included) }
        else                 { check_outside($path, $line, $included) }
    }
}

# Cycles among the headers.
my %state;
sub visit {
    my ($path, @trail) = @_;
    return if ($state{$path} // '') eq 'done';
    if (($state{$path} // '') eq 'open') {
        complain($path, 1, join ' -> ', 'includes itself:', @trail, $path);
        return;
    }
    $state{$path} = 'open';
    visit($_, @trail, $path) for @{$includes{$path} // []};
    $state{$path} = 'done';
    return;
}
visit($_) for sort keys %includes;

#!/usr/bin/perl
# metrics.pl SCHEMA: which metrics of the server have figures on this version, and that no other one is
# missing; and that the doctor finds every feature. Runs inside "ordermill server --".
use strict;
use warnings;

use JSON::PP ();

my $schema = shift // die "usage: metrics.pl SCHEMA\n";
my $failed = 0;

sub complain {
    my ($what) = @_;
    print "metrics: $what\n";
    $failed = 1;
    return;
}

sub json_of {
    my @command = @_;
    open my $out, '-|', $ENV{ORDERMILL}, @command or die "$ENV{ORDERMILL}: $!\n";
    my $text = do { local $/; <$out> };
    close $out;
    die "@command: exit status $?\n" if $? >> 8 > 1;
    return JSON::PP::decode_json($text);
}

my $doctor = json_of('doctor', '--schema', $schema, '--json');
my ($major) = map { $_->{value} =~ /version (\d+)/ } grep { $_->{name} eq 'engine' } @{$doctor->{facts}};
my @engine = grep { $_->{name} eq 'engine' } @{$doctor->{findings}};
complain("the doctor says: $_->{seen}") for @engine;

my $json = json_of('run', '-q', '--schema', $schema, '--json', '-u', 1, '-t', '3s', '--ramp-up', '1s');
my (%there, %missing);
for (grep { $_->{source} eq 'server' } @{$json->{metrics}{all}}) {
    if (exists $_->{missing}) { $missing{$_->{name}} = $_->{missing} }
    else                      { $there{$_->{name}} = 1 }
}
my @io = map { "io_$_" } qw(reads writes extends hits evictions syncs read_time write_time);
my @always = qw(wait sessions commits hit_ratio deadlocks wal_bytes wal_full_page_images wal_writes
  wal_syncs wal_write_time wal_sync_time checkpoints_timed checkpoints_requested checkpoint_buffers
  checkpoint_write_time buffers_allocated table_live_rows table_dead_rows table_hot_share table_size
  database_size wal_directory_size);
my @sometimes = ($major >= 16 ? @io : (), $major < 17 ? qw(backend_buffers backend_syncs) : ());
my %known = map { $_ => 1 } @always, @sometimes;
my %absent = map { $_ => 1 } $major < 16 ? @io : (), $major >= 17 ? qw(backend_buffers backend_syncs) : (),
  qw(statement_time statement_calls);

for (sort keys %known) { complain("no $_: " . ($missing{$_} // 'not mentioned')) if !$there{$_} }
for (sort keys %missing) {
    complain("$_ is missing: $missing{$_}") if !$there{$_} && !$absent{$_};
}
complain('no WAL for each new-order') if !($json->{metrics}{wal_bytes_per_new_order} // 0);
exit $failed;

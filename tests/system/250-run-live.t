# The live figures for machines: one object a second, from the driver's own counts, then the result.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Test::More;
use Kit;
use Loaded;

my $schema = loaded_schema(2);
my ($exit, $out, $err) =
  kit('run', '--schema', $schema, '--json-lines', '-u', 2, '--ramp-up', '1s', '-t', '3s');
is($exit, 0, 'exit status') or diag $err;
my @documents = map { JSON::PP::decode_json($_) } split /\n/, $out;
my $result = pop @documents;
is($result->{status}, 'complete', 'the last document is that of --json');

my %lines;
push @{$lines{$_->{phase}}}, $_ for @documents;
my @measured = @{$lines{measure}};
is(scalar @measured, 3, 'one object for each second of the window');
is_deeply([sort keys %{$measured[0]}],
    [qw(elapsed_s errors new_order_p95_us nopm phase time tpm virtual_users)], 'with the keys promised');
like($measured[0]{time}, qr/\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\z/, 'the time');
is($measured[0]{virtual_users}, 2, 'the virtual users');
is($measured[0]{errors}, 0, 'the errors');
ok(exists $lines{ramp_up}, 'the ramp-up has its own');

my ($new_orders, $before_s) = (0, 0);
for my $line (@measured) {
    $new_orders += $line->{nopm} * ($line->{elapsed_s} - $before_s) / 60;
    $before_s = $line->{elapsed_s};
}
cmp_ok(abs($new_orders - $result->{transactions}{new_order}{committed}), '<', 1,
    'the seconds add up to the new-orders of the result');
unlike($err, qr/NOPM/, 'there is no live line beside');

done_testing;

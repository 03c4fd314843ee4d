# The progress line of a real load: what is done never falls, partitions count, and a time of arrival is
# told. How right it is depends on the machine, and is not asked here (make bench-arrival does).
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use Holder;
use Kit;
use Test::More;

my $schema = fresh_schema('progress');
is +(kit('load', '-q', '-w', 3, '--partitions', 2, '--only', 'ddl', '--schema', $schema))[0], 0, 'tables';

# On a terminal. A lock makes the indexes last: that of this partition comes after larger ones.
my $holder = hold("lock table $schema.customer_p2 in share update exclusive mode");
my $screen = folder() . '/screen';
my $run = Kit::Process->start({}, 'script', '-q', '-e', '-f', '-c',
    "'$ENV{ORDERMILL}' load --resume -j 2 --schema $schema", $screen);
sub foretold { return -e $screen ? scalar(() = slurp($screen) =~ /building the indexes: [^\r\n]*done in/g) : 0 }
ok wait_until(sub { !$run->alive || foretold() > 5 }, 60), 'the indexes are foretold';
ok $run->alive, 'while they are built';
is psql("select count(*) >= 2, bool_and(backend_start > (select completed_at from $schema.ordermill_phase
         where phase = 'data')) from pg_stat_activity where application_name = 'ordermill load'"), 't|t',
  '... over connections that are younger than the phase before: none idles through it';
release($holder);
is +($run->finish)[0], 0, 'the load ends well';

my %told;
for my $line (split /[\r\n]+/, slurp($screen)) {
    push @{$told{$1}}, $2 if $line =~ /^(?:\e\[K)?(loading|building the indexes|checking): (.*?)(?:\e|$)/;
}
my @rates = map { m{^\d of 3 warehouses, [\d,]+ rows/s, \d+ MB/s, done in \d+:\d\d$} ? $_ : () }
  @{$told{loading}};
cmp_ok scalar @rates, '>', 1, 'the data have a rate and a time of arrival';
is scalar @rates, scalar @{$told{loading}}, '... on every line';
my @warehouses = map { /^(\d)/ } @rates;
is "@warehouses", join(' ', sort { $a <=> $b } @warehouses), '... and warehouses are counted up';

my @indexes = @{$told{'building the indexes'}};
is scalar(grep { !/^\d+ of 13 parts, / } @indexes), 0, 'of five tables each partition is a part';
my @percents = map { /^\d+ of 13 parts, (\d+) %, done in \d+:\d\d$/ } @indexes;
cmp_ok scalar @percents, '>', 3, 'shares are told';
is "@percents", join(' ', sort { $a <=> $b } @percents), '... that never fall';
cmp_ok $percents[-1], '<=', 100, '... nor pass the whole';
my @parts = map { /^(\d+) of/ } @indexes;
is "@parts", join(' ', sort { $a <=> $b } @parts), 'parts are counted up';

# Elsewhere: whole lines and no more.
my ($exit, $out, $err) = kit('load', '-w', 3, '-j', 1, '--replace', '--schema', $schema);
is $exit, 0, 'a load that nobody watches' or diag $err;
like $err, qr/^loading: \d of 3 warehouses, .*, done in \d+:\d\d$/m, 'says the same in plain lines';
unlike $err, qr/[\r\e]/, '... without what only a terminal can use';

done_testing;

# The command line of the real program: help, man pages and messages of every command.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Test::More;
use Kit;

my ($exit, $help, $talk) = kit('--help');
is($exit, 0, '--help');
is($talk, '', '--help says nothing on stderr');
my @commands = $help =~ /^  ([a-z]+) /mg;
cmp_ok(scalar @commands, '>=', 4, 'commands are listed');

# The options of help: a line each, those of the connection and the general ones in lines of names.
sub options_of_help {
    my ($text) = $_[0] =~ /^Options:\n(.*?)(?:\nExamples:|\z)/ms;
    my @names = $text =~ /^(?:  -\w, |      )(--[a-z-]+)/mg;
    push @names, $_ =~ /(--[a-z-]+)/g for $text =~ /^(?:Connection|General).*:\n((?:  .*\n)+)/mg;
    my %seen;
    return sort grep { !$seen{$_}++ } @names;
}

# As the man page does: ".It Fl h , Fl Fl host Ns = Ns Ar "HOST"".
sub options_of_man {
    my @names = $_[0] =~ /^\.It (?:Fl \w , )?Fl Fl (\S+)/mg;
    return map { '--' . s/\\-/-/gr } @names;
}

# The text of a man page without its macros, to be searched for what help says.
sub plain {
    my ($text) = @_;
    $text =~ s/\\([-&])/$1 eq '&' ? '' : $1/ge;
    $text =~ s/\s+/ /g;
    return $text;
}

for my $command (@commands) {
    subtest $command => sub {
        ($exit, $help, $talk) = kit($command, '--help');
        is("$exit $talk", '0 ', '--help');
        like($help, qr/\AUsage: ordermill $command \[OPTION\]\.\.\./, 'usage comes first');
        is_deeply([grep { length > 80 } split /\n/, $help], [], 'help keeps to 80 columns');
        cmp_ok($help =~ tr/\n//, '<=', 60, 'and to a screen');

        ($exit, my $man, $talk) = kit($command, '--man');
        is("$exit $talk", '0 ', '--man');
        is_deeply([sort(options_of_man($man))], [options_of_help($help)], 'help and man page agree on options');
        my @values = map { s/\s+/ /gr } $help =~ /\(((?:default|at least|\d)[^)]*)\)$/mg;
        my $text = plain($man);
        is_deeply([grep { index($text, $_) < 0 } @values], [], 'and on their values');

        ($exit, my $out, $talk) = kit($command, '--no-such-option');
        is("$exit $out", '2 ', 'an unknown option is a mistake of usage');
        like($talk, qr/\Aordermill: $command: unknown option "--no-such-option"\nhint: .+\n\z/, 'and named');
    };
}

($exit, my $version) = kit('--version');
like($version, qr/\Aordermill \d+\.\d+\.\d+\n\z/, '--version');

# A wrong value never comes as far as the server, and no password is repeated.
my %nowhere = (env => {PGHOST => '/nowhere', PGPASSWORD => 'hunter2'});
for my $case (
    [['load', '-w', '0'],           '--warehouses: "0" is below 1'],
    [['load', '-w', '10abc'],       '--warehouses: "10abc" is not a whole number'],
    [['load', '--jobs='],           '--jobs: "" is not a whole number'],
    [['load', '--jobs'],            '--jobs: needs a value'],
    [['load', '--only', 'nothing'], '--only: "nothing" is not a choice'],
    [['load', 'operand'],           'load: unexpected operand "operand"'],
    [['laod'],                      'unknown command "laod"'],
) {
    my ($words, $message) = @$case;
    my ($status, $out, $err) = kit({%nowhere}, @$words);
    is("$status $out", '2 ', "@$words: exit status 2, nothing on stdout");
    like($err, qr/\Aordermill: \Q$message\E\n/, "@$words: $message");
}
for my $uri ('postgresql://u:hunter2@nowhere.invalid/db', 'postgresql://u:hun@ter2%zz@h/db', 'postgresql://u:hun/ter2@h/db',
             'host=/nowhere password=hunter2', "host=/nowhere password='hunter2 x'") {
    my ($status, $out, $err) = kit({env => {PGHOST => undef}}, 'check', '-d', $uri);
    isnt($status, 0, 'a server that is not there');
    unlike($out . $err, qr/hun|ter2/, 'the password is not told');
}

# The same figures whatever the locale of the user.
for my $locale ('C', 'de_DE.UTF-8') {
    my ($status, undef, $err) = kit({env => {LC_ALL => $locale}}, 'load', '-w', '1.5');
    is("$status $err", "2 ordermill: --warehouses: \"1.5\" is not a whole number\n", "LC_ALL=$locale");
}

($exit, undef, $talk) = run('sh', '-c', '"$ORDERMILL" --help >/dev/full');
is($exit, 7, 'lost output is an error');
like($talk, qr/\Aordermill: cannot write to standard output: No space left on device\n\z/, 'and says so');

done_testing();

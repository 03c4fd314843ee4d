# On a terminal: one screen, redrawn in place, that fits whatever size the terminal has by then.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use Kit;
use Loaded;
use Test::More;

my $schema  = loaded_schema(1);
my $profile = folder() . '/screen.xml';
my $notes   = folder() . '/notes';
my $typed   = folder() . '/typescript';

spew($profile, <<"END");
<profile name="screen" version="1">
  <connection schema="$schema"/>
  <scale warehouses="1"/>
  <ladder virtual-users="1 2" repeat-first="false"/>
  <timing ramp-up="0" measure="4s"/>
</profile>
END

plan skip_all => 'script(1) is not here' if (run('sh', '-c', 'command -v script'))[0] != 0;

# The frames drawn so far, each as its lines.
sub frames {
    my ($from) = @_;
    my $text = -e $typed ? substr(slurp($typed), $from // 0) : '';
    return map { [map { s/\e\[[0-9]*[A-Z]//gr } split /\r?\n/, $_] } $text =~ /\r(?:\e\[A)*(ordermill: screen, .*?)\e\[J/gs;
}

my $command = "tty >'$notes'; echo \$\$ >>'$notes'; stty cols 80 rows 24; exec '$ENV{ORDERMILL}' autopilot "
  . "'$profile' -o '" . folder() . "/run'";
my $run = Kit::Process->start({env => {TERM => 'xterm'}}, 'script', '-q', '-f', '-e', '-c', $command, $typed);

ok wait_until(sub { grep { join("\n", @$_) =~ /^measuring .*\n(?s:.*)^> *2 \|/m or "@$_" =~ /step 2 of 2/ } frames() }, 60),
  'the second step is on the screen';
my @before = frames();
my ($with_curve) = grep { "@$_" =~ /step 2 of 2/ } @before;
my $screen = join "\n", @$with_curve;
like $screen, qr/^ordermill: screen, step 2 of 2\n2 virtual users, repeat 1\n/, 'where it is';
like $screen, qr/^profile    \[[#-]{30}\] \d+:\d\d, \d+:\d\d left$/m, 'time left in the profile';
like $screen, qr/^  users NOPM so far\n {6}1 \|#+ [\d,]+$/m, 'the curve so far';
like $screen, qr/^last steps\n  step 1: [\d,]+ NOPM, TOO SHORT.*; 1 virtual user$/m, 'the last verdicts';
is_deeply [grep { @$_ > 23 or grep { length > 79 } @$_ } @before], [], 'every frame fits into 80 x 24';
like slurp($typed), qr/\e\[A/, 'and is drawn over the one before';
like slurp($typed), qr/(?:^|\e\[J)step 1 of 2: 1 virtual user: [\d,]+ NOPM, TOO SHORT, new_order p95 /m, 'results of steps stay above it';

# Made smaller while it runs.
my ($tty, $pid) = split /\n/, slurp($notes);
my $at = length slurp($typed);
is +(run('stty', '-F', $tty, 'cols', 40, 'rows', 8))[0], 0, 'a smaller terminal';
ok wait_until(sub { frames($at) >= 2 }, 30), 'it is redrawn';
my @after = frames($at);
shift @after;    # may have been drawn just before
is_deeply [grep { @$_ > 7 or grep { length > 39 } @$_ } @after], [], 'every later frame fits into 40 x 8';
is_deeply [grep { join("\n", @$_) !~ /^profile .*\d+:\d\d left$/m } @after], [], 'and shows the time left';

# Ended by a signal: what is on the screen is cleared, and the cursor stands at the begin of a line.
kill 'INT', $pid;
my ($exit) = $run->finish;
is $exit, 130, 'Ctrl-C: exit 130';
my $end = substr slurp($typed), $at;
$end =~ s/\nScript done.*//s;
my ($last_frame) = $end =~ /.*(\rordermill: screen|ordermill: screen)(.*)/s ? $2 : '';
like $last_frame, qr/\r(?:\e\[A)+\e\[J/, 'the screen is cleared';
like $end, qr/ordermill: interrupted\r?\n/, 'and what ended it is said';

done_testing;

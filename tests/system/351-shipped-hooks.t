# The hooks of the shipped profiles as they stand, on the files of the kernel that they write: on stand-ins
# of those files in a mount namespace of its own, so that this machine keeps its settings.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use Kit;
use Loaded;
use RunFolder;
use Test::More;

my ($exit) = run('unshare', '-m', 'mount', '--bind', folder(), '/sys/devices/system/cpu');
plan skip_all => 'nothing can be mounted here' if $exit != 0;

my $schema = loaded_schema(1);
my $cpu    = folder() . '/cpu';
my $bin    = folder() . '/bin';
my @governors = map { "$cpu/cpu$_/cpufreq/scaling_governor" } 0, 1;
mkdir $_ or die "$_: $!\n" for $cpu, $bin, "$cpu/smt", map { ("$cpu/cpu$_", "$cpu/cpu$_/cpufreq") } 0, 1;

sub program {
    my ($name, $text) = @_;
    spew("$bin/$name", "#!/bin/sh\n$text\n");
    chmod 0755, "$bin/$name";
    return;
}
program('sudo', '[ "$1" = -n ] || exit 9; shift; exec "$@"');
# As ppc64_cpu has it: "--smt -n" tells, "--smt=N" sets.
program('ppc64_cpu', qq{case \$1 in --smt=[1248]) echo \${1#*=} > $cpu/smt/threads;; --smt) echo SMT=\$(cat $cpu/smt/threads);; *) exit 9;; esac});

# Where the run finds the stand-ins in place of the kernel's.
sub in_its_world {
    my @command = ('unshare', '-m', 'sh', '-c', 'mount --bind "$0" /sys/devices/system/cpu && exec "$@"', $cpu,
        $ENV{ORDERMILL}, 'autopilot', '--allow-hooks', @_);
    return Kit::Process->start({env => {PATH => "$bin:$ENV{PATH}"}}, @command);
}

my @short = map { ('--set', $_) } 'ladder=1', 'repeats=1', 'order=ascending', 'repeat-first=false', 'ramp-up=0',
  'measure=1s', 'metrics=0s', 'reset=none', 'checks=none';
my @one = (map { ('--set', $_) } "schema=$schema", 'warehouses=1');

sub after_steps { return join ' ', map { my $t = slurp($_); $t =~ s/\s+/,/g; $t } glob "$_[0]/hooks/*-after-step.txt" }
sub state_of { return join ' ', map { my $t = slurp($_); chomp $t; $t } @_ }

# Governors: each step has its own on every processor, and what was found comes back.
spew($_, "schedutil\n") for @governors;
my $folder = folder() . '/governors';
my @look = ('--set', 'after-step=cat /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor');
(my $out, my $err);
($exit, $out, $err) = in_its_world('governors', @short, @one, @look, '-o', $folder)->finish;
ok $exit == 0 || $exit == 1, 'governors' or diag "exit $exit\n$err";
is after_steps($folder), 'powersave,powersave, performance,performance,', 'each step has its own, everywhere';
is state_of(@governors), 'schedutil schedutil', 'what was found is put back';

# Killed in the second step: what that one set is not taken for what was found.
$folder = folder() . '/killed';
my $run = in_its_world('governors', @short, @one, '-o', $folder, '--set', 'measure=5s');
$run->wait_for(qr/step 2 of 2, performance: 1 virtual user, measuring/);
$run->signal('KILL');
$run->finish;
is state_of(@governors), 'performance performance', 'killed: nothing is put back';
($exit, $out, $err) = in_its_world('--resume', $folder)->finish;
ok $exit == 0 || $exit == 1, 'killed: goes on' or diag "exit $exit\n$err";
is state_of(@governors), 'schedutil schedutil', 'killed: the run that goes on puts it back';

# Interrupted: within the second and a half that a hook has then.
$folder = folder() . '/interrupted';
$run = in_its_world('governors', @short, @one, '-o', $folder, '--set', 'measure=60s');
$run->wait_for(qr/step 1 of 2, powersave: 1 virtual user, measuring/);
$run->signal('INT');
($exit, $out, $err) = $run->finish;
is $exit, 130, 'interrupted' or diag $err;
is state_of(@governors), 'schedutil schedutil', 'interrupted: what was found is put back';

# No such files, as in a virtual machine: it is said, and nothing is measured.
unlink @governors;
$folder = folder() . '/none';
($exit, $out, $err) = in_its_world('governors', @short, @one, '-o', $folder)->finish;
is $exit, 7, 'without governors' or diag $err;
like slurp("$folder/hooks/before-run.txt"), qr/scaling_governor.*No such file/, 'the hook says so';

# Modes of multithreading, by the program of POWER, and by the kernel's file as the comment has it.
(my $stem = $schema) =~ s/_w1$//;
my @sizes = (map { ('--set', $_) } "schema=$stem", 'sweep-warehouses=1');
spew("$cpu/smt/threads", "8\n");
$folder = folder() . '/smt';
($exit, $out, $err) = in_its_world('inserts', @short, @sizes, '-o', $folder, '--set', "after-step=cat $cpu/smt/threads")->finish;
ok $exit == 0 || $exit == 1, 'inserts' or diag "exit $exit\n$err";
is after_steps($folder), '1, 2, 4, 8,', 'each step has its mode';
is state_of("$cpu/smt/threads"), '8', 'what was found is put back';

my ($comment) = slurp("$FindBin::Bin/../../profiles/inserts.xml") =~ /<!--(.*?)-->/s;
my %hooks;
while ($comment =~ /^\s+(before-step|before-run|after-run)=(["'])(.*?)\2\s*$/msg) {
    my ($name, $text) = ($1, $3);
    push @{$hooks{$name}}, $text =~ s/&gt;/>/gr =~ s/&lt;/</gr =~ s/\s+/ /gr;
}
is scalar @{$hooks{'before-step'} // []}, 2, 'the comment has the two modes of other machines';
spew("$cpu/smt/control", "on\n");
$folder = folder() . '/control';
my $profile = folder() . '/two.xml';
my ($off, $on) = map { s/&/&amp;/gr =~ s/"/&quot;/gr } @{$hooks{'before-step'}};
spew($profile, qq{<profile name="two" version="1"><configurations><configuration name="off" before-step="$off"/>}
      . qq{<configuration name="back" before-step="$on"/></configurations></profile>\n});
($exit, $out, $err) = in_its_world($profile, @short, @one, '-o', $folder, '--set', "before-run=$hooks{'before-run'}[0]",
    '--set', "after-run=$hooks{'after-run'}[0]", '--set', 'after-step=cat /sys/devices/system/cpu/smt/control')->finish;
ok $exit == 0 || $exit == 1, 'smt/control' or diag "exit $exit\n$err";
is after_steps($folder), 'off, on,', 'each step has its mode';
is state_of("$cpu/smt/control"), 'on', 'what was found is put back';

done_testing;

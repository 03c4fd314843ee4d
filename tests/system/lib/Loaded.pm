# Loaded: a schema with warehouses that the kit loaded, made once and shared by the tests that only
# run transactions on it. They leave it consistent and its procedures as they were; a test that fails
# may not have, and takes it away, so that the next one has it loaded anew.
#
#   my $schema = loaded_schema(2);        # two warehouses
#   my ($exit, $json, $stderr) = run_json($schema, '-u', 4, '-t', '2s');
package Loaded;

use strict;
use warnings;

use Exporter 'import';
use JSON::PP ();
use Kit;
use Test::More;

our @EXPORT = qw(loaded_schema run_json result_of sessions_of orders_placed);

sub is_loaded {
    my ($schema) = @_;
    return psql("select to_regclass('$schema.ordermill_phase') is not null") eq 't'
      && psql("select count(*) from $schema.ordermill_phase where phase = 'procedures'") > 0;
}

my %used;

sub loaded_schema {
    my ($warehouses) = @_;
    my $schema = "loaded_w$warehouses";    # as a sweep over warehouses of the schema "loaded" calls it
    $used{$schema} = 1;
    return $schema if is_loaded($schema);
    my ($exit, $out, $err) =
      kit({timeout => 300}, 'load', '-w', $warehouses, '--schema', $schema);
    die "load: exit $exit: $err" if $exit != 0;
    return $schema;
}

# A short ramp-up, unless the arguments name another.
sub run_json {
    my ($schema, @args) = @_;
    my $options = ref $args[0] eq 'HASH' ? shift @args : {};
    my ($exit, $out, $err) =
      kit($options, 'run', '--schema', $schema, '--json', '--ramp-up', '200ms', @args);
    my $json = eval { JSON::PP::decode_json($out) };
    return ($exit, $json, $err);
}

# The same of a run with --json in the background: waits for its end.
sub result_of {
    my ($run) = @_;
    my ($exit, $out, $err) = $run->finish;
    my $json = eval { JSON::PP::decode_json($out) } or diag "exit $exit: $out$err";
    return ($exit, $json, $err);
}

# How many sessions the kit's virtual users have.
sub sessions_of {
    my ($name) = @_;
    return psql("select count(*) from pg_stat_activity where application_name = 'ordermill $name'");
}

# Whether so many more orders are placed, by a run that is at work.
sub orders_placed {
    my ($schema, $count) = @_;
    my $sum = "select sum(d_next_o_id) from $schema.district";
    my $orders = psql($sum);
    return wait_until(sub { psql($sum) >= $orders + $count });
}

END {
    my $status = $?;
    if (%used && ($status != 0 || !Test::More->builder->is_passing)) {
        $_->kill_all for values %Kit::running;    # one of them may hold a lock
        eval { psql("drop schema if exists $_ cascade") for sort keys %used; 1 } or diag $@;
    }
    $? = $status;
}

1;

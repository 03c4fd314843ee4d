# Holder: a session of somebody else that stands in the way, by a lock or only by being there.
#
#   my $holder = hold("lock table $schema.stock in access exclusive mode");
#   ok waits_for_a_lock(), 'the kit waits for it';
#   release($holder);
#   my $holder = hold('select 1', 'ordermill other');   # under that application_name
package Holder;

use strict;
use warnings;

use Exporter 'import';
use Kit;

our @EXPORT = qw(hold release waits_for_a_lock);

# Keeps what it has taken until release(), far longer than any test waits for anything; where psql is
# ended, by a test that dies, the server looks for it once a second.
sub hold {
    my ($sql, $name) = @_;
    $name //= 'holder';
    my $holder = Kit::Process->start(
        {stdin => "set client_connection_check_interval = '1s'; begin; $sql; select pg_sleep(600)",
            env => {PGAPPNAME => $name}},
        qw(psql -X -q -A -t -v ON_ERROR_STOP=1 -f -));
    wait_until(sub { psql("select count(*) from pg_stat_activity where application_name = '$name'
                           and wait_event = 'PgSleep'") > 0 }) or $holder->give_up('got no lock');
    $holder->{name} = $name;
    return $holder;
}

sub release {
    my ($holder) = @_;
    psql("select pg_terminate_backend(pid, 10000) from pg_stat_activity
           where application_name = '$holder->{name}'");
    $holder->finish;
    return;
}

# Whether a session of the kit comes to wait for a lock.
sub waits_for_a_lock {
    return wait_until(sub { psql(q{select count(*) from pg_stat_activity where wait_event_type = 'Lock'
        and application_name like 'ordermill%'}) > 0 });
}

1;

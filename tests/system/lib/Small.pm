# Small: a population by hand, so small that every value can be worked out, and sessions that stay
# open, for what only shows between two of them.
#
#   my $schema = small_schema();            # tables, rows, keys, procedures; dropped at the end
#   my $schema = small_schema('classic');   # with that set of procedures
#   my %broken = broken($schema, $damage);  # condition number => [rows] after the damage, undone
#   my $a = Session->new;  $a->send('begin; ...');  my $text = $a->answer;
#
# Two warehouses of ten districts of ten customers; items 1 to 20, all in stock. In each district
# orders 1 to 5 of customers 1 to 5, two lines each; 1 to 3 are delivered (amount 0), 4 and 5 not
# (12.50 per line). Tax of the warehouse 0.1000, of the district 0.0500; discount 0.2000.
# Item i costs i.00; its data is ORIGINAL if i is even, the stock's if i is divisible by 3.
# Customers 1, 2-3, 4-6 and 7-10 are named ONE, TWO, THREE and FOUR; c_first falls as c_id rises.
# Customer 10 has bad credit. Every stock row holds 50.
package Small;

use strict;
use warnings;

use Exporter 'import';
use File::Basename 'dirname';
use Kit;

our @EXPORT = qw(small_schema in_schema source_sql broken check_paths);

my $root = dirname(__FILE__) . '/../../..';

# SQL text for one schema.
sub in_schema {
    my ($schema, $sql) = @_;
    my $quoted = quote_ident($schema);
    $sql =~ s/\bordermill\./$quoted./g;
    return $sql;
}

sub source_sql {
    my ($schema, $path) = @_;
    return in_schema($schema, slurp("$root/$path"));
}

sub procedures {
    my ($schema, $set) = @_;
    return join '', map { source_sql($schema, "procedures/$set/$_.sql") }
      qw(new_order payment order_status delivery stock_level stamp);
}

sub small_schema {
    my ($set) = @_;
    my $schema = fresh_schema('small');
    psql('create schema ' . quote_ident($schema) . ';'
          . source_sql($schema, 'schemas/tables.sql')
          . in_schema($schema, rows())
          . source_sql($schema, 'schemas/indexes.sql')
          . procedures($schema, $set // 'default'));
    return $schema;
}

sub rows {
    return <<'SQL';
insert into ordermill.item
select i, i, i, 'item ' || i,
       'xxxxxxxxxx' || case when i % 2 = 0 then 'ORIGINAL' else 'original' end || 'xxxxxxxxxx'
  from generate_series(1, 20) i;
insert into ordermill.warehouse
select w, 1000, 0.1, 'W' || w, 'w street ' || w, 'w second ' || w, 'w city ' || w, 'WA', '123411111'
  from generate_series(1, 2) w;
insert into ordermill.district
select w, 6, d, 100, 0.05, 'D' || d, 'd street ' || d, 'd second ' || d, 'd city ' || d, 'DA',
       '567811111' from generate_series(1, 2) w, generate_series(1, 10) d;
insert into ordermill.customer
select '2020-02-02 02:02:02+00', w, c, 1, 0, d, -10, 10, 50000, 0.2,
       case when c = 10 then 'BC' else 'GC' end, 'first ' || chr(107 - c), 'OE',
       case when c = 1 then 'ONE' when c <= 3 then 'TWO' when c <= 6 then 'THREE' else 'FOUR' end,
       'c street ' || c, 'c second ' || c, 'c city ' || c, 'CA', '910111111', '0123456789012345',
       repeat('d', 490) || '0123456789'
  from generate_series(1, 2) w, generate_series(1, 10) d, generate_series(1, 10) c;
insert into ordermill.history
select '2020-02-02 02:02:02+00', c_id, c_w_id, c_w_id, c_d_id, c_d_id, 10, 'initial payment'
  from ordermill.customer;
insert into ordermill.orders
select '2020-02-02 02:02:02+00', w, o, o, d, 2, 1, case when o <= 3 then 7 end
  from generate_series(1, 2) w, generate_series(1, 10) d, generate_series(1, 5) o;
insert into ordermill.new_order
select o_w_id, o_id, o_d_id from ordermill.orders where o_id > 3;
insert into ordermill.order_line
select o_w_id, o_id, o_id + n, o_w_id, o_d_id, n, 5, case when o_id <= 3 then 0 else 12.50 end,
       'initial', case when o_id <= 3 then o_entry_d end
  from ordermill.orders, generate_series(1, 2) n;
insert into ordermill.stock
select 0, w, i, 0, 0, 50,
       'dist 01 of ' || i || '/' || w, 'dist 02 of ' || i || '/' || w,
       'dist 03 of ' || i || '/' || w, 'dist 04 of ' || i || '/' || w,
       'dist 05 of ' || i || '/' || w, 'dist 06 of ' || i || '/' || w,
       'dist 07 of ' || i || '/' || w, 'dist 08 of ' || i || '/' || w,
       'dist 09 of ' || i || '/' || w, 'dist 10 of ' || i || '/' || w,
       'xxxxxxxxxx' || case when i % 3 = 0 then 'ORIGINAL' else 'original' end || 'xxxxxxxxxx'
  from generate_series(1, 2) w, generate_series(1, 20) i;
SQL
}

sub check_paths {
    my @paths = glob "$root/checks/[0-9]*.sql";
    return map { m{(checks/[^/]+)\z} } @paths;
}

# Damages the data, runs the twelve conditions, undoes the damage. Rows are text: the six columns
# separated by |.
sub broken {
    my ($schema, $damage, $first, $last) = @_;
    my $script = "begin;\n" . in_schema($schema, $damage // '') . ";\n"
      . "\\set first_warehouse " . ($first // 1) . "\n\\set last_warehouse " . ($last // 2) . "\n";
    for my $path (check_paths()) {
        my ($number) = $path =~ m{checks/(\d+)_} or die "$path has no number\n";
        $script .= "\\echo = $number\n" . source_sql($schema, $path);
    }
    my %broken;
    my $number;
    for my $line (split /\n/, psql("$script\nrollback;\n")) {
        if    ($line =~ /\A= (\d+)\z/) { $number = $1 + 0 }
        elsif (defined $number)        { push @{$broken{$number}}, $line }
        else                           { die "before the first condition: $line\n" }
    }
    return %broken;
}

package Session;

use Kit;
use Time::HiRes 'time';

# A psql that stays. Its errors come in its answers, with their SQLSTATE.
sub new {
    my ($class) = @_;
    pipe my $child_in,  my $in       or die "pipe: $!\n";
    pipe my $out,       my $child_out or die "pipe: $!\n";
    my $pid = fork // die "fork: $!\n";
    if ($pid == 0) {
        open STDIN,  '<&', $child_in  or POSIX::_exit(126);
        open STDOUT, '>&', $child_out or POSIX::_exit(126);
        open STDERR, '>&', $child_out or POSIX::_exit(126);
        close $_ for $in, $out;
        { no warnings 'exec'; exec qw(psql -X -q -A -t -v VERBOSITY=verbose -f -); }
        POSIX::_exit(127);
    }
    close $_ for $child_in, $child_out;
    $in->autoflush(1);
    my $self = bless {pid => $pid, in => $in, out => $out, count => 0, text => ''}, $class;
    $self->{backend} = $self->ask('select pg_backend_pid()');
    return $self;
}

# Sends and does not wait.
sub send {
    my ($self, $sql) = @_;
    $self->{count}++;
    print {$self->{in}} "$sql;\n\\echo = end $self->{count}\n" or die "session: $!\n";
    return $self;
}

# What came of the last send; waits for it.
sub answer {
    my ($self) = @_;
    my $end = time + 60;
    while (1) {
        if ($self->{text} =~ s/\A(.*?)\n?^= end $self->{count}\n//ms) {
            return $1;
        }
        die "session: no answer in 60 s, so far: $self->{text}\n" if time > $end;
        my $ready = '';
        vec($ready, fileno $self->{out}, 1) = 1;
        next if select($ready, undef, undef, 1) <= 0;
        sysread $self->{out}, $self->{text}, 65536, length $self->{text}
          or die "session: psql ended: $self->{text}\n";
    }
}

sub ask {
    my ($self, $sql) = @_;
    return $self->send($sql)->answer;
}

# Waits until it waits for a lock; true if it does.
sub is_blocked {
    my ($self) = @_;
    return Kit::wait_until(sub {
        psql("select coalesce(wait_event_type = 'Lock', false) from pg_stat_activity "
              . "where pid = $self->{backend}") eq 't';
    });
}

sub DESTROY {
    my ($self) = @_;
    local ($?, $!);
    close $self->{in};
    close $self->{out};
    waitpid $self->{pid}, 0;
    return;
}

1;

# Checksum: what a schema's tables hold, as one number per table and warehouse. Dates are left out,
# since they are those of the load; so is the order of rows.
#
#   my $sums = checksums($schema);             # {"stock 1" => "100000 rows, 1234567", ...}
#   my $sums = checksums($schema, env => {PGDATABASE => 'x'});
#   my $text = checksum($schema);              # what the kit's own command says
package Checksum;

use strict;
use warnings;

use Exporter 'import';
use Kit;
use Test::More;

our @EXPORT = qw(checksums checksum);

my %warehouse_of = (
    item       => '0',
    warehouse  => 'w_id',
    district   => 'd_w_id',
    customer   => 'c_w_id',
    history    => 'h_w_id',
    orders     => 'o_w_id',
    new_order  => 'no_w_id',
    order_line => 'ol_w_id',
    stock      => 's_w_id',
);

sub checksums {
    my ($schema, %options) = @_;
    my $name = quote_ident($schema);
    my %sums;

    for my $table (sort keys %warehouse_of) {
        my $columns = psql(<<"SQL", %options);
select string_agg(attname, ', ' order by attnum) from pg_attribute
 where attrelid = '$name.$table'::regclass and attnum > 0 and not attisdropped
   and atttypid <> 'timestamptz'::regtype
SQL
        my $dates = psql(<<"SQL", %options);
select coalesce(string_agg(' || (' || attname || ' is null)', '' order by attnum), '')
  from pg_attribute where attrelid = '$name.$table'::regclass and attnum > 0
   and not attisdropped and atttypid = 'timestamptz'::regtype
SQL
        my $rows = psql(<<"SQL", %options);
select $warehouse_of{$table}, count(*) || ' rows, '
       || sum(hashtextextended(row($columns)::text$dates, 0)::numeric)
  from $name.$table group by 1
SQL
        for my $row (split /\n/, $rows) {
            my ($warehouse, $sum) = split /\|/, $row;
            $sums{"$table $warehouse"} = $sum;
        }
    }
    return \%sums;
}

sub checksum {
    my ($schema) = @_;
    my ($exit, $out, $err) = kit('checksum', '--schema', $schema);
    is $exit, 0, "checksum of $schema" or diag $err;
    return $out;
}

1;

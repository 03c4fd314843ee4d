-- Order-Status (TPC-C 2.6.2.2), all of it: one statement reads one snapshot.
--
-- $1 warehouse, $2 district, $3 number of the customer, or null and $4 his last name.
--
-- The columns are those of the function of this name; a customer who is missing gives no row.

PREPARE order_status (integer, smallint, integer, text) AS
SELECT c.c_id, c.c_first, c.c_middle::text, c.c_last, c.c_balance, o.o_id, o.o_entry_d,
       o.o_carrier_id, l.ol_i_ids, l.ol_supply_w_ids, l.ol_quantities, l.ol_amounts,
       l.ol_delivery_ds
  FROM ordermill.customer AS c
  LEFT JOIN LATERAL (
       SELECT o.o_id, o.o_entry_d, o.o_carrier_id
         FROM ordermill.orders AS o
        WHERE o.o_w_id = $1 AND o.o_d_id = $2 AND o.o_c_id = c.c_id
        ORDER BY o.o_id DESC
        LIMIT 1) AS o ON true
 CROSS JOIN LATERAL (
       SELECT coalesce(array_agg(l.ol_i_id), '{}') AS ol_i_ids,
              coalesce(array_agg(l.ol_supply_w_id), '{}') AS ol_supply_w_ids,
              coalesce(array_agg(l.ol_quantity), '{}') AS ol_quantities,
              coalesce(array_agg(l.ol_amount), '{}') AS ol_amounts,
              coalesce(array_agg(l.ol_delivery_d), '{}') AS ol_delivery_ds
         FROM (SELECT l.ol_i_id, l.ol_supply_w_id, l.ol_quantity, l.ol_amount, l.ol_delivery_d
                 FROM ordermill.order_line AS l
                WHERE l.ol_w_id = $1 AND l.ol_d_id = $2 AND l.ol_o_id = o.o_id
                ORDER BY l.ol_number) AS l) AS l
 WHERE c.c_w_id = $1 AND c.c_d_id = $2
   AND c.c_id = coalesce($3, (
           SELECT (array_agg(n.c_id ORDER BY n.c_first, n.c_id))[((count(*) + 1) / 2)::integer]
             FROM ordermill.customer AS n
            WHERE n.c_w_id = $1 AND n.c_d_id = $2 AND n.c_last = $4));

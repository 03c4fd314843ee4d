-- NAME: O_CARRIER_ID is null if and only if a NEW-ORDER row exists
-- Condition 5 (TPC-C 3.3.2.5): NEW-ORDER holds the orders that no carrier has, and no others.
SELECT w_id AS warehouse,
       d_id::integer AS district,
       'order ' || o_id AS detail,
       CASE WHEN n.is_new THEN 'no carrier' ELSE 'a carrier' END AS expected,
       CASE WHEN o.exists IS NULL THEN 'no order'
            ELSE coalesce('carrier ' || o.carrier_id, 'no carrier') END AS found,
       count(*) OVER () AS violations
  FROM (SELECT o_w_id AS w_id, o_d_id AS d_id, o_id, o_carrier_id AS carrier_id, true AS exists
          FROM ordermill.orders
         WHERE o_w_id BETWEEN :first_warehouse AND :last_warehouse) AS o
  FULL JOIN (SELECT no_w_id AS w_id, no_d_id AS d_id, no_o_id AS o_id, true AS is_new
               FROM ordermill.new_order
              WHERE no_w_id BETWEEN :first_warehouse AND :last_warehouse) AS n
       USING (w_id, d_id, o_id)
 WHERE o.exists IS NULL OR (o.carrier_id IS NULL) <> (n.is_new IS NOT NULL)
 ORDER BY w_id, d_id, o_id
 LIMIT 10;

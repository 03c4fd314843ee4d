-- NAME: OL_DELIVERY_D is null if and only if O_CARRIER_ID is null
-- Condition 7 (TPC-C 3.3.2.7): the lines of an order are delivered when the order is. The full
-- join compares the whole key, see condition 10; orders without lines are not meant here.
SELECT l.ol_w_id AS warehouse,
       l.ol_d_id::integer AS district,
       format('order %s line %s', l.ol_o_id, l.ol_number) AS detail,
       CASE WHEN o.o_id IS NULL THEN 'an order'
            WHEN o.o_carrier_id IS NULL THEN 'no delivery date'
            ELSE 'a delivery date' END AS expected,
       CASE WHEN o.o_id IS NULL THEN 'no order'
            WHEN l.ol_delivery_d IS NULL THEN 'no delivery date'
            ELSE l.ol_delivery_d::text END AS found,
       count(*) OVER () AS violations
  FROM (SELECT ol_w_id, ol_d_id, ol_o_id, ol_number, ol_delivery_d, true AS is_line
          FROM ordermill.order_line
         WHERE ol_w_id BETWEEN :first_warehouse AND :last_warehouse) AS l
  FULL JOIN (SELECT o_w_id, o_d_id, o_id, o_carrier_id
               FROM ordermill.orders
              WHERE o_w_id BETWEEN :first_warehouse AND :last_warehouse) AS o
       ON o.o_w_id = l.ol_w_id AND o.o_d_id = l.ol_d_id AND o.o_id = l.ol_o_id
 WHERE coalesce(l.is_line, false)
   AND (o.o_id IS NULL OR (l.ol_delivery_d IS NULL) <> (o.o_carrier_id IS NULL))
 ORDER BY l.ol_w_id, l.ol_d_id, l.ol_o_id, l.ol_number
 LIMIT 10;

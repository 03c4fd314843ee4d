-- NAME: OL_DELIVERY_D is null if and only if O_CARRIER_ID is null
-- Condition 7 (TPC-C 3.3.2.7): the lines of an order are delivered, all of them, when the order is.
-- Orders without lines are not meant here.
WITH line AS (
    SELECT ol_w_id AS w_id, ol_d_id AS d_id, ol_o_id AS o_id,
           count(*) AS line_count,
           count(ol_delivery_d) AS delivered_count,
           sum(ol_amount) FILTER (WHERE ol_delivery_d IS NOT NULL) AS delivered_amount
      FROM ordermill.order_line
     WHERE ol_w_id BETWEEN :first_warehouse AND :last_warehouse
     GROUP BY ol_w_id, ol_d_id, ol_o_id
)
SELECT line.w_id AS warehouse,
       line.d_id::integer AS district,
       'order ' || line.o_id AS detail,
       CASE WHEN o.o_id IS NULL THEN 'an order'
            WHEN o.o_carrier_id IS NULL THEN 'no line delivered'
            ELSE format('%s lines delivered', line.line_count) END AS expected,
       CASE WHEN o.o_id IS NULL THEN 'no order'
            ELSE line.delivered_count::text END AS found,
       count(*) OVER () AS violations
  FROM line
  LEFT JOIN (SELECT o_w_id, o_d_id, o_id, o_carrier_id
               FROM ordermill.orders
              WHERE o_w_id BETWEEN :first_warehouse AND :last_warehouse) AS o
            ON o.o_w_id = line.w_id AND o.o_d_id = line.d_id AND o.o_id = line.o_id
 WHERE o.o_id IS NULL
    OR line.delivered_count <> CASE WHEN o.o_carrier_id IS NULL THEN 0 ELSE line.line_count END
 ORDER BY line.w_id, line.d_id, line.o_id
 LIMIT 10;

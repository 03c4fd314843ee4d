-- NAME: O_OL_CNT = count(ORDER-LINE), per order
-- Condition 6 (TPC-C 3.3.2.6): an order has as many lines as it says.
WITH line AS (
    SELECT ol_w_id AS w_id, ol_d_id AS d_id, ol_o_id AS o_id,
           count(*) AS line_count,
           count(ol_delivery_d) AS delivered_count,
           sum(ol_amount) FILTER (WHERE ol_delivery_d IS NOT NULL) AS delivered_amount
      FROM ordermill.order_line
     WHERE ol_w_id BETWEEN :first_warehouse AND :last_warehouse
     GROUP BY ol_w_id, ol_d_id, ol_o_id
)
SELECT w_id AS warehouse,
       d_id::integer AS district,
       'order ' || o_id AS detail,
       coalesce(o.line_count::text, 'no order') AS expected,
       coalesce(line.line_count::text, 'none') AS found,
       count(*) OVER () AS violations
  FROM line
  FULL JOIN (SELECT o_w_id AS w_id, o_d_id AS d_id, o_id, o_ol_cnt AS line_count
               FROM ordermill.orders
              WHERE o_w_id BETWEEN :first_warehouse AND :last_warehouse) AS o
            USING (w_id, d_id, o_id)
 WHERE o.line_count IS DISTINCT FROM line.line_count
 ORDER BY w_id, d_id, o_id
 LIMIT 10;

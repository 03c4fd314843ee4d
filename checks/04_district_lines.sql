-- NAME: sum(O_OL_CNT) = count(ORDER-LINE), per district
-- Condition 4 (TPC-C 3.3.2.4): a district has as many order lines as its orders say.
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
       '' AS detail,
       coalesce(o.line_count::text, 'no orders') AS expected,
       coalesce(l.line_count::text, 'none') AS found,
       count(*) OVER () AS violations
  FROM (SELECT o_w_id AS w_id, o_d_id AS d_id, sum(o_ol_cnt) AS line_count
          FROM ordermill.orders
         WHERE o_w_id BETWEEN :first_warehouse AND :last_warehouse
         GROUP BY o_w_id, o_d_id) AS o
  FULL JOIN (SELECT w_id, d_id, sum(line_count) AS line_count
               FROM line
              GROUP BY w_id, d_id) AS l USING (w_id, d_id)
 WHERE o.line_count IS DISTINCT FROM l.line_count
 ORDER BY w_id, d_id
 LIMIT 10;

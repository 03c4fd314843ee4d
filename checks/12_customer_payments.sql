-- NAME: C_BALANCE + C_YTD_PAYMENT = sum(OL_AMOUNT delivered)
-- Condition 12 (TPC-C 3.3.2.12): what a customer owes and what he has paid is what was delivered to
-- him. A customer without any delivered line counts as 0.
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
       coalesce('customer ' || c_id, 'no order') AS detail,
       coalesce(delivered.amount, 0)::text AS expected,
       coalesce(customer.total::text, 'no customer') AS found,
       count(*) OVER () AS violations
  FROM (SELECT c_w_id AS w_id, c_d_id AS d_id, c_id, c_balance + c_ytd_payment AS total
          FROM ordermill.customer
         WHERE c_w_id BETWEEN :first_warehouse AND :last_warehouse) AS customer
  FULL JOIN (SELECT w_id, d_id, o.c_id, sum(line.delivered_amount) AS amount
               FROM line
               FULL JOIN (SELECT o_w_id AS w_id, o_d_id AS d_id, o_id, o_c_id AS c_id
                            FROM ordermill.orders
                           WHERE o_w_id BETWEEN :first_warehouse AND :last_warehouse) AS o
                         USING (w_id, d_id, o_id)
              WHERE o.c_id IS NOT NULL OR line.delivered_count > 0
              GROUP BY w_id, d_id, o.c_id) AS delivered USING (w_id, d_id, c_id)
 WHERE customer.total IS DISTINCT FROM coalesce(delivered.amount, 0)
 ORDER BY w_id, d_id, c_id
 LIMIT 10;

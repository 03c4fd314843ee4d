-- NAME: C_BALANCE + C_YTD_PAYMENT = sum(OL_AMOUNT delivered)
-- Condition 12 (TPC-C 3.3.2.12): what a customer owes and what he has paid is what was delivered to
-- him. A customer without any delivered line counts as 0. On the full join, see condition 10.
WITH customer AS (
    SELECT c_w_id AS w_id, c_d_id AS d_id, c_id, c_balance + c_ytd_payment AS total
      FROM ordermill.customer
     WHERE c_w_id BETWEEN :first_warehouse AND :last_warehouse
), line AS (
    SELECT ol_w_id AS w_id, ol_d_id AS d_id, ol_o_id AS o_id, sum(ol_amount) AS amount
      FROM ordermill.order_line
     WHERE ol_w_id BETWEEN :first_warehouse AND :last_warehouse AND ol_delivery_d IS NOT NULL
     GROUP BY ol_w_id, ol_d_id, ol_o_id
), delivered AS (
    SELECT w_id, d_id, o.o_c_id AS c_id, sum(line.amount) AS amount
      FROM line
      FULL JOIN (SELECT o_w_id AS w_id, o_d_id AS d_id, o_id, o_c_id
                   FROM ordermill.orders
                  WHERE o_w_id BETWEEN :first_warehouse AND :last_warehouse) AS o
                USING (w_id, d_id, o_id)
     GROUP BY w_id, d_id, o.o_c_id
)
SELECT w_id AS warehouse,
       d_id::integer AS district,
       coalesce('customer ' || c_id, 'no order') AS detail,
       coalesce(delivered.amount, 0)::text AS expected,
       coalesce(customer.total::text, 'no customer') AS found,
       count(*) OVER () AS violations
  FROM customer
  FULL JOIN delivered USING (w_id, d_id, c_id)
 WHERE customer.total IS DISTINCT FROM coalesce(delivered.amount, 0)
 ORDER BY w_id, d_id, c_id
 LIMIT 10;

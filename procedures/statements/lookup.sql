-- The lookup probe: one customer by his primary key; no row where there is none.
--
-- $1 warehouse, $2 district, $3 customer.

PREPARE lookup (integer, smallint, integer) AS
SELECT c.c_id, c.c_last, c.c_credit::text, c.c_discount, c.c_balance
  FROM ordermill.customer AS c
 WHERE c.c_w_id = $1 AND c.c_d_id = $2 AND c.c_id = $3;

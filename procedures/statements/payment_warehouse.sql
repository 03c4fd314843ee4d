-- Payment (TPC-C 2.5.2.2), first: the warehouse takes the money.
--
-- $1 warehouse, $2 amount.

PREPARE payment_warehouse (integer, numeric) AS
UPDATE ordermill.warehouse AS w
   SET w_ytd = w.w_ytd + $2
 WHERE w.w_id = $1
RETURNING w.w_street_1, w.w_street_2, w.w_city, w.w_state::text, w.w_zip::text;

-- Payment (TPC-C 2.5.2.2), last: a customer of this warehouse pays, and the history notes it.
--
-- $1 warehouse, $2 district, $3 the customer's district, $4 his number, or null and $5 his last name,
-- $6 amount.
--
-- A warehouse, district or customer that is missing leaves a null in the history, which takes none,
-- and so ends the transaction (2.3.6). The middle one of the customers of a name is found without a
-- lock: names do not change.

PREPARE payment_home (integer, smallint, smallint, integer, text, numeric) AS
WITH paid AS (
    UPDATE ordermill.customer AS c
       SET c_balance = c.c_balance - $6,
           c_ytd_payment = c.c_ytd_payment + $6,
           c_payment_cnt = c.c_payment_cnt + 1,
           c_data = CASE WHEN c.c_credit = 'BC'
                         THEN left(format('%s %s %s %s %s %s|%s', c.c_id, $3, $1, $2, $1, $6,
                                          c.c_data), 500)
                         ELSE c.c_data END
     WHERE c.c_w_id = $1 AND c.c_d_id = $3
       AND c.c_id = coalesce($4, (
               SELECT (array_agg(n.c_id ORDER BY n.c_first, n.c_id))[((count(*) + 1) / 2)::integer]
                 FROM ordermill.customer AS n
                WHERE n.c_w_id = $1 AND n.c_d_id = $3 AND n.c_last = $5))
    RETURNING c.*
), noted AS (
    INSERT INTO ordermill.history
           (h_date, h_c_id, h_c_w_id, h_w_id, h_c_d_id, h_d_id, h_amount, h_data)
    VALUES (CURRENT_TIMESTAMP, (SELECT paid.c_id FROM paid), $1, $1, $3, $2, $6,
            (SELECT w.w_name FROM ordermill.warehouse AS w WHERE w.w_id = $1) || '    '
            || (SELECT d.d_name FROM ordermill.district AS d WHERE d.d_w_id = $1 AND d.d_id = $2))
)
SELECT c.c_id, c.c_first, c.c_middle::text, c.c_last, c.c_street_1, c.c_street_2, c.c_city,
       c.c_state::text, c.c_zip::text, c.c_phone::text, c.c_since, c.c_credit::text, c.c_credit_lim,
       c.c_discount, c.c_balance, CASE WHEN c.c_credit = 'BC' THEN left(c.c_data, 200) END AS c_data,
       CURRENT_TIMESTAMP AS h_date
  FROM paid AS c;

-- Payment (TPC-C 2.5.2.2) by a customer of another warehouse, whose number payment_find gave.
--
-- $1 the customer's warehouse, $2 his district, $3 his number, $4 warehouse, $5 district, $6 amount.

PREPARE payment_remote (integer, smallint, integer, integer, smallint, numeric) AS
UPDATE ordermill.customer AS c
   SET c_balance = c.c_balance - $6,
       c_ytd_payment = c.c_ytd_payment + $6,
       c_payment_cnt = c.c_payment_cnt + 1,
       c_data = CASE WHEN c.c_credit = 'BC'
                     THEN left(format('%s %s %s %s %s %s|%s', c.c_id, $2, $1, $5, $4, $6,
                                      c.c_data), 500)
                     ELSE c.c_data END
 WHERE c.c_w_id = $1 AND c.c_d_id = $2 AND c.c_id = $3
RETURNING c.c_id, c.c_first, c.c_middle::text, c.c_last, c.c_street_1, c.c_street_2, c.c_city,
          c.c_state::text, c.c_zip::text, c.c_phone::text, c.c_since, c.c_credit::text,
          c.c_credit_lim, c.c_discount, c.c_balance,
          CASE WHEN c.c_credit = 'BC' THEN left(c.c_data, 200) END AS c_data,
          CURRENT_TIMESTAMP AS h_date;

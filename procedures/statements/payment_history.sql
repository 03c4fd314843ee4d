-- Payment (TPC-C 2.5.2.2) by a customer of another warehouse: the history of this one notes it.
--
-- $1 warehouse, $2 district, $3 the customer's warehouse, $4 his district, $5 his number, $6 amount.
--
-- A warehouse or district that is missing leaves a null in H_DATA, which takes none, and so ends the
-- transaction (2.3.6).

PREPARE payment_history (integer, smallint, integer, smallint, integer, numeric) AS
INSERT INTO ordermill.history
       (h_date, h_c_id, h_c_w_id, h_w_id, h_c_d_id, h_d_id, h_amount, h_data)
VALUES (CURRENT_TIMESTAMP, $5, $3, $1, $4, $2, $6,
        (SELECT w.w_name FROM ordermill.warehouse AS w WHERE w.w_id = $1) || '    '
        || (SELECT d.d_name FROM ordermill.district AS d WHERE d.d_w_id = $1 AND d.d_id = $2));

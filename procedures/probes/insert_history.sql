-- The insert probe: one row of history. Its amount is nothing, so that the sums over history which the
-- consistency conditions 8, 9, 10 and 12 compare stay what they were; its text tells it from a payment.

CREATE OR REPLACE FUNCTION ordermill.insert_history(
    p_w_id      integer,
    p_d_id      smallint,
    p_c_id      integer,
    OUT h_date  timestamptz
)
LANGUAGE plpgsql
AS $ordermill$
BEGIN
    h_date := CURRENT_TIMESTAMP;
    INSERT INTO ordermill.history
           (h_date, h_c_id, h_c_w_id, h_w_id, h_c_d_id, h_d_id, h_amount, h_data)
    VALUES (h_date, p_c_id, p_w_id, p_w_id, p_d_id, p_d_id, 0, 'insert probe');
END
$ordermill$;

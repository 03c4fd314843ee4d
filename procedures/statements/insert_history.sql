-- The insert probe: one row of history, of no money (see procedures/probes/insert_history.sql).
--
-- $1 warehouse, $2 district, $3 customer.

PREPARE insert_history (integer, smallint, integer) AS
WITH noted AS (
    INSERT INTO ordermill.history
           (h_date, h_c_id, h_c_w_id, h_w_id, h_c_d_id, h_d_id, h_amount, h_data)
    VALUES (CURRENT_TIMESTAMP, $3, $1, $1, $2, $2, 0, 'insert probe')
)
SELECT CURRENT_TIMESTAMP AS h_date;

-- Delivery (TPC-C 2.7.4.2) of the oldest new order of one district; a transaction calls it for each of
-- the ten, in ascending order.
--
-- $1 warehouse, $2 district, $3 carrier.
--
-- One row, or none where there is nothing to deliver. The oldest order is locked as it is found: a
-- second delivery waits, and takes what then is oldest; it does not skip, which would leave a hole.

PREPARE delivery (integer, smallint, smallint) AS
WITH oldest AS MATERIALIZED (
    SELECT n.no_o_id
      FROM ordermill.new_order AS n
     WHERE n.no_w_id = $1 AND n.no_d_id = $2
     ORDER BY n.no_o_id
     LIMIT 1
       FOR UPDATE
), gone AS (
    DELETE FROM ordermill.new_order AS n
     WHERE n.no_w_id = $1 AND n.no_d_id = $2 AND n.no_o_id = (SELECT oldest.no_o_id FROM oldest)
), carried AS (
    UPDATE ordermill.orders AS o
       SET o_carrier_id = $3
     WHERE o.o_w_id = $1 AND o.o_d_id = $2 AND o.o_id = (SELECT oldest.no_o_id FROM oldest)
    RETURNING o.o_id, o.o_c_id
), dated AS (
    UPDATE ordermill.order_line AS l
       SET ol_delivery_d = CURRENT_TIMESTAMP
     WHERE l.ol_w_id = $1 AND l.ol_d_id = $2 AND l.ol_o_id = (SELECT oldest.no_o_id FROM oldest)
    RETURNING l.ol_amount
), credited AS (
    UPDATE ordermill.customer AS c
       SET c_balance = c.c_balance + (SELECT sum(dated.ol_amount) FROM dated),
           c_delivery_cnt = c.c_delivery_cnt + 1
     WHERE c.c_w_id = $1 AND c.c_d_id = $2 AND c.c_id = (SELECT carried.o_c_id FROM carried)
)
SELECT carried.o_id, CURRENT_TIMESTAMP AS delivered_at
  FROM carried;

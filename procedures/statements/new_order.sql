-- The head of a New-Order (TPC-C 2.4.2.2): its district's counter, its order, and what the terminal
-- shows of warehouse and customer.
--
-- $1 warehouse, $2 district, $3 customer, $4 number of lines, $5 whether all are local (1 or 0).
--
-- A warehouse, district or customer that is missing leaves a null in a column that takes none, and so
-- ends the transaction (2.3.6). The district's row is the only lock.

PREPARE new_order (integer, smallint, integer, smallint, smallint) AS
WITH counted AS (
    UPDATE ordermill.district AS d
       SET d_next_o_id = d.d_next_o_id + 1
     WHERE d.d_w_id = $1 AND d.d_id = $2
    RETURNING d.d_next_o_id - 1 AS o_id, d.d_tax
), buyer AS (
    SELECT c.c_id, c.c_last, c.c_credit, c.c_discount, w.w_tax
      FROM ordermill.warehouse AS w, ordermill.customer AS c
     WHERE w.w_id = $1
       AND c.c_w_id = $1 AND c.c_d_id = $2 AND c.c_id = $3
), ordered AS (
    INSERT INTO ordermill.orders
           (o_entry_d, o_w_id, o_id, o_c_id, o_d_id, o_ol_cnt, o_all_local, o_carrier_id)
    VALUES (CURRENT_TIMESTAMP, $1, (SELECT counted.o_id FROM counted),
            (SELECT buyer.c_id FROM buyer), $2, $4, $5, NULL)
), noted AS (
    INSERT INTO ordermill.new_order (no_w_id, no_o_id, no_d_id)
    VALUES ($1, (SELECT counted.o_id FROM counted), $2)
)
SELECT counted.o_id, CURRENT_TIMESTAMP AS o_entry_d, buyer.c_last, buyer.c_credit::text,
       buyer.c_discount, buyer.w_tax, counted.d_tax
  FROM counted, buyer;

-- Lines of a New-Order (TPC-C 2.4.2.2) that come from one supply warehouse, their items different and
-- ascending. An item named twice makes another call, which meets the stock that this one leaves.
--
-- $1 warehouse, $2 district, $3 supply warehouse, $4 numbers of the lines, $5 items, $6 quantities.
--
-- One row for each line whose item is valid. An item that is not leaves a null in OL_AMOUNT, which
-- takes none (SQLSTATE 23502): the intended rollback. By then everything was done for the valid lines
-- of this call, since the rows of `taken` are complete before the first line is written (2.4.2.3).
--
-- Stock is locked before it is changed, in the order of the items (sorted, then locked, in any plan),
-- and the calls of an order are made by ascending supply warehouse: no two orders wait for each other
-- in a circle.

PREPARE order_lines (integer, smallint, integer, smallint[], integer[], smallint[]) AS
WITH locked AS MATERIALIZED (
    SELECT l.number, l.i_id, l.quantity, i.i_name, i.i_price, l.quantity * i.i_price AS amount,
           (CASE WHEN s.s_quantity - l.quantity >= 10
                 THEN s.s_quantity - l.quantity
                 ELSE s.s_quantity - l.quantity + 91 END)::smallint AS stock,
           CASE $2 WHEN 1 THEN s.s_dist_01 WHEN 2 THEN s.s_dist_02
                   WHEN 3 THEN s.s_dist_03 WHEN 4 THEN s.s_dist_04
                   WHEN 5 THEN s.s_dist_05 WHEN 6 THEN s.s_dist_06
                   WHEN 7 THEN s.s_dist_07 WHEN 8 THEN s.s_dist_08
                   WHEN 9 THEN s.s_dist_09 ELSE s.s_dist_10 END AS dist,
           CASE WHEN i.i_data LIKE '%ORIGINAL%' AND s.s_data LIKE '%ORIGINAL%'
                THEN 'B' ELSE 'G' END AS brand
      FROM unnest($4, $5, $6) AS l (number, i_id, quantity)
      JOIN ordermill.item AS i ON i.i_id = l.i_id
      JOIN ordermill.stock AS s ON s.s_w_id = $3 AND s.s_i_id = l.i_id
     ORDER BY l.i_id
       FOR NO KEY UPDATE OF s
), taken AS (
    UPDATE ordermill.stock AS s
       SET s_quantity = l.stock,
           s_ytd = s.s_ytd + l.quantity,
           s_order_cnt = s.s_order_cnt + 1,
           s_remote_cnt = s.s_remote_cnt + ($3 <> $1)::integer
      FROM locked AS l
     WHERE s.s_w_id = $3 AND s.s_i_id = l.i_id
    RETURNING l.number, l.i_name, l.stock, l.brand, l.i_price, l.amount, l.dist
), written AS (
    INSERT INTO ordermill.order_line
           (ol_w_id, ol_o_id, ol_i_id, ol_supply_w_id, ol_d_id, ol_number,
            ol_quantity, ol_amount, ol_dist_info, ol_delivery_d)
    SELECT $1, (SELECT d.d_next_o_id - 1
                  FROM ordermill.district AS d
                 WHERE d.d_w_id = $1 AND d.d_id = $2),
           l.i_id, $3, $2, l.number, l.quantity, taken.amount, taken.dist, NULL
      FROM unnest($4, $5, $6) AS l (number, i_id, quantity)
      LEFT JOIN taken ON taken.number = l.number
)
SELECT taken.number, taken.i_name, taken.stock, taken.brand, taken.i_price, taken.amount
  FROM taken;

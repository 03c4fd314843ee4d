-- Stock-Level (TPC-C 2.8.2.2), all of it: how many distinct items of the district's last twenty orders
-- are below a threshold in the home warehouse.
--
-- $1 warehouse, $2 district, $3 threshold.
--
-- A district that is missing gives no row. Each stock row is looked up by its key, whatever the
-- statistics say: OFFSET 0 keeps the lookup from becoming a join.

PREPARE stock_level (integer, smallint, smallint) AS
SELECT (SELECT count(*)
          FROM (SELECT DISTINCT l.ol_i_id
                  FROM ordermill.order_line AS l
                 WHERE l.ol_w_id = $1 AND l.ol_d_id = $2
                   AND l.ol_o_id >= d.d_next_o_id - 20 AND l.ol_o_id < d.d_next_o_id) AS recent
         CROSS JOIN LATERAL (
               SELECT 1
                 FROM ordermill.stock AS s
                WHERE s.s_w_id = $1 AND s.s_i_id = recent.ol_i_id AND s.s_quantity < $3
               OFFSET 0) AS low)::integer AS low_stock
  FROM ordermill.district AS d
 WHERE d.d_w_id = $1 AND d.d_id = $2;

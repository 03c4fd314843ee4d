-- The Stock-Level transaction (TPC-C 2.8.2.2): how many distinct items of the district's last
-- twenty orders are below a threshold in the home warehouse.
--
-- OM002: the district does not exist (2.3.6).
--
-- Why this shape. As one join, the planner must guess how many order lines a district's last twenty
-- orders have; if statistics tip the guess, it reads all stock of the warehouse instead, which is
-- some twenty times slower. Here the order numbers are known before the lines are read, and each
-- stock row is looked up by its key: OFFSET 0 keeps the lookup from becoming a join. STABLE gives
-- both steps one snapshot.

CREATE OR REPLACE FUNCTION ordermill.stock_level(
    p_w_id        integer,
    p_d_id        smallint,
    p_threshold   smallint,
    OUT low_stock integer
)
STABLE
LANGUAGE plpgsql
AS $ordermill$
DECLARE
    v_next_o_id integer;
BEGIN
    SELECT d.d_next_o_id INTO v_next_o_id
      FROM ordermill.district AS d
     WHERE d.d_w_id = p_w_id AND d.d_id = p_d_id;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'OM002',
            MESSAGE = format('no district %s in warehouse %s', p_d_id, p_w_id);
    END IF;

    SELECT count(*) INTO low_stock
      FROM (SELECT DISTINCT l.ol_i_id
              FROM ordermill.order_line AS l
             WHERE l.ol_w_id = p_w_id AND l.ol_d_id = p_d_id
               AND l.ol_o_id >= v_next_o_id - 20 AND l.ol_o_id < v_next_o_id) AS recent
     CROSS JOIN LATERAL (SELECT 1
              FROM ordermill.stock AS s
             WHERE s.s_w_id = p_w_id AND s.s_i_id = recent.ol_i_id
               AND s.s_quantity < p_threshold
            OFFSET 0) AS low;
END
$ordermill$;

-- The classic form of Stock-Level: row by row, as the standard tells it (TPC-C 2.8.2.2), for readers and for
-- comparison. Same arguments, results and errors as procedures/default/stock_level.sql.
--
-- One cursor, one lookup per item that the last twenty orders name.

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
    v_line      record;
BEGIN
    SELECT d.d_next_o_id INTO v_next_o_id
      FROM ordermill.district AS d
     WHERE d.d_w_id = p_w_id AND d.d_id = p_d_id;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'OM002',
            MESSAGE = format('no district %s in warehouse %s', p_d_id, p_w_id);
    END IF;

    low_stock := 0;
    FOR v_line IN
        SELECT DISTINCT l.ol_i_id
          FROM ordermill.order_line AS l
         WHERE l.ol_w_id = p_w_id AND l.ol_d_id = p_d_id
           AND l.ol_o_id >= v_next_o_id - 20 AND l.ol_o_id < v_next_o_id
    LOOP
        PERFORM 1
          FROM ordermill.stock AS s
         WHERE s.s_w_id = p_w_id AND s.s_i_id = v_line.ol_i_id AND s.s_quantity < p_threshold;
        IF FOUND THEN
            low_stock := low_stock + 1;
        END IF;
    END LOOP;
END
$ordermill$;

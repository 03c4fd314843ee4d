-- The classic form of Delivery: row by row, as the standard tells it (TPC-C 2.7.4.2), for readers and for
-- comparison. Same arguments, results and errors as procedures/default/delivery.sql.
--
-- The oldest order is locked as it is found: a second delivery waits, and takes what then is oldest.

CREATE OR REPLACE FUNCTION ordermill.delivery(
    p_w_id           integer,
    p_o_carrier_id   smallint,
    OUT o_ids        integer[],
    OUT delivered_at timestamptz,
    OUT skipped      smallint
)
LANGUAGE plpgsql
AS $ordermill$
DECLARE
    v_o_id   integer;
    v_c_id   integer;
    v_amount numeric;
    v_line   record;
    v_lines  integer;
BEGIN
    delivered_at := CURRENT_TIMESTAMP;
    skipped := 0;

    FOR v_d_id IN 1 .. 10 LOOP
        SELECT n.no_o_id INTO v_o_id
          FROM ordermill.new_order AS n
         WHERE n.no_w_id = p_w_id AND n.no_d_id = v_d_id
         ORDER BY n.no_o_id
         LIMIT 1
           FOR UPDATE;
        o_ids[v_d_id] := v_o_id;
        IF NOT FOUND THEN
            skipped := skipped + 1;
            CONTINUE;
        END IF;

        DELETE FROM ordermill.new_order AS n
         WHERE n.no_w_id = p_w_id AND n.no_d_id = v_d_id AND n.no_o_id = v_o_id;

        SELECT o.o_c_id INTO v_c_id
          FROM ordermill.orders AS o
         WHERE o.o_w_id = p_w_id AND o.o_d_id = v_d_id AND o.o_id = v_o_id;
        UPDATE ordermill.orders AS o
           SET o_carrier_id = p_o_carrier_id
         WHERE o.o_w_id = p_w_id AND o.o_d_id = v_d_id AND o.o_id = v_o_id;

        v_amount := 0;
        v_lines := 0;
        FOR v_line IN
            SELECT l.ol_number, l.ol_amount
              FROM ordermill.order_line AS l
             WHERE l.ol_w_id = p_w_id AND l.ol_d_id = v_d_id AND l.ol_o_id = v_o_id
             ORDER BY l.ol_number
        LOOP
            UPDATE ordermill.order_line AS l
               SET ol_delivery_d = delivered_at
             WHERE l.ol_w_id = p_w_id AND l.ol_d_id = v_d_id AND l.ol_o_id = v_o_id
               AND l.ol_number = v_line.ol_number;
            v_amount := v_amount + v_line.ol_amount;
            v_lines := v_lines + 1;
        END LOOP;
        IF v_c_id IS NULL OR v_lines = 0 THEN
            RAISE EXCEPTION USING ERRCODE = 'OM002',
                MESSAGE = format('an order to be delivered by warehouse %s is missing or has no line',
                                 p_w_id);
        END IF;

        UPDATE ordermill.customer AS c
           SET c_balance = c.c_balance + v_amount,
               c_delivery_cnt = c.c_delivery_cnt + 1
         WHERE c.c_w_id = p_w_id AND c.c_d_id = v_d_id AND c.c_id = v_c_id;
    END LOOP;
END
$ordermill$;

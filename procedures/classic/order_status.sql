-- The classic form of Order-Status: row by row, as the standard tells it (TPC-C 2.6.2.2), for readers and for
-- comparison. Same arguments, results and errors as procedures/default/order_status.sql.

CREATE OR REPLACE FUNCTION ordermill.order_status(
    p_w_id             integer,
    p_d_id             smallint,
    p_c_id             integer,
    p_c_last           text,
    OUT c_id           integer,
    OUT c_first        text,
    OUT c_middle       text,
    OUT c_last         text,
    OUT c_balance      numeric,
    OUT o_id           integer,
    OUT o_entry_d      timestamptz,
    OUT o_carrier_id   smallint,
    OUT ol_i_ids       integer[],
    OUT ol_supply_w_ids integer[],
    OUT ol_quantities  smallint[],
    OUT ol_amounts     numeric[],
    OUT ol_delivery_ds timestamptz[]
)
STABLE
LANGUAGE plpgsql
AS $ordermill$
DECLARE
    v_count integer;
    v_line  record;
BEGIN
    c_id := p_c_id;
    IF c_id IS NULL THEN
        -- The middle one by first name, counted from 1 and rounded up.
        SELECT count(*) INTO v_count
          FROM ordermill.customer AS c
         WHERE c.c_w_id = p_w_id AND c.c_d_id = p_d_id AND c.c_last = p_c_last;
        SELECT c.c_id INTO c_id
          FROM ordermill.customer AS c
         WHERE c.c_w_id = p_w_id AND c.c_d_id = p_d_id AND c.c_last = p_c_last
         ORDER BY c.c_first, c.c_id
        OFFSET greatest((v_count + 1) / 2 - 1, 0)
         LIMIT 1;
    END IF;

    SELECT c.c_first, c.c_middle, c.c_last, c.c_balance
      INTO c_first, c_middle, c_last, c_balance
      FROM ordermill.customer AS c
     WHERE c.c_w_id = p_w_id AND c.c_d_id = p_d_id AND c.c_id = order_status.c_id;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'OM002',
            MESSAGE = format('no customer %s in district %s of warehouse %s',
                             coalesce(p_c_id::text, p_c_last), p_d_id, p_w_id);
    END IF;

    SELECT o.o_id, o.o_entry_d, o.o_carrier_id
      INTO o_id, o_entry_d, o_carrier_id
      FROM ordermill.orders AS o
     WHERE o.o_w_id = p_w_id AND o.o_d_id = p_d_id AND o.o_c_id = order_status.c_id
     ORDER BY o.o_id DESC
     LIMIT 1;

    ol_i_ids := '{}';
    ol_supply_w_ids := '{}';
    ol_quantities := '{}';
    ol_amounts := '{}';
    ol_delivery_ds := '{}';
    FOR v_line IN
        SELECT l.ol_i_id, l.ol_supply_w_id, l.ol_quantity, l.ol_amount, l.ol_delivery_d
          FROM ordermill.order_line AS l
         WHERE l.ol_w_id = p_w_id AND l.ol_d_id = p_d_id AND l.ol_o_id = order_status.o_id
         ORDER BY l.ol_number
    LOOP
        ol_i_ids := ol_i_ids || v_line.ol_i_id;
        ol_supply_w_ids := ol_supply_w_ids || v_line.ol_supply_w_id;
        ol_quantities := ol_quantities || v_line.ol_quantity;
        ol_amounts := ol_amounts || v_line.ol_amount;
        ol_delivery_ds := ol_delivery_ds || v_line.ol_delivery_d;
    END LOOP;
END
$ordermill$;

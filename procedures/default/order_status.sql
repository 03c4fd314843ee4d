-- The Order-Status transaction (TPC-C 2.6.2.2): a customer's latest order and its lines.
--
-- p_c_id is null when the customer is chosen by name, p_c_last is null when by number. Arrays hold
-- one element per order line, in line order. A customer without any order yields a null o_id and
-- empty arrays.
--
-- OM002: the customer does not exist (2.3.6).
--
-- Why this shape. STABLE makes all its statements read the snapshot of the calling query: balance,
-- order and lines belong together even while a Delivery commits, and no snapshot is taken per
-- statement.

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
BEGIN
    c_id := p_c_id;
    IF c_id IS NULL THEN
        SELECT (array_agg(c.c_id ORDER BY c.c_first, c.c_id))[((count(*) + 1) / 2)::integer]
          INTO c_id
          FROM ordermill.customer AS c
         WHERE c.c_w_id = p_w_id AND c.c_d_id = p_d_id AND c.c_last = p_c_last;
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

    SELECT coalesce(array_agg(l.ol_i_id), '{}'), coalesce(array_agg(l.ol_supply_w_id), '{}'),
           coalesce(array_agg(l.ol_quantity), '{}'), coalesce(array_agg(l.ol_amount), '{}'),
           coalesce(array_agg(l.ol_delivery_d), '{}')
      INTO ol_i_ids, ol_supply_w_ids, ol_quantities, ol_amounts, ol_delivery_ds
      FROM (SELECT l.ol_i_id, l.ol_supply_w_id, l.ol_quantity, l.ol_amount, l.ol_delivery_d
              FROM ordermill.order_line AS l
             WHERE l.ol_w_id = p_w_id AND l.ol_d_id = p_d_id AND l.ol_o_id = order_status.o_id
             ORDER BY l.ol_number) AS l;
END
$ordermill$;

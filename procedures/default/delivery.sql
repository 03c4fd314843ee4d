-- The Delivery transaction (TPC-C 2.7.4.2): the oldest undelivered order of each of the ten
-- districts of a warehouse, in one database transaction.
--
-- o_ids holds ten elements, null where a district had nothing to deliver; skipped counts those.
--
-- Why this shape. The oldest order is locked as it is found. A second delivery waits for that lock;
-- when it gets on and the row is gone, the index scan goes on to the next one, so that it delivers
-- another order instead of the same one or none, and numbers are taken without holes. (Skipping
-- locked rows would leave a hole when the first delivery rolls back.) Districts are taken in
-- ascending order and only customers are locked besides, after their order: no two deliveries, and
-- no delivery and payment, can wait for each other in a circle.
-- One key per statement, so that the index lookup is the only plan there is.

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

        UPDATE ordermill.orders AS o
           SET o_carrier_id = p_o_carrier_id
         WHERE o.o_w_id = p_w_id AND o.o_d_id = v_d_id AND o.o_id = v_o_id
        RETURNING o.o_c_id INTO v_c_id;

        WITH line AS (
            UPDATE ordermill.order_line AS l
               SET ol_delivery_d = delivered_at
             WHERE l.ol_w_id = p_w_id AND l.ol_d_id = v_d_id AND l.ol_o_id = v_o_id
            RETURNING l.ol_amount)
        SELECT sum(line.ol_amount) INTO v_amount FROM line;

        UPDATE ordermill.customer AS c
           SET c_balance = c.c_balance + v_amount,
               c_delivery_cnt = c.c_delivery_cnt + 1
         WHERE c.c_w_id = p_w_id AND c.c_d_id = v_d_id AND c.c_id = v_c_id;
    END LOOP;
END
$ordermill$;

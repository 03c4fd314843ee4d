-- The classic form of New-Order: row by row, as the standard tells it (TPC-C 2.4.2.2), for readers and for
-- comparison. Same arguments, results and errors as procedures/default/new_order.sql.
--
-- Lines are taken in the order of supply warehouse and item, so that two orders cannot wait for each
-- other in a circle. An unused item does not end the order before all others were worked on.

CREATE OR REPLACE FUNCTION ordermill.new_order(
    p_w_id            integer,
    p_d_id            smallint,
    p_c_id            integer,
    p_i_ids           integer[],
    p_supply_w_ids    integer[],
    p_quantities      smallint[],
    OUT o_id          integer,
    OUT o_entry_d     timestamptz,
    OUT c_last        text,
    OUT c_credit      text,
    OUT c_discount    numeric,
    OUT w_tax         numeric,
    OUT d_tax         numeric,
    OUT total_amount  numeric,
    OUT i_names       text[],
    OUT s_quantities  smallint[],
    OUT brand_generic text,
    OUT i_prices      numeric[],
    OUT ol_amounts    numeric[]
)
LANGUAGE plpgsql
AS $ordermill$
DECLARE
    v_line_count integer := cardinality(p_i_ids);
    v_unknown    boolean := false;
    v_missing    boolean := false;
    v_sum        numeric := 0;
    v_brands     text[];
    v_item       record;
    v_stock      record;
    v_quantity   smallint;
    v_amount     numeric;
    v_line       record;
BEGIN
    IF (v_line_count BETWEEN 1 AND 15
        AND cardinality(p_supply_w_ids) = v_line_count
        AND cardinality(p_quantities) = v_line_count) IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'OM003',
            MESSAGE = format('an order has 1 to 15 lines and as many items, supply warehouses and '
                             'quantities, not %s, %s and %s', v_line_count,
                             cardinality(p_supply_w_ids), cardinality(p_quantities));
    END IF;

    o_entry_d := CURRENT_TIMESTAMP;

    UPDATE ordermill.district AS d
       SET d_next_o_id = d.d_next_o_id + 1
     WHERE d.d_w_id = p_w_id AND d.d_id = p_d_id
    RETURNING d.d_next_o_id - 1, d.d_tax INTO o_id, d_tax;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'OM002',
            MESSAGE = format('no district %s in warehouse %s', p_d_id, p_w_id);
    END IF;

    SELECT w.w_tax, c.c_discount, c.c_last, c.c_credit
      INTO w_tax, c_discount, c_last, c_credit
      FROM ordermill.warehouse AS w, ordermill.customer AS c
     WHERE w.w_id = p_w_id
       AND c.c_w_id = p_w_id AND c.c_d_id = p_d_id AND c.c_id = p_c_id;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'OM002',
            MESSAGE = format('no warehouse %1$s, or no customer %3$s in its district %2$s',
                             p_w_id, p_d_id, p_c_id);
    END IF;

    INSERT INTO ordermill.orders
           (o_entry_d, o_w_id, o_id, o_c_id, o_d_id, o_ol_cnt, o_all_local, o_carrier_id)
    VALUES (o_entry_d, p_w_id, o_id, p_c_id, p_d_id, v_line_count,
            coalesce(p_w_id = ALL (p_supply_w_ids), false)::integer, NULL);
    INSERT INTO ordermill.new_order (no_w_id, no_o_id, no_d_id)
    VALUES (p_w_id, o_id, p_d_id);

    FOR v_line IN
        SELECT l.number::integer AS number, l.i_id, l.supply_w_id, l.quantity
          FROM unnest(p_i_ids, p_supply_w_ids, p_quantities) WITH ORDINALITY
               AS l (i_id, supply_w_id, quantity, number)
         ORDER BY l.supply_w_id, l.i_id, l.number
    LOOP
        SELECT i.i_name, i.i_price, i.i_data INTO v_item
          FROM ordermill.item AS i
         WHERE i.i_id = v_line.i_id;
        IF NOT FOUND THEN
            v_unknown := true;
            CONTINUE;
        END IF;

        SELECT s.s_quantity, s.s_data,
               CASE p_d_id WHEN 1 THEN s.s_dist_01 WHEN 2 THEN s.s_dist_02
                           WHEN 3 THEN s.s_dist_03 WHEN 4 THEN s.s_dist_04
                           WHEN 5 THEN s.s_dist_05 WHEN 6 THEN s.s_dist_06
                           WHEN 7 THEN s.s_dist_07 WHEN 8 THEN s.s_dist_08
                           WHEN 9 THEN s.s_dist_09 ELSE s.s_dist_10 END AS s_dist
          INTO v_stock
          FROM ordermill.stock AS s
         WHERE s.s_w_id = v_line.supply_w_id AND s.s_i_id = v_line.i_id
           FOR NO KEY UPDATE;
        IF NOT FOUND THEN
            v_missing := true;
            CONTINUE;
        END IF;

        v_quantity := v_stock.s_quantity - v_line.quantity;
        IF v_quantity < 10 THEN
            v_quantity := v_quantity + 91;
        END IF;
        UPDATE ordermill.stock AS s
           SET s_quantity = v_quantity,
               s_ytd = s.s_ytd + v_line.quantity,
               s_order_cnt = s.s_order_cnt + 1,
               s_remote_cnt = s.s_remote_cnt + (v_line.supply_w_id <> p_w_id)::integer
         WHERE s.s_w_id = v_line.supply_w_id AND s.s_i_id = v_line.i_id;

        v_amount := v_line.quantity * v_item.i_price;
        INSERT INTO ordermill.order_line
               (ol_w_id, ol_o_id, ol_i_id, ol_supply_w_id, ol_d_id, ol_number,
                ol_quantity, ol_amount, ol_dist_info, ol_delivery_d)
        VALUES (p_w_id, o_id, v_line.i_id, v_line.supply_w_id, p_d_id, v_line.number,
                v_line.quantity, v_amount, v_stock.s_dist, NULL);

        i_names[v_line.number] := v_item.i_name;
        i_prices[v_line.number] := v_item.i_price;
        ol_amounts[v_line.number] := v_amount;
        s_quantities[v_line.number] := v_quantity;
        IF v_item.i_data LIKE '%ORIGINAL%' AND v_stock.s_data LIKE '%ORIGINAL%' THEN
            v_brands[v_line.number] := 'B';
        ELSE
            v_brands[v_line.number] := 'G';
        END IF;
        v_sum := v_sum + v_amount;
    END LOOP;

    IF v_unknown THEN
        RAISE EXCEPTION USING ERRCODE = 'OM001',
            MESSAGE = 'Item number is not valid',
            DETAIL = format('o_id=%s c_last=%s c_credit=%s', o_id, c_last, c_credit);
    END IF;
    IF v_missing THEN
        RAISE EXCEPTION USING ERRCODE = 'OM002',
            MESSAGE = format('no stock of one of the items %s in the warehouses %s',
                             p_i_ids, p_supply_w_ids);
    END IF;

    brand_generic := array_to_string(v_brands, '');
    total_amount := v_sum * (1 - c_discount) * (1 + w_tax + d_tax);
END
$ordermill$;

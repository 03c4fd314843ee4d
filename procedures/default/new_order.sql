-- The New-Order transaction (TPC-C 2.4.2.2): one order of 1 to 15 lines, in the client's order.
--
-- Returns what the terminal shows (2.4.3.3). Arrays hold one element per line, in line order;
-- brand_generic holds one character per line.
--
-- Errors, each of which rolls the whole transaction back:
--   OM001  an item number is not valid. By then everything was done for the valid lines (2.4.2.3);
--          DETAIL carries what the terminal still shows (2.4.3.4).
--   OM002  a row that must exist is missing (2.3.6); the message names it.
--   OM003  the arguments do not describe an order.
--
-- Why this shape. One statement for all lines costs much less than one per line, but an UPDATE from
-- a list of lines locks in whatever order its plan finds the rows, and changes a row once even if
-- the order names its item twice. So the stock rows are read and locked first, in an order that is
-- written down (ORDER BY below FOR UPDATE: sorted, then locked, whatever the plan), then changed.
-- Supply warehouses are taken in ascending order, one at a time. Any two orders therefore lock
-- their common stock rows in the order (warehouse, item) and cannot deadlock, and every statement
-- is bound to one warehouse by equality. Districts are locked before stock, one per order.
-- What starting a statement costs counts: lines are numbered and read from the arguments, not made
-- into rows of their own, and nothing is aggregated that the arguments tell already.

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
    v_line_count   integer := cardinality(p_i_ids);
    v_all_local    boolean := coalesce(p_w_id = ALL (p_supply_w_ids), false);
    v_supplies     integer[];
    v_supply_w_id  integer;
    v_remote       integer;
    v_stock        smallint;
    v_valid        integer := 0;
    v_sum          numeric := 0;
    v_numbers      integer[];
    -- The lines of one supply warehouse, element by element.
    v_part_repeats boolean;
    v_part_sum     numeric;
    v_part_brands  text;
    v_part_number  integer[];
    v_part_i_name  text[];
    v_part_i_price numeric[];
    v_part_amount  numeric[];
    v_part_stock   smallint[];
    v_part_dist    bpchar[];
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
    VALUES (o_entry_d, p_w_id, o_id, p_c_id, p_d_id, v_line_count, v_all_local::integer, NULL);
    INSERT INTO ordermill.new_order (no_w_id, no_o_id, no_d_id)
    VALUES (p_w_id, o_id, p_d_id);

    IF v_all_local THEN
        v_supplies := ARRAY[p_w_id];
    ELSE
        SELECT array_agg(DISTINCT l.w_id ORDER BY l.w_id) INTO v_supplies
          FROM unnest(p_supply_w_ids) AS l (w_id);
    END IF;

    FOREACH v_supply_w_id IN ARRAY v_supplies LOOP
        v_remote := (v_supply_w_id <> p_w_id)::integer;

        -- Sorted twice: inside for the locks, outside for the lines. No aggregate here may be
        -- DISTINCT: from PostgreSQL 16 on, the rows of all would come in its order.
        SELECT bool_or(s.repeats), sum(s.amount), array_agg(s.number),
               array_agg(s.i_name), array_agg(s.i_price), array_agg(s.amount),
               array_agg(s.stock), array_agg(s.dist), string_agg(s.brand, '')
          INTO v_part_repeats, v_part_sum, v_part_number,
               v_part_i_name, v_part_i_price, v_part_amount,
               v_part_stock, v_part_dist, v_part_brands
          FROM (SELECT * FROM (
                SELECT l.number,
                       pg_catalog.array_position(p_i_ids, i.i_id) < l.number AS repeats,
                       i.i_name::text AS i_name, i.i_price,
                       p_quantities[l.number] * i.i_price AS amount,
                       (CASE WHEN s.s_quantity - p_quantities[l.number] >= 10
                             THEN s.s_quantity - p_quantities[l.number]
                             ELSE s.s_quantity - p_quantities[l.number] + 91 END)::smallint AS stock,
                       CASE p_d_id WHEN 1 THEN s.s_dist_01 WHEN 2 THEN s.s_dist_02
                                   WHEN 3 THEN s.s_dist_03 WHEN 4 THEN s.s_dist_04
                                   WHEN 5 THEN s.s_dist_05 WHEN 6 THEN s.s_dist_06
                                   WHEN 7 THEN s.s_dist_07 WHEN 8 THEN s.s_dist_08
                                   WHEN 9 THEN s.s_dist_09 ELSE s.s_dist_10 END AS dist,
                       CASE WHEN i.i_data LIKE '%ORIGINAL%' AND s.s_data LIKE '%ORIGINAL%'
                            THEN 'B' ELSE 'G' END AS brand
                  FROM generate_series(1, v_line_count) AS l (number)
                  JOIN ordermill.item AS i ON i.i_id = p_i_ids[l.number]
                  JOIN ordermill.stock AS s ON s.s_w_id = v_supply_w_id
                       AND s.s_i_id = p_i_ids[l.number]
                 WHERE v_all_local OR p_supply_w_ids[l.number] = v_supply_w_id
                 ORDER BY i.i_id
                   FOR NO KEY UPDATE OF s) AS locked
                ORDER BY number) AS s;
        CONTINUE WHEN v_part_number IS NULL;

        IF NOT v_part_repeats THEN
            UPDATE ordermill.stock AS s
               SET s_quantity = l.stock,
                   s_ytd = s.s_ytd + p_quantities[l.number],
                   s_order_cnt = s.s_order_cnt + 1,
                   s_remote_cnt = s.s_remote_cnt + v_remote
              FROM unnest(v_part_number, v_part_stock) AS l (number, stock)
             WHERE s.s_w_id = v_supply_w_id AND s.s_i_id = p_i_ids[l.number];
        ELSE
            -- An item twice: each line meets the stock that the line before it left.
            FOR n IN 1 .. cardinality(v_part_number) LOOP
                UPDATE ordermill.stock AS s
                   SET s_quantity = CASE WHEN s.s_quantity - p_quantities[v_part_number[n]] >= 10
                                         THEN s.s_quantity - p_quantities[v_part_number[n]]
                                         ELSE s.s_quantity - p_quantities[v_part_number[n]] + 91 END,
                       s_ytd = s.s_ytd + p_quantities[v_part_number[n]],
                       s_order_cnt = s.s_order_cnt + 1,
                       s_remote_cnt = s.s_remote_cnt + v_remote
                 WHERE s.s_w_id = v_supply_w_id AND s.s_i_id = p_i_ids[v_part_number[n]]
                RETURNING s.s_quantity INTO v_stock;
                v_part_stock[n] := v_stock;
            END LOOP;
        END IF;

        INSERT INTO ordermill.order_line
               (ol_w_id, ol_o_id, ol_i_id, ol_supply_w_id, ol_d_id, ol_number,
                ol_quantity, ol_amount, ol_dist_info, ol_delivery_d)
        SELECT p_w_id, o_id, p_i_ids[l.number], v_supply_w_id, p_d_id, l.number,
               p_quantities[l.number], l.amount, l.dist, NULL
          FROM unnest(v_part_number, v_part_amount, v_part_dist) AS l (number, amount, dist);

        v_valid := v_valid + cardinality(v_part_number);
        v_sum := v_sum + v_part_sum;
        IF v_all_local THEN
            i_names := v_part_i_name;
            i_prices := v_part_i_price;
            ol_amounts := v_part_amount;
            s_quantities := v_part_stock;
            brand_generic := v_part_brands;
        ELSE
            v_numbers := v_numbers || v_part_number;
            i_names := i_names || v_part_i_name;
            i_prices := i_prices || v_part_i_price;
            ol_amounts := ol_amounts || v_part_amount;
            s_quantities := s_quantities || v_part_stock;
            brand_generic := concat(brand_generic, v_part_brands);
        END IF;
    END LOOP;

    IF v_valid < v_line_count THEN
        PERFORM 1 FROM unnest(p_i_ids) AS l (i_id)
          WHERE NOT EXISTS (SELECT 1 FROM ordermill.item AS i WHERE i.i_id = l.i_id);
        IF NOT FOUND THEN
            RAISE EXCEPTION USING ERRCODE = 'OM002',
                MESSAGE = format('no stock of one of the items %s in the warehouses %s',
                                 p_i_ids, p_supply_w_ids);
        END IF;
        RAISE EXCEPTION USING ERRCODE = 'OM001',
            MESSAGE = 'Item number is not valid',
            DETAIL = format('o_id=%s c_last=%s c_credit=%s', o_id, c_last, c_credit);
    END IF;

    IF cardinality(v_supplies) > 1 THEN
        SELECT array_agg(l.i_name ORDER BY l.number), array_agg(l.i_price ORDER BY l.number),
               array_agg(l.amount ORDER BY l.number), array_agg(l.stock ORDER BY l.number),
               string_agg(substr(brand_generic, l.place::integer, 1), '' ORDER BY l.number)
          INTO i_names, i_prices, ol_amounts, s_quantities, brand_generic
          FROM unnest(v_numbers, i_names, i_prices, ol_amounts, s_quantities) WITH ORDINALITY
               AS l (number, i_name, i_price, amount, stock, place);
    END IF;

    total_amount := v_sum * (1 - c_discount) * (1 + w_tax + d_tax);
END
$ordermill$;

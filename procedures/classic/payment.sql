-- The classic form of Payment: row by row, as the standard tells it (TPC-C 2.5.2.2), for readers and for
-- comparison. Same arguments, results and errors as procedures/default/payment.sql.
--
-- The customer's row is locked as it is read, so that no payment is lost between that and the
-- UPDATE. Locks are taken in the order warehouse, district, customer.

CREATE OR REPLACE FUNCTION ordermill.payment(
    p_w_id           integer,
    p_d_id           smallint,
    p_c_w_id         integer,
    p_c_d_id         smallint,
    p_c_id           integer,
    p_c_last         text,
    p_h_amount       numeric,
    OUT c_id         integer,
    OUT w_street_1   text,
    OUT w_street_2   text,
    OUT w_city       text,
    OUT w_state      text,
    OUT w_zip        text,
    OUT d_street_1   text,
    OUT d_street_2   text,
    OUT d_city       text,
    OUT d_state      text,
    OUT d_zip        text,
    OUT c_first      text,
    OUT c_middle     text,
    OUT c_last       text,
    OUT c_street_1   text,
    OUT c_street_2   text,
    OUT c_city       text,
    OUT c_state      text,
    OUT c_zip        text,
    OUT c_phone      text,
    OUT c_since      timestamptz,
    OUT c_credit     text,
    OUT c_credit_lim numeric,
    OUT c_discount   numeric,
    OUT c_balance    numeric,
    OUT c_data       text,
    OUT h_date       timestamptz
)
LANGUAGE plpgsql
AS $ordermill$
DECLARE
    v_w_name text;
    v_d_name text;
    v_count  integer;
    v_data   text;
BEGIN
    h_date := CURRENT_TIMESTAMP;

    UPDATE ordermill.warehouse AS w
       SET w_ytd = w.w_ytd + p_h_amount
     WHERE w.w_id = p_w_id;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'OM002', MESSAGE = format('no warehouse %s', p_w_id);
    END IF;
    SELECT w.w_name, w.w_street_1, w.w_street_2, w.w_city, w.w_state, w.w_zip
      INTO v_w_name, w_street_1, w_street_2, w_city, w_state, w_zip
      FROM ordermill.warehouse AS w
     WHERE w.w_id = p_w_id;

    UPDATE ordermill.district AS d
       SET d_ytd = d.d_ytd + p_h_amount
     WHERE d.d_w_id = p_w_id AND d.d_id = p_d_id;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'OM002',
            MESSAGE = format('no district %s in warehouse %s', p_d_id, p_w_id);
    END IF;
    SELECT d.d_name, d.d_street_1, d.d_street_2, d.d_city, d.d_state, d.d_zip
      INTO v_d_name, d_street_1, d_street_2, d_city, d_state, d_zip
      FROM ordermill.district AS d
     WHERE d.d_w_id = p_w_id AND d.d_id = p_d_id;

    c_id := p_c_id;
    IF c_id IS NULL THEN
        -- The middle one by first name, counted from 1 and rounded up.
        SELECT count(*) INTO v_count
          FROM ordermill.customer AS c
         WHERE c.c_w_id = p_c_w_id AND c.c_d_id = p_c_d_id AND c.c_last = p_c_last;
        SELECT c.c_id INTO c_id
          FROM ordermill.customer AS c
         WHERE c.c_w_id = p_c_w_id AND c.c_d_id = p_c_d_id AND c.c_last = p_c_last
         ORDER BY c.c_first, c.c_id
        OFFSET greatest((v_count + 1) / 2 - 1, 0)
         LIMIT 1;
    END IF;

    SELECT c.c_first, c.c_middle, c.c_last, c.c_street_1, c.c_street_2, c.c_city, c.c_state,
           c.c_zip, c.c_phone, c.c_since, c.c_credit, c.c_credit_lim, c.c_discount, c.c_balance,
           c.c_data
      INTO c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state,
           c_zip, c_phone, c_since, c_credit, c_credit_lim, c_discount, c_balance,
           v_data
      FROM ordermill.customer AS c
     WHERE c.c_w_id = p_c_w_id AND c.c_d_id = p_c_d_id AND c.c_id = payment.c_id
       FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'OM002',
            MESSAGE = format('no customer %s in district %s of warehouse %s',
                             coalesce(p_c_id::text, p_c_last), p_c_d_id, p_c_w_id);
    END IF;

    c_balance := c_balance - p_h_amount;
    IF c_credit = 'BC' THEN
        v_data := left(format('%s %s %s %s %s %s|%s', c_id, p_c_d_id, p_c_w_id, p_d_id, p_w_id,
                              p_h_amount, v_data), 500);
        c_data := left(v_data, 200);
    END IF;
    UPDATE ordermill.customer AS c
       SET c_balance = payment.c_balance,
           c_ytd_payment = c.c_ytd_payment + p_h_amount,
           c_payment_cnt = c.c_payment_cnt + 1,
           c_data = v_data
     WHERE c.c_w_id = p_c_w_id AND c.c_d_id = p_c_d_id AND c.c_id = payment.c_id;

    INSERT INTO ordermill.history
           (h_date, h_c_id, h_c_w_id, h_w_id, h_c_d_id, h_d_id, h_amount, h_data)
    VALUES (h_date, c_id, p_c_w_id, p_w_id, p_c_d_id, p_d_id, p_h_amount,
            v_w_name || '    ' || v_d_name);
END
$ordermill$;

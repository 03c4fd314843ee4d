-- The Payment transaction (TPC-C 2.5.2.2): a customer, of this or of another warehouse, pays.
--
-- p_c_id is null when the customer is chosen by name, p_c_last is null when by number. Returns what
-- the terminal shows (2.5.3.3): addresses, the customer as he is after the payment, and the first
-- 200 characters of C_DATA if his credit is bad, else null.
--
-- OM002: a row that must exist is missing (2.3.6); the message names it.
--
-- Why this shape. Each balance is changed by the statement that reads it, so no update is lost.
-- Rows are locked in the order warehouse, district, customer, one of each; the customer comes last
-- because Delivery locks customers too but never a warehouse or a district: no cycle can close.
-- The middle one of the customers of a name is found without a lock: names do not change.

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
BEGIN
    h_date := CURRENT_TIMESTAMP;

    UPDATE ordermill.warehouse AS w
       SET w_ytd = w.w_ytd + p_h_amount
     WHERE w.w_id = p_w_id
    RETURNING w.w_name, w.w_street_1, w.w_street_2, w.w_city, w.w_state, w.w_zip
         INTO v_w_name, w_street_1, w_street_2, w_city, w_state, w_zip;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'OM002', MESSAGE = format('no warehouse %s', p_w_id);
    END IF;

    UPDATE ordermill.district AS d
       SET d_ytd = d.d_ytd + p_h_amount
     WHERE d.d_w_id = p_w_id AND d.d_id = p_d_id
    RETURNING d.d_name, d.d_street_1, d.d_street_2, d.d_city, d.d_state, d.d_zip
         INTO v_d_name, d_street_1, d_street_2, d_city, d_state, d_zip;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'OM002',
            MESSAGE = format('no district %s in warehouse %s', p_d_id, p_w_id);
    END IF;

    c_id := p_c_id;
    IF c_id IS NULL THEN
        SELECT (array_agg(c.c_id ORDER BY c.c_first, c.c_id))[((count(*) + 1) / 2)::integer]
          INTO c_id
          FROM ordermill.customer AS c
         WHERE c.c_w_id = p_c_w_id AND c.c_d_id = p_c_d_id AND c.c_last = p_c_last;
    END IF;

    -- 2.5.2.2: for bad credit the payment is noted at the left of C_DATA.
    UPDATE ordermill.customer AS c
       SET c_balance = c.c_balance - p_h_amount,
           c_ytd_payment = c.c_ytd_payment + p_h_amount,
           c_payment_cnt = c.c_payment_cnt + 1,
           c_data = CASE WHEN c.c_credit = 'BC'
                         THEN left(format('%s %s %s %s %s %s|%s', c.c_id, p_c_d_id, p_c_w_id,
                                          p_d_id, p_w_id, p_h_amount, c.c_data), 500)
                         ELSE c.c_data END
     WHERE c.c_w_id = p_c_w_id AND c.c_d_id = p_c_d_id AND c.c_id = payment.c_id
    RETURNING c.c_first, c.c_middle, c.c_last, c.c_street_1, c.c_street_2, c.c_city, c.c_state,
              c.c_zip, c.c_phone, c.c_since, c.c_credit, c.c_credit_lim, c.c_discount, c.c_balance,
              CASE WHEN c.c_credit = 'BC' THEN left(c.c_data, 200) END
         INTO c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state,
              c_zip, c_phone, c_since, c_credit, c_credit_lim, c_discount, c_balance,
              c_data;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'OM002',
            MESSAGE = format('no customer %s in district %s of warehouse %s',
                             coalesce(p_c_id::text, p_c_last), p_c_d_id, p_c_w_id);
    END IF;

    INSERT INTO ordermill.history
           (h_date, h_c_id, h_c_w_id, h_w_id, h_c_d_id, h_d_id, h_amount, h_data)
    VALUES (h_date, c_id, p_c_w_id, p_w_id, p_c_d_id, p_d_id, p_h_amount,
            v_w_name || '    ' || v_d_name);
END
$ordermill$;

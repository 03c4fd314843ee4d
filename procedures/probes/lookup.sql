-- The lookup probe: one customer by his primary key.
--
-- OM002: the customer does not exist.

CREATE OR REPLACE FUNCTION ordermill.lookup(
    p_w_id          integer,
    p_d_id          smallint,
    p_c_id          integer,
    OUT c_id        integer,
    OUT c_last      text,
    OUT c_credit    text,
    OUT c_discount  numeric,
    OUT c_balance   numeric
)
STABLE
LANGUAGE plpgsql
AS $ordermill$
BEGIN
    SELECT c.c_id, c.c_last, c.c_credit, c.c_discount, c.c_balance
      INTO c_id, c_last, c_credit, c_discount, c_balance
      FROM ordermill.customer AS c
     WHERE c.c_w_id = p_w_id AND c.c_d_id = p_d_id AND c.c_id = p_c_id;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'OM002',
            MESSAGE = format('no customer %s in district %s of warehouse %s', p_c_id, p_d_id, p_w_id);
    END IF;
END
$ordermill$;

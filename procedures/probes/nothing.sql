-- A function that does nothing: what is left when it is called is the way there and back. It gives
-- its argument back, so that the caller can tell the answer from another one.

CREATE OR REPLACE FUNCTION ordermill.nothing(
    p_w_id      integer,
    OUT given   integer
)
LANGUAGE plpgsql
AS $ordermill$
BEGIN
    given := p_w_id;
END
$ordermill$;

-- Which set of procedures is installed: the name of its folder and its version, which changes
-- whenever a signature or a result does. A command compares this before it drives anything.

CREATE OR REPLACE FUNCTION ordermill.procedure_set()
RETURNS text
IMMUTABLE
LANGUAGE sql
AS $ordermill$
    SELECT 'classic 1'::text
$ordermill$;

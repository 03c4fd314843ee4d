-- The null probe: a statement that reads nothing, and gives its argument back.
--
-- $1 warehouse.

PREPARE nothing (integer) AS
SELECT $1 AS given;

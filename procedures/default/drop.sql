-- Removes exactly the functions of this folder.

DROP FUNCTION IF EXISTS ordermill.new_order(integer, smallint, integer, integer[], integer[], smallint[]);
DROP FUNCTION IF EXISTS ordermill.payment(integer, smallint, integer, smallint, integer, text, numeric);
DROP FUNCTION IF EXISTS ordermill.order_status(integer, smallint, integer, text);
DROP FUNCTION IF EXISTS ordermill.delivery(integer, smallint);
DROP FUNCTION IF EXISTS ordermill.stock_level(integer, smallint, smallint);
DROP FUNCTION IF EXISTS ordermill.procedure_set();
DROP FUNCTION IF EXISTS ordermill.nothing(integer);

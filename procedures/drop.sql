-- Removes exactly what the files of these folders create, whichever set was installed.

DROP FUNCTION IF EXISTS ordermill.new_order(integer, smallint, integer, integer[], integer[], smallint[]);
DROP FUNCTION IF EXISTS ordermill.payment(integer, smallint, integer, smallint, integer, text, numeric);
DROP FUNCTION IF EXISTS ordermill.order_status(integer, smallint, integer, text);
DROP FUNCTION IF EXISTS ordermill.delivery(integer, smallint);
DROP FUNCTION IF EXISTS ordermill.stock_level(integer, smallint, smallint);
DROP PROCEDURE IF EXISTS ordermill.call_new_order(integer, smallint, integer, integer[], integer[], smallint[]);
DROP PROCEDURE IF EXISTS ordermill.call_payment(integer, smallint, integer, smallint, integer, text, numeric);
DROP PROCEDURE IF EXISTS ordermill.call_order_status(integer, smallint, integer, text);
DROP PROCEDURE IF EXISTS ordermill.call_delivery(integer, smallint);
DROP PROCEDURE IF EXISTS ordermill.call_stock_level(integer, smallint, smallint);
DROP FUNCTION IF EXISTS ordermill.procedure_set();
DROP FUNCTION IF EXISTS ordermill.lookup(integer, smallint, integer);
DROP FUNCTION IF EXISTS ordermill.insert_history(integer, smallint, integer);
DROP FUNCTION IF EXISTS ordermill.nothing(integer);
DROP PROCEDURE IF EXISTS ordermill.call_lookup(integer, smallint, integer);
DROP PROCEDURE IF EXISTS ordermill.call_insert_history(integer, smallint, integer);
DROP PROCEDURE IF EXISTS ordermill.call_nothing(integer);

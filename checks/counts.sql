-- NAME: rows per warehouse
-- What every warehouse must hold (TPC-C 1.2.1, 4.3.3.1). Orders and history only grow from there,
-- and new orders come and go: just after the load (after_load = 1) those are exact too. Order lines
-- are condition 4's. The item table counts as warehouse 0, beside the first one.
WITH number AS (
    SELECT w_id FROM generate_series(:first_warehouse, :last_warehouse) AS w_id
), held AS (
    SELECT 'DISTRICT' AS name, d_w_id AS w_id, count(*) AS row_count
      FROM ordermill.district
     WHERE d_w_id BETWEEN :first_warehouse AND :last_warehouse GROUP BY d_w_id
    UNION ALL
    SELECT 'CUSTOMER', c_w_id, count(*)
      FROM ordermill.customer
     WHERE c_w_id BETWEEN :first_warehouse AND :last_warehouse GROUP BY c_w_id
    UNION ALL
    SELECT 'STOCK', s_w_id, count(*)
      FROM ordermill.stock
     WHERE s_w_id BETWEEN :first_warehouse AND :last_warehouse GROUP BY s_w_id
    UNION ALL
    SELECT 'ORDER', o_w_id, count(*)
      FROM ordermill.orders
     WHERE o_w_id BETWEEN :first_warehouse AND :last_warehouse GROUP BY o_w_id
    UNION ALL
    SELECT 'NEW-ORDER', no_w_id, count(*)
      FROM ordermill.new_order
     WHERE no_w_id BETWEEN :first_warehouse AND :last_warehouse GROUP BY no_w_id
    UNION ALL
    SELECT 'HISTORY', h_c_w_id, count(*)
      FROM ordermill.history
     WHERE h_c_w_id BETWEEN :first_warehouse AND :last_warehouse GROUP BY h_c_w_id
    UNION ALL
    SELECT 'ITEM', 0, count(*)
      FROM ordermill.item
     WHERE :first_warehouse = 1
), due (name, row_count, grows) AS (
    VALUES ('DISTRICT', 10, false), ('CUSTOMER', 30000, false), ('STOCK', 100000, false),
           ('ORDER', 30000, true), ('NEW-ORDER', 9000 * :after_load, true),
           ('HISTORY', 30000, true)
), expected AS (
    SELECT name, w_id, row_count, grows AND :after_load = 0 AS grows FROM number, due
    UNION ALL
    SELECT 'ITEM', 0, 100000, false WHERE :first_warehouse = 1
)
SELECT w_id AS warehouse,
       NULL::integer AS district,
       name AS detail,
       CASE WHEN expected.grows THEN 'at least ' ELSE '' END || expected.row_count AS expected,
       coalesce(held.row_count, 0)::text AS found,
       count(*) OVER () AS violations
  FROM expected
  LEFT JOIN held USING (name, w_id)
 WHERE coalesce(held.row_count, 0) < expected.row_count
    OR (coalesce(held.row_count, 0) > expected.row_count AND NOT expected.grows)
 ORDER BY w_id, name
 LIMIT 10;

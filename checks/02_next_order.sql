-- NAME: D_NEXT_O_ID - 1 = max(O_ID) = max(NO_O_ID)
-- Condition 2 (TPC-C 3.3.2.2): a district's counter follows its orders. The part about NEW-ORDER
-- does not apply to a district in which everything is delivered.
SELECT t.w_id AS warehouse,
       t.d_id::integer AS district,
       pair.name AS detail,
       coalesce((t.next_o_id - 1)::text, 'no district') AS expected,
       coalesce(pair.o_id::text, 'none') AS found,
       count(*) OVER () AS violations
  FROM (SELECT d_w_id AS w_id, d_id, d_next_o_id AS next_o_id
          FROM ordermill.district
         WHERE d_w_id BETWEEN :first_warehouse AND :last_warehouse) AS d
  FULL JOIN (SELECT o_w_id AS w_id, o_d_id AS d_id, max(o_id) AS o_id
               FROM ordermill.orders
              WHERE o_w_id BETWEEN :first_warehouse AND :last_warehouse
              GROUP BY o_w_id, o_d_id) AS o USING (w_id, d_id)
  FULL JOIN (SELECT no_w_id AS w_id, no_d_id AS d_id, max(no_o_id) AS no_o_id
               FROM ordermill.new_order
              WHERE no_w_id BETWEEN :first_warehouse AND :last_warehouse
              GROUP BY no_w_id, no_d_id) AS n USING (w_id, d_id)
 CROSS JOIN LATERAL (SELECT w_id, d_id, d.next_o_id) AS t
 CROSS JOIN LATERAL (VALUES ('max(O_ID)', o.o_id, true),
                            ('max(NO_O_ID)', n.no_o_id, n.no_o_id IS NOT NULL))
       AS pair (name, o_id, applies)
 WHERE pair.applies AND pair.o_id IS DISTINCT FROM t.next_o_id - 1
 ORDER BY t.w_id, t.d_id, pair.name DESC
 LIMIT 10;

-- NAME: max(NO_O_ID) - min(NO_O_ID) + 1 = count(NEW-ORDER)
-- Condition 3 (TPC-C 3.3.2.3): the undelivered orders of a district are numbered without holes.
SELECT no_w_id AS warehouse,
       no_d_id::integer AS district,
       format('new orders %s to %s', min(no_o_id), max(no_o_id)) AS detail,
       (max(no_o_id) - min(no_o_id) + 1)::text AS expected,
       count(*)::text AS found,
       count(*) OVER () AS violations
  FROM ordermill.new_order
 WHERE no_w_id BETWEEN :first_warehouse AND :last_warehouse
 GROUP BY no_w_id, no_d_id
HAVING max(no_o_id) - min(no_o_id) + 1 <> count(*)
 ORDER BY no_w_id, no_d_id
 LIMIT 10;

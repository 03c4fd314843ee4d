-- NAME: count(ORDER) - count(NEW-ORDER) = orders with a carrier
-- Condition 11 (TPC-C 3.3.2.11) says that the difference is 2,100. That is true of the population
-- only: each Delivery takes a row from NEW-ORDER and leaves the order. What the clause counts is
-- the delivered orders, so they are counted here: 2,100 after the load, more after a run.
SELECT w_id AS warehouse,
       d_id::integer AS district,
       format('%s orders, %s new orders', coalesce(o.order_count, 0), coalesce(n.new_count, 0))
           AS detail,
       coalesce(o.carrier_count, 0)::text AS expected,
       (coalesce(o.order_count, 0) - coalesce(n.new_count, 0))::text AS found,
       count(*) OVER () AS violations
  FROM (SELECT o_w_id AS w_id, o_d_id AS d_id, count(*) AS order_count,
               count(o_carrier_id) AS carrier_count
          FROM ordermill.orders
         WHERE o_w_id BETWEEN :first_warehouse AND :last_warehouse
         GROUP BY o_w_id, o_d_id) AS o
  FULL JOIN (SELECT no_w_id AS w_id, no_d_id AS d_id, count(*) AS new_count
               FROM ordermill.new_order
              WHERE no_w_id BETWEEN :first_warehouse AND :last_warehouse
              GROUP BY no_w_id, no_d_id) AS n USING (w_id, d_id)
 WHERE coalesce(o.order_count, 0) - coalesce(n.new_count, 0) <> coalesce(o.carrier_count, 0)
 ORDER BY w_id, d_id
 LIMIT 10;

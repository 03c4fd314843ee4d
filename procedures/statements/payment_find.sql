-- Payment (TPC-C 2.5.2.2) by a customer of another warehouse: his number, asked for before anything is
-- locked. It goes into the history of the warehouse that is paid, and no statement touches two.
--
-- $1 the customer's warehouse, $2 his district, $3 his number, or null and $4 his last name.

PREPARE payment_find (integer, smallint, integer, text) AS
SELECT c.c_id
  FROM ordermill.customer AS c
 WHERE c.c_w_id = $1 AND c.c_d_id = $2
   AND c.c_id = coalesce($3, (
           SELECT (array_agg(n.c_id ORDER BY n.c_first, n.c_id))[((count(*) + 1) / 2)::integer]
             FROM ordermill.customer AS n
            WHERE n.c_w_id = $1 AND n.c_d_id = $2 AND n.c_last = $4));

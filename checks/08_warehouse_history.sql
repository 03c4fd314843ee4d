-- NAME: W_YTD = sum(H_AMOUNT), per warehouse
-- Condition 8 (TPC-C 3.3.2.8): every payment that a warehouse has taken is in its history.
WITH taken AS (
    SELECT h_w_id AS w_id, h_d_id AS d_id, sum(h_amount) AS amount
      FROM ordermill.history
     WHERE h_w_id BETWEEN :first_warehouse AND :last_warehouse
     GROUP BY h_w_id, h_d_id
)
SELECT w_id AS warehouse,
       NULL::integer AS district,
       CASE WHEN w.ytd IS NULL THEN 'no warehouse'
            WHEN h.amount IS NULL THEN 'no history' ELSE '' END AS detail,
       coalesce(h.amount::text, 'none') AS expected,
       coalesce(w.ytd::text, 'none') AS found,
       count(*) OVER () AS violations
  FROM (SELECT w_id, w_ytd AS ytd
          FROM ordermill.warehouse
         WHERE w_id BETWEEN :first_warehouse AND :last_warehouse) AS w
  FULL JOIN (SELECT w_id, sum(amount) AS amount
               FROM taken
              GROUP BY w_id) AS h USING (w_id)
 WHERE w.ytd IS DISTINCT FROM h.amount
 ORDER BY w_id
 LIMIT 10;

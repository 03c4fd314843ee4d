-- NAME: D_YTD = sum(H_AMOUNT), per district
-- Condition 9 (TPC-C 3.3.2.9): every payment that a district has taken is in its history.
WITH taken AS (
    SELECT h_w_id AS w_id, h_d_id AS d_id, sum(h_amount) AS amount
      FROM ordermill.history
     WHERE h_w_id BETWEEN :first_warehouse AND :last_warehouse
     GROUP BY h_w_id, h_d_id
)
SELECT w_id AS warehouse,
       d_id::integer AS district,
       CASE WHEN d.ytd IS NULL THEN 'no district'
            WHEN taken.amount IS NULL THEN 'no history' ELSE '' END AS detail,
       coalesce(taken.amount::text, 'none') AS expected,
       coalesce(d.ytd::text, 'none') AS found,
       count(*) OVER () AS violations
  FROM (SELECT d_w_id AS w_id, d_id, d_ytd AS ytd
          FROM ordermill.district
         WHERE d_w_id BETWEEN :first_warehouse AND :last_warehouse) AS d
  FULL JOIN taken USING (w_id, d_id)
 WHERE d.ytd IS DISTINCT FROM taken.amount
 ORDER BY w_id, d_id
 LIMIT 10;

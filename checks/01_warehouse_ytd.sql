-- NAME: W_YTD = sum(D_YTD)
-- Condition 1 (TPC-C 3.3.2.1): a warehouse has taken what its districts have taken.
-- Every warehouse of the range must be there.
SELECT number.w_id AS warehouse,
       NULL::integer AS district,
       CASE WHEN w.w_id IS NULL THEN 'no warehouse'
            WHEN d.ytd IS NULL THEN 'no districts' ELSE '' END AS detail,
       coalesce(d.ytd::text, 'none') AS expected,
       coalesce(w.w_ytd::text, 'none') AS found,
       count(*) OVER () AS violations
  FROM generate_series(:first_warehouse, :last_warehouse) AS number (w_id)
  LEFT JOIN ordermill.warehouse AS w ON w.w_id = number.w_id
  LEFT JOIN (SELECT d_w_id AS w_id, sum(d_ytd) AS ytd
               FROM ordermill.district
              WHERE d_w_id BETWEEN :first_warehouse AND :last_warehouse
              GROUP BY d_w_id) AS d ON d.w_id = number.w_id
 WHERE w.w_ytd IS DISTINCT FROM d.ytd OR w.w_ytd IS NULL
 ORDER BY number.w_id
 LIMIT 10;

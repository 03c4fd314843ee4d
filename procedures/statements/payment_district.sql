-- Payment (TPC-C 2.5.2.2), second: and so does the district.
--
-- $1 warehouse, $2 district, $3 amount.

PREPARE payment_district (integer, smallint, numeric) AS
UPDATE ordermill.district AS d
   SET d_ytd = d.d_ytd + $3
 WHERE d.d_w_id = $1 AND d.d_id = $2
RETURNING d.d_street_1, d.d_street_2, d.d_city, d.d_state::text, d.d_zip::text;

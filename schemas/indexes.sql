-- Primary keys and the two secondary indexes, built when the data is there. Every key but item's
-- leads with the warehouse, so that the tables can be partitioned or distributed by it.
-- Each statement stands alone: the loader runs them over several connections.

ALTER TABLE ordermill.warehouse ADD CONSTRAINT warehouse_pkey PRIMARY KEY (w_id);
ALTER TABLE ordermill.district ADD CONSTRAINT district_pkey PRIMARY KEY (d_w_id, d_id);
ALTER TABLE ordermill.customer ADD CONSTRAINT customer_pkey PRIMARY KEY (c_w_id, c_d_id, c_id);
ALTER TABLE ordermill.orders ADD CONSTRAINT orders_pkey PRIMARY KEY (o_w_id, o_d_id, o_id);
ALTER TABLE ordermill.new_order ADD CONSTRAINT new_order_pkey PRIMARY KEY (no_w_id, no_d_id, no_o_id);
ALTER TABLE ordermill.order_line ADD CONSTRAINT order_line_pkey PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number);
ALTER TABLE ordermill.item ADD CONSTRAINT item_pkey PRIMARY KEY (i_id);
ALTER TABLE ordermill.stock ADD CONSTRAINT stock_pkey PRIMARY KEY (s_w_id, s_i_id);

-- Customers by name, in the order in which the middle one is chosen (TPC-C 2.5.2.2, 2.6.2.2).
CREATE INDEX customer_by_name ON ordermill.customer (c_w_id, c_d_id, c_last, c_first, c_id);
-- A customer's latest order (TPC-C 2.6.2.2).
CREATE INDEX orders_by_customer ON ordermill.orders (o_w_id, o_d_id, o_c_id, o_id);

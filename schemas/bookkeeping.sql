-- What the kit knows of its own schema. Every command reads these first; "drop" removes nothing
-- from a schema that lacks them.

-- One row: what was asked for.
CREATE TABLE ordermill.ordermill_build (
    only_row       boolean     NOT NULL DEFAULT true PRIMARY KEY CHECK (only_row),
    kit_version    text        NOT NULL,
    layout_version integer     NOT NULL,
    warehouses     integer     NOT NULL,
    seed           bigint      NOT NULL,
    c_load         integer     NOT NULL,   -- C of NURand for C_LAST at load (TPC-C 2.1.6.1)
    loaded_at      timestamptz NOT NULL,   -- stands in every date the population asks for
    options        jsonb       NOT NULL,   -- the options of load that lay out tables and indexes
    schema_created boolean     NOT NULL,   -- whether the kit made the schema, and so may drop it
    created_at     timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- One row per phase that is complete.
CREATE TABLE ordermill.ordermill_phase (
    phase        text             NOT NULL PRIMARY KEY,
    elapsed_s    double precision NOT NULL,
    detail       text             NOT NULL DEFAULT '',
    completed_at timestamptz      NOT NULL DEFAULT clock_timestamp()
);

-- One row per chunk of data, committed together with its rows. Warehouse 0 is the item table.
CREATE TABLE ordermill.ordermill_chunk (
    warehouse    integer     NOT NULL PRIMARY KEY,
    row_count    bigint      NOT NULL,
    byte_count   bigint      NOT NULL,
    completed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- What only an administrator can do. The command "prepare" puts the names in; nothing that exists
-- already is altered, so it may be run again.

-- The role that the kit connects as and that will own its tables. No password is set here: in psql,
-- \password asks for one.
SELECT format('CREATE ROLE %I LOGIN', :'role') WHERE NOT EXISTS
  (SELECT FROM pg_roles WHERE rolname = :'role') \gexec

-- A database of its own, so that nothing else is measured along. The kit needs no right to create
-- databases and never drops one.
SELECT format('CREATE DATABASE %I', :'database') WHERE NOT EXISTS
  (SELECT FROM pg_database WHERE datname = :'database') \gexec
\connect -reuse-previous=on :"database"

-- The schema that holds all of the kit's objects. The role needs no right on any other.
SELECT format('CREATE SCHEMA %I AUTHORIZATION %I', :'schema', :'role') WHERE NOT EXISTS
  (SELECT FROM pg_namespace WHERE nspname = :'schema') \gexec
GRANT USAGE, CREATE ON SCHEMA :"schema" TO :"role";

-- Optional, for reports: the settings and statistics of the whole server. Without it some settings
-- are missing, and what other roles do meanwhile cannot be seen.
GRANT pg_monitor TO :"role";

-- Optional, for reports: the load of the server's processors and disks, read from /proc by the
-- server. It lets the role read every file that the server can read: leave it out where that is
-- too much, and such figures are then taken only where the kit runs on the server's own machine.
GRANT pg_read_server_files TO :"role";
GRANT EXECUTE ON FUNCTION pg_catalog.pg_read_file(text) TO :"role";

-- Optional, for reports: what each statement costs. The server must also have
-- shared_preload_libraries = 'pg_stat_statements', which takes a restart.
SELECT 'CREATE EXTENSION IF NOT EXISTS pg_stat_statements' WHERE EXISTS
  (SELECT FROM pg_available_extensions WHERE name = 'pg_stat_statements') \gexec

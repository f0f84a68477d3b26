-- The order in which the worker goes through all addresses of an environment. It also keeps derivation indexes apart: two of one environment
-- here, and two of different environments by their address, which derives from the index alone.
CREATE UNIQUE INDEX CONCURRENTLY "sessions_environment_address_index_key" ON "sessions"("environment", "address_index");

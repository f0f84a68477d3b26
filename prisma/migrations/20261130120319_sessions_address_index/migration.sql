-- The indexes that the former file replaces.
DROP INDEX "sessions_address_index_key", "sessions_environment_address_index_idx";

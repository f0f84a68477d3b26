-- The same of some types.
CREATE INDEX CONCURRENTLY "events_store_id_environment_type_written_in_idx" ON "events"("store_id", "environment", "type", "written_in");

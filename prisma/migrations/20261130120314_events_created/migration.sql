-- Lists by time; filters by type are answered inside the index.
CREATE INDEX CONCURRENTLY "events_store_id_environment_created_at_type_idx" ON "events"("store_id", "environment", "created_at", "type");

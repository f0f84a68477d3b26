-- What readers of events follow. The few events of one transaction are sorted by id after the read.
CREATE INDEX CONCURRENTLY "events_store_id_environment_written_in_idx" ON "events"("store_id", "environment", "written_in");

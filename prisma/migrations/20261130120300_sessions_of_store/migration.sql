-- Lists of a store, newest first. Rows of the same second are sorted by id after the read, so the id need not be here. Filters by status and
-- currency are answered inside the index.
CREATE INDEX CONCURRENTLY "sessions_store_id_environment_created_at_status_currency_idx" ON "sessions"("store_id", "environment", "created_at", "status", "currency");

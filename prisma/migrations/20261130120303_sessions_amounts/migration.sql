-- Search by amount.
CREATE INDEX CONCURRENTLY "sessions_store_id_environment_amount_total_created_at_idx" ON "sessions"("store_id", "environment", "amount_total", "created_at");

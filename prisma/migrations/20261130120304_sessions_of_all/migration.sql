-- The operator's list of all stores, newest first.
CREATE INDEX CONCURRENTLY "sessions_environment_created_at_idx" ON "sessions"("environment", "created_at");

-- The operator's list by status, but for completed: those are never rare in a whole installation.
CREATE INDEX CONCURRENTLY "sessions_unpaid_of_all" ON "sessions"("environment", "status", "created_at") WHERE "status" <> 'completed';

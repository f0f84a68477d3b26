-- The operator's list by network.
CREATE INDEX CONCURRENTLY "sessions_paid_of_all" ON "sessions"("environment", "completed_network", "created_at") WHERE "completed_network" IS NOT NULL;

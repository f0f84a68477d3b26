-- Lists of the completed sessions of a store, and those by network, which are answered inside the index.
CREATE INDEX CONCURRENTLY "sessions_paid_of_store" ON "sessions"("store_id", "environment", "created_at", "completed_network") WHERE "completed_network" IS NOT NULL;

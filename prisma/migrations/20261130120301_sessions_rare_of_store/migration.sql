-- Lists of a store by a status that few of its sessions may have.
CREATE INDEX CONCURRENTLY "sessions_rare_of_store" ON "sessions"("store_id", "environment", "status", "created_at") WHERE "status" NOT IN ('completed', 'expired');

-- The operator's list of all stores' payments, by time, and by status or network. New rows go to the end of each, so that a session
-- that is created touches no random page more.

-- CreateIndex
CREATE INDEX "sessions_environment_created_at_id_idx" ON "sessions"("environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "sessions_environment_status_created_at_id_idx" ON "sessions"("environment", "status", "created_at", "id");

CREATE INDEX "sessions_network_of_all" ON "sessions"("environment", "completed_network", "created_at", "id") WHERE "completed_network" IS NOT NULL;

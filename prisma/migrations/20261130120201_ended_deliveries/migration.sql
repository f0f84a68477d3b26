-- The order in which old deliveries are removed.
CREATE INDEX CONCURRENTLY "deliveries_ended" ON "deliveries" ("finished_at", "id") WHERE "finished_at" IS NOT NULL;

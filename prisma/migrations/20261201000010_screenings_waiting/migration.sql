-- The worker's queues, one for payees and one for the senders of each store. Statements no longer need screenings_due.
CREATE INDEX CONCURRENTLY "screenings_waiting" ON "screenings" ("environment", "network", "role", "store_id", "next_at", "id") WHERE "next_at" IS NOT NULL;

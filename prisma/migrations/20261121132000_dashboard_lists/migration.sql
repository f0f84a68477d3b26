-- What the dashboard's lists are filtered and searched by. Each list is read in the order of one of these, a page at a time.

-- CreateIndex
CREATE INDEX "sessions_store_id_environment_currency_created_at_id_idx" ON "sessions"("store_id", "environment", "currency", "created_at", "id");

-- CreateIndex
CREATE INDEX "sessions_store_id_environment_amount_total_created_at_id_idx" ON "sessions"("store_id", "environment", "amount_total", "created_at", "id");

-- Few payments are odd, and only paid ones have a network: neither costs anything when a session is created.
CREATE INDEX "sessions_odd_idx" ON "sessions"("store_id", "environment", "exception", "created_at", "id") WHERE "exception" <> 'none';
CREATE INDEX "sessions_network_idx" ON "sessions"("store_id", "environment", "completed_network", "created_at", "id") WHERE "completed_network" IS NOT NULL;

-- CreateIndex
CREATE INDEX "transfers_payer_id_idx" ON "transfers"("payer", "id");

-- CreateIndex
CREATE INDEX "refunds_store_id_environment_network_created_at_id_idx" ON "refunds"("store_id", "environment", "network", "created_at", "id");
CREATE INDEX "refunds_held_idx" ON "refunds"("store_id", "environment", "created_at", "id") WHERE "hold" IS NOT NULL;

-- CreateIndex
CREATE INDEX "ledger_entries_store_id_environment_created_at_id_idx" ON "ledger_entries"("store_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "events_store_id_environment_type_created_at_id_idx" ON "events"("store_id", "environment", "type", "created_at", "id");

-- Deliveries that a store was told of and never got.
CREATE INDEX "deliveries_failed_of_store" ON "deliveries"("store_id", "environment", "finished_at") WHERE "status" = 'failed';

-- The lists of payments filtered by a refund: of one store, and for operators of all stores. Few payments are refunded, so that an
-- index costs nothing when a session is created or paid.
CREATE INDEX "sessions_refunded_whole" ON "sessions"("store_id", "environment", "created_at", "id") WHERE "amount_refunded" > 0 AND "amount_refunded" >= "amount_due";
CREATE INDEX "sessions_refunded_part" ON "sessions"("store_id", "environment", "created_at", "id") WHERE "amount_refunded" > 0 AND "amount_refunded" < "amount_due";
CREATE INDEX "sessions_refunded_whole_of_all" ON "sessions"("environment", "created_at", "id") WHERE "amount_refunded" > 0 AND "amount_refunded" >= "amount_due";
CREATE INDEX "sessions_refunded_part_of_all" ON "sessions"("environment", "created_at", "id") WHERE "amount_refunded" > 0 AND "amount_refunded" < "amount_due";

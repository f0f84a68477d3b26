-- Networks of a rate on which payouts cost what the last paid ones really cost the operator, with the most that a store pays in cents. A
-- constant default rewrites no row.
ALTER TABLE "payout_rates" ADD COLUMN "at_cost" JSONB NOT NULL DEFAULT '{}';

-- The last paid payouts of a network. Payouts are few, so that the lock is short.
CREATE INDEX "payouts_paid" ON "payouts" ("environment", "network", "processed_at") WHERE "status" = 'completed';

-- The mails about a rate: to whom the worker has come, in the order of the users' ids. A rate without a row is new to the worker.
CREATE TABLE "payout_rate_notices" (
    "rate_id" BIGINT NOT NULL,
    -- The last user that was mailed; null before the first.
    "last_user_id" UUID,
    "mailed" INTEGER NOT NULL DEFAULT 0,
    "done_at" TIMESTAMPTZ(3),

    CONSTRAINT "payout_rate_notices_pkey" PRIMARY KEY ("rate_id"),
    CONSTRAINT "payout_rate_notices_rate_id_fkey" FOREIGN KEY ("rate_id") REFERENCES "payout_rates"("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
-- No mails about earlier rates.
INSERT INTO "payout_rate_notices" ("rate_id", "done_at") SELECT "id", "created_at" FROM "payout_rates";

ALTER TABLE quarantine DROP CONSTRAINT quarantine_kind;
ALTER TABLE quarantine ADD CONSTRAINT quarantine_kind CHECK ("kind" IN
  ('session', 'transfer', 'outgoing_transfer', 'unconfirmed_transfer', 'account', 'address', 'refund', 'payout', 'cold_transfer', 'delivery',
   'mail', 'pause', 'wallet', 'notice', 'month', 'payout_address', 'payout_schedule', 'payout_rate'));

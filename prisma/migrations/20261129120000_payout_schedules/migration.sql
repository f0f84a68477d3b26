-- Payouts that the worker requests by itself: per token and network of a store, how often, and what stays in the balance. A schedule that
-- was removed stays as `manual`, so that its count never names a payout a second time.

CREATE TYPE "PayoutInterval" AS ENUM ('manual', 'daily', 'weekly', 'monthly', 'threshold');
CREATE TABLE "payout_schedules" (
    "store_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "network" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "interval" "PayoutInterval" NOT NULL,
    "least" BIGINT NOT NULL,
    "keep" BIGINT NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    -- When the worker decides next; null when payouts are requested by hand.
    "next_run_at" TIMESTAMPTZ(3),
    "reason" TEXT,
    "last_payout_id" TEXT,
    "count" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "payout_schedules_pkey" PRIMARY KEY ("store_id", "environment", "network", "currency"),
    CONSTRAINT "payout_schedules_store_id_fkey" FOREIGN KEY ("store_id") REFERENCES "stores"("id") ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT "payout_schedules_currency" CHECK ("currency" IN ('USDT', 'USDC')),
    CONSTRAINT "payout_schedules_least" CHECK ("least" >= 100),
    CONSTRAINT "payout_schedules_keep" CHECK ("keep" >= 0),
    CONSTRAINT "payout_schedules_next_run" CHECK (("next_run_at" IS NULL) = ("interval" = 'manual')),
    CONSTRAINT "payout_schedules_reason" CHECK ("reason" IN
      ('balance', 'no_address', 'not_active', 'open', 'too_many', 'unknown_asset')),
    CONSTRAINT "payout_schedules_count" CHECK ("count" >= 0)
);
CREATE INDEX "payout_schedules_due" ON "payout_schedules" ("next_run_at") WHERE "next_run_at" IS NOT NULL;

ALTER TABLE quarantine DROP CONSTRAINT quarantine_kind;
ALTER TABLE quarantine ADD CONSTRAINT quarantine_kind CHECK ("kind" IN
  ('session', 'transfer', 'outgoing_transfer', 'unconfirmed_transfer', 'account', 'address', 'refund', 'payout', 'delivery', 'mail',
   'pause', 'wallet', 'notice', 'month', 'payout_address', 'payout_schedule'));

-- Coins in the ledger: what the network took for each transaction of ours that landed or reverted, what top-ups moved, and what rented
-- energy cost (lib/ledger/coin). A step of the worker books it from the rows of the transactions, also those from before this migration.

-- Each row is booked once.
CREATE UNIQUE INDEX "ledger_entries_coin_source_key" ON "ledger_entries" ("coin_source") WHERE "coin_source" IS NOT NULL;
CREATE INDEX "ledger_entries_coins" ON "ledger_entries" ("environment", "created_at") WHERE "coin_source" IS NOT NULL;

-- They hold only what the ledger lacks.
CREATE INDEX "refund_attempts_coin_unbooked" ON "refund_attempts" ("id")
  WHERE "coin_booked_at" IS NULL AND "status" IN ('landed', 'reverted') AND "fee" IS NOT NULL;
CREATE INDEX "sweeps_coin_unbooked" ON "sweeps" ("id")
  WHERE "coin_booked_at" IS NULL AND "status" IN ('final', 'reverted');
CREATE INDEX "allowance_transactions_coin_unbooked" ON "allowance_transactions" ("chain_id", "hash")
  WHERE "coin_booked_at" IS NULL AND "settled_at" IS NOT NULL AND "seen_at" IS NOT NULL AND "fee" IS NOT NULL;
CREATE INDEX "energy_rentals_coin_unbooked" ON "energy_rentals" ("id")
  WHERE "coin_booked_at" IS NULL AND "outcome" IN ('arrived', 'missing') AND ("outcome" = 'arrived' OR "placed_at" IS NOT NULL);

-- An attempt that has ended stays as it is, but the ledger may get it, once.
DROP TRIGGER "refund_attempts_keep" ON "refund_attempts";
CREATE TRIGGER "refund_attempts_keep" BEFORE UPDATE ON "refund_attempts"
  FOR EACH ROW WHEN ((OLD."ended_at" IS NOT NULL AND (OLD."coin_booked_at" IS NOT NULL
      OR to_jsonb(OLD) - 'coin_booked_at' IS DISTINCT FROM to_jsonb(NEW) - 'coin_booked_at'))
    OR (OLD."intent_id", OLD."number", OLD."chain_id", OLD."draft"::text) IS DISTINCT FROM (NEW."intent_id", NEW."number", NEW."chain_id", NEW."draft"::text)
    OR (OLD."hash" IS NOT NULL AND (OLD."hash", OLD."bytes", OLD."validity"::text) IS DISTINCT FROM (NEW."hash", NEW."bytes", NEW."validity"::text)))
  EXECUTE FUNCTION "refund_attempts_keep"();

-- The coin of our wallets as it was read, compared with the ledger (lib/ledger/coin/compare). Only readings while no transaction of the
-- wallet was open.
CREATE TABLE "coin_checks" (
    "chain_id" INTEGER NOT NULL,
    "address" TEXT NOT NULL,
    -- The first reading. What was before is not compared.
    "since" TIMESTAMPTZ(3) NOT NULL,
    -- The last reading, and the ledger's balance then, which has no coin that the operator sent.
    "amount" DECIMAL(78,0) NOT NULL,
    "booked" DECIMAL(78,0) NOT NULL,
    "read_at" TIMESTAMPTZ(3) NOT NULL,
    -- What came and what went between readings, and is in no entry.
    "came" DECIMAL(78,0) NOT NULL DEFAULT 0,
    "went" DECIMAL(78,0) NOT NULL DEFAULT 0,

    CONSTRAINT "coin_checks_pkey" PRIMARY KEY ("chain_id", "address"),
    CONSTRAINT "coin_checks_moved" CHECK ("came" >= 0 AND "went" >= 0)
);

-- The sums of the entries about coins by month, written with them: the page and the file do not read every entry.
CREATE TABLE "coin_months" (
    "environment" "Environment" NOT NULL,
    -- The first day, in UTC.
    "month" DATE NOT NULL,
    "network" TEXT NOT NULL,
    "coin" TEXT NOT NULL,
    "entries" BIGINT NOT NULL,
    "network_fees" DECIMAL(78,0) NOT NULL,
    "rent_paid" DECIMAL(78,0) NOT NULL,
    "rent_returned" DECIMAL(78,0) NOT NULL,
    "energy" DECIMAL(78,0) NOT NULL,

    CONSTRAINT "coin_months_pkey" PRIMARY KEY ("environment", "month", "network", "coin")
);

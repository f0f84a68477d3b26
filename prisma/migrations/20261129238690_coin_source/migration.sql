-- The columns of coins in the ledger, in a transaction of their own: adding a column takes a lock that readers wait for, and the indexes of the
-- next migration scan whole tables.

-- The row that an entry about coins is made of.
ALTER TABLE "ledger_entries" ADD COLUMN "coin_source" TEXT;

-- When the ledger got it.
ALTER TABLE "refund_attempts" ADD COLUMN "coin_booked_at" TIMESTAMPTZ(3);
ALTER TABLE "sweeps" ADD COLUMN "coin_booked_at" TIMESTAMPTZ(3);
ALTER TABLE "allowance_transactions" ADD COLUMN "coin_booked_at" TIMESTAMPTZ(3);
ALTER TABLE "energy_rentals" ADD COLUMN "coin_booked_at" TIMESTAMPTZ(3);

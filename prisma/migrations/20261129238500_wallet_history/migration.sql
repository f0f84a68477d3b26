-- What the refund, treasury and cold wallet of a network held over time, from the readings of the reconciliation: at most one row an hour,
-- and after 90 days one a day (lib/ledger/wallet-history).
CREATE TABLE "wallet_history" (
    "chain_id" INTEGER NOT NULL,
    "currency" TEXT NOT NULL,
    "wallet" TEXT NOT NULL,
    -- The beginning of the hour of the reading, in UTC.
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "amount" DECIMAL(78,0) NOT NULL,

    CONSTRAINT "wallet_history_pkey" PRIMARY KEY ("chain_id", "currency", "wallet", "hour"),
    CONSTRAINT "wallet_history_wallet" CHECK ("wallet" IN ('refund', 'treasury', 'cold'))
);

-- TRON only: the energy that the sponsor can use or lend without burning coin, and when it was read.
ALTER TABLE "sweep_states" ADD COLUMN "energy" DECIMAL(78,0), ADD COLUMN "energy_read_at" TIMESTAMPTZ(3);

-- Comparing the ledger with the chains: whose turn it is, how far the rolling check of receiving addresses is, and what was found.
-- CreateTable
CREATE TABLE "reconciliations" (
    "chain_id" INTEGER NOT NULL,
    "next_at" TIMESTAMPTZ(3) NOT NULL,
    "epoch" INTEGER NOT NULL DEFAULT 0,
    "checked_through" INTEGER NOT NULL DEFAULT -1,
    "done_at" TIMESTAMPTZ(3),
    "trouble" TEXT,

    CONSTRAINT "reconciliations_pkey" PRIMARY KEY ("chain_id")
);

-- CreateTable
CREATE TABLE "wallet_balances" (
    "chain_id" INTEGER NOT NULL,
    "address" TEXT NOT NULL,
    "asset" TEXT NOT NULL,
    "amount" DECIMAL(78,0) NOT NULL,
    "unexplained" DECIMAL(78,0) NOT NULL DEFAULT 0,
    "block_number" BIGINT NOT NULL,
    "read_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "wallet_balances_pkey" PRIMARY KEY ("chain_id","address","asset")
);


-- Beyond Prisma's schema language: partial indexes.
-- No reading older than the last payment that landed says anything about the refund wallet.
CREATE INDEX "refund_attempts_landed" ON "refund_attempts" ("chain_id", "block_number") WHERE "status" = 'landed';

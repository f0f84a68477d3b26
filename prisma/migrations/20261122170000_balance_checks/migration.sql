-- Compares the balances of a session's deposit addresses with its stored transfers before the session ends. A difference starts
-- a re-scan of that address, which replaces the hourly re-scan of every block.
DROP TABLE "rescans";

CREATE TYPE "BalanceCheckState" AS ENUM ('due', 'rescan', 'proven', 'differs');

-- CreateTable
CREATE TABLE "balance_checks" (
    "session_id" TEXT NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "state" "BalanceCheckState" NOT NULL DEFAULT 'due',
    "next_at" TIMESTAMPTZ(3) NOT NULL,
    "rescans" INTEGER NOT NULL DEFAULT 0,
    "read_through" BIGINT,
    "goal" BIGINT,
    "window_blocks" INTEGER NOT NULL DEFAULT 2000,

    CONSTRAINT "balance_checks_pkey" PRIMARY KEY ("session_id", "chain_id"),
    CONSTRAINT "balance_checks_rescan" CHECK ("state" <> 'rescan' OR "goal" IS NOT NULL)
);

-- What the worker still has to do on a chain.
CREATE INDEX "balance_checks_open" ON "balance_checks" ("chain_id", "next_at") WHERE "state" IN ('due', 'rescan');
-- Rows of sessions that have ended are deleted by age.
-- CreateIndex
CREATE INDEX "balance_checks_next_at_idx" ON "balance_checks"("next_at");

-- Compares the addresses of sessions that have ended once a day.
-- CreateTable
CREATE TABLE "balance_rounds" (
    "chain_id" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "next_at" TIMESTAMPTZ(3) NOT NULL,
    "checked_through" INTEGER NOT NULL DEFAULT -1,

    CONSTRAINT "balance_rounds_pkey" PRIMARY KEY ("chain_id")
);

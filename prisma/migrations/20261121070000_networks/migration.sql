-- All four networks: marks of Solana token accounts, how endpoints fare, and payments that somebody has to decide about.
-- CreateEnum
CREATE TYPE "CaseState" AS ENUM ('open', 'accepted', 'refund', 'left');

-- CreateTable
CREATE TABLE "account_marks" (
    "chain_id" INTEGER NOT NULL,
    "account" TEXT NOT NULL,
    "owner" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "amount" DECIMAL(78,0) NOT NULL,
    "signature" TEXT,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "account_marks_pkey" PRIMARY KEY ("chain_id","account")
);

-- CreateTable
CREATE TABLE "endpoints" (
    "environment" "Environment" NOT NULL,
    "network" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "state" TEXT NOT NULL,
    "message" TEXT,
    "height" BIGINT,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "checked_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "endpoints_pkey" PRIMARY KEY ("environment","network","position")
);

-- CreateTable
CREATE TABLE "payment_cases" (
    "id" BIGSERIAL NOT NULL,
    "store_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "session_id" TEXT NOT NULL,
    "transfer_id" BIGINT NOT NULL,
    "kind" TEXT NOT NULL,
    "state" "CaseState" NOT NULL DEFAULT 'open',
    "decided_by" TEXT,
    "decided_at" TIMESTAMPTZ(3),
    "note" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "payment_cases_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "account_marks_chain_id_owner_idx" ON "account_marks"("chain_id", "owner");

-- CreateIndex
CREATE UNIQUE INDEX "payment_cases_transfer_id_key" ON "payment_cases"("transfer_id");

-- CreateIndex
CREATE INDEX "payment_cases_session_id_idx" ON "payment_cases"("session_id");

-- CreateIndex
CREATE INDEX "payment_cases_store_id_environment_created_at_idx" ON "payment_cases"("store_id", "environment", "created_at");



-- A case that somebody decided says who and when; an open one says neither.
ALTER TABLE "payment_cases" ADD CONSTRAINT "payment_cases_decided"
  CHECK (("state" = 'open') = ("decided_at" IS NULL) AND ("decided_at" IS NULL) = ("decided_by" IS NULL));
ALTER TABLE "payment_cases" ADD CONSTRAINT "payment_cases_kind"
  CHECK ("kind" IN ('late', 'wrong_token', 'wrong_network', 'over', 'unfinished'));
ALTER TABLE "account_marks" ADD CONSTRAINT "account_marks_amount" CHECK ("amount" >= 0);

-- Refunds: what a merchant asked to send back, the transactions that do it, where they go, and the balances that bound them.
-- CreateEnum
CREATE TYPE "RefundStatus" AS ENUM ('pending', 'processing', 'completed', 'failed', 'canceled');

-- CreateEnum
CREATE TYPE "AttemptStatus" AS ENUM ('drafted', 'refused', 'signed', 'sent', 'landed', 'reverted', 'lapsed', 'replaced');

-- AlterTable
ALTER TABLE "ledger_entries" ADD COLUMN     "intent_id" TEXT,
ALTER COLUMN "store_id" DROP NOT NULL;

-- AlterTable
ALTER TABLE "sessions" ADD COLUMN     "amount_refunded" BIGINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "stores" ADD COLUMN     "refund_day_limit" BIGINT NOT NULL DEFAULT 1000000,
ADD COLUMN     "refund_window_days" INTEGER NOT NULL DEFAULT 180;

-- AlterTable
ALTER TABLE "transfers" ADD COLUMN     "mac" BYTEA;

-- CreateTable
CREATE TABLE "ledger_balances" (
    "environment" "Environment" NOT NULL,
    "account" TEXT NOT NULL,
    "network" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "amount" DECIMAL(78,0) NOT NULL,

    CONSTRAINT "ledger_balances_pkey" PRIMARY KEY ("environment","account","network","currency")
);

-- CreateTable
CREATE TABLE "refunds" (
    "id" TEXT NOT NULL,
    "store_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "refund_id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "order_id" TEXT NOT NULL,
    "case_id" BIGINT,
    "status" "RefundStatus" NOT NULL DEFAULT 'pending',
    "amount" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "network" TEXT NOT NULL,
    "reason" TEXT,
    "description" TEXT,
    "metadata" JSON,
    "request_hash" BYTEA NOT NULL,
    "day" DATE NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "sign_after" TIMESTAMPTZ(3),
    "destination" TEXT,
    "destination_kind" TEXT,
    "destination_reference" TEXT,
    "hold" TEXT,
    "hold_message" TEXT,
    "held_at" TIMESTAMPTZ(3),
    "asked_at" TIMESTAMPTZ(3),
    "failure_reason" TEXT,
    "transaction_hash" TEXT,
    "receipt_number" TEXT,
    "processed_at" TIMESTAMPTZ(3),
    "claim_hash" BYTEA,
    "claim_ciphertext" BYTEA,
    "claim_expires_at" TIMESTAMPTZ(3),
    "next_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "epoch" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "refunds_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "refund_status_changes" (
    "id" BIGSERIAL NOT NULL,
    "intent_id" TEXT NOT NULL,
    "move" TEXT NOT NULL,
    "from" "RefundStatus",
    "to" "RefundStatus" NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "refund_status_changes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "refund_attempts" (
    "id" BIGSERIAL NOT NULL,
    "intent_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "status" "AttemptStatus" NOT NULL DEFAULT 'drafted',
    "draft" JSON NOT NULL,
    "lapsed" JSON,
    "hash" TEXT,
    "bytes" TEXT,
    "validity" JSON,
    "drafted_at" TIMESTAMPTZ(3) NOT NULL,
    "signed_at" TIMESTAMPTZ(3),
    "sent_at" TIMESTAMPTZ(3),
    "seen_at" TIMESTAMPTZ(3),
    "confirmations" INTEGER NOT NULL DEFAULT 0,
    "ended_at" TIMESTAMPTZ(3),
    "block_number" BIGINT,
    "block_hash" TEXT,
    "outcome" TEXT,

    CONSTRAINT "refund_attempts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "refund_days" (
    "store_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "day" DATE NOT NULL,
    "amount" BIGINT NOT NULL,

    CONSTRAINT "refund_days_pkey" PRIMARY KEY ("store_id","environment","day")
);

-- CreateTable
CREATE TABLE "refund_addresses" (
    "id" BIGSERIAL NOT NULL,
    "session_id" TEXT NOT NULL,
    "network" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "intent_id" TEXT,
    "given_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "refund_addresses_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "held_senders" (
    "network" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "label" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "held_senders_pkey" PRIMARY KEY ("network","address")
);

-- CreateTable
CREATE TABLE "signer_marks" (
    "fingerprint" TEXT NOT NULL,
    "records" BIGINT NOT NULL,
    "head" TEXT NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "signer_marks_pkey" PRIMARY KEY ("fingerprint")
);

-- CreateTable
CREATE TABLE "differences" (
    "id" BIGSERIAL NOT NULL,
    "environment" "Environment" NOT NULL,
    "network" TEXT NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "currency" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "expected" DECIMAL(78,0) NOT NULL,
    "found" DECIMAL(78,0) NOT NULL,
    "found_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "note" TEXT,

    CONSTRAINT "differences_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "refunds_receipt_number_key" ON "refunds"("receipt_number");

-- CreateIndex
CREATE UNIQUE INDEX "refunds_claim_hash_key" ON "refunds"("claim_hash");

-- CreateIndex
CREATE INDEX "refunds_session_id_idx" ON "refunds"("session_id");

-- CreateIndex
CREATE INDEX "refunds_refund_id_idx" ON "refunds"("refund_id");

-- CreateIndex
CREATE INDEX "refunds_store_id_environment_created_at_id_idx" ON "refunds"("store_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "refunds_store_id_environment_status_created_at_id_idx" ON "refunds"("store_id", "environment", "status", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "refunds_store_id_environment_refund_id_key" ON "refunds"("store_id", "environment", "refund_id");

-- CreateIndex
CREATE INDEX "refund_status_changes_intent_id_idx" ON "refund_status_changes"("intent_id");

-- CreateIndex
CREATE UNIQUE INDEX "refund_attempts_intent_id_number_key" ON "refund_attempts"("intent_id", "number");

-- CreateIndex
CREATE UNIQUE INDEX "refund_attempts_chain_id_hash_key" ON "refund_attempts"("chain_id", "hash");

-- CreateIndex
CREATE UNIQUE INDEX "refund_addresses_intent_id_key" ON "refund_addresses"("intent_id");

-- CreateIndex
CREATE INDEX "refund_addresses_session_id_idx" ON "refund_addresses"("session_id");

-- CreateIndex
CREATE UNIQUE INDEX "ledger_entries_intent_id_kind_key" ON "ledger_entries"("intent_id", "kind");


-- Beyond Prisma's schema language: checks, partial indexes and triggers.
-- A session never gives back more than its price, whoever asks at once (hardening INV-3).
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_refunded" CHECK ("amount_refunded" BETWEEN 0 AND "amount_due");
ALTER TABLE "stores" ADD CONSTRAINT "stores_refund_limits" CHECK ("refund_day_limit" >= 0 AND "refund_window_days" >= 0);
ALTER TABLE "refund_days" ADD CONSTRAINT "refund_days_amount" CHECK ("amount" >= 0);
ALTER TABLE "refund_attempts"
  ADD CONSTRAINT "refund_attempts_signed" CHECK (("hash" IS NULL) = ("bytes" IS NULL) AND ("hash" IS NULL) = ("validity" IS NULL)
    AND ("hash" IS NULL) = ("signed_at" IS NULL) AND ("hash" IS NULL) = ("status" IN ('drafted', 'refused'))),
  ADD CONSTRAINT "refund_attempts_ended" CHECK (("ended_at" IS NOT NULL) = ("status" IN ('refused', 'landed', 'reverted', 'lapsed', 'replaced')));
ALTER TABLE "refunds"
  ADD CONSTRAINT "refunds_amount" CHECK ("amount" > 0),
  ADD CONSTRAINT "refunds_currency" CHECK ("currency" IN ('USDT', 'USDC')),
  ADD CONSTRAINT "refunds_ended" CHECK (("processed_at" IS NOT NULL) = ("status" IN ('completed', 'failed', 'canceled'))),
  ADD CONSTRAINT "refunds_completed" CHECK (("status" = 'completed') = ("transaction_hash" IS NOT NULL)
    AND ("status" = 'completed') = ("receipt_number" IS NOT NULL)),
  ADD CONSTRAINT "refunds_failed" CHECK (("status" = 'failed') = ("failure_reason" IS NOT NULL)),
  -- What is canceled was never signed, and what was never asked for is not signed (hardening INV-5).
  ADD CONSTRAINT "refunds_canceled" CHECK ("status" NOT IN ('pending', 'canceled') OR "asked_at" IS NULL),
  ADD CONSTRAINT "refunds_processing" CHECK ("status" = 'pending' OR "status" = 'canceled' OR "sign_after" IS NOT NULL),
  ADD CONSTRAINT "refunds_asked" CHECK ("asked_at" IS NULL OR "destination" IS NOT NULL),
  ADD CONSTRAINT "refunds_destination" CHECK (("destination" IS NULL) = ("destination_kind" IS NULL)
    AND ("destination" IS NULL) = ("destination_reference" IS NULL)),
  ADD CONSTRAINT "refunds_hold" CHECK (("hold" IS NULL) = ("hold_message" IS NULL) AND ("hold" IS NULL) = ("held_at" IS NULL)),
  ADD CONSTRAINT "refunds_claim" CHECK (("claim_hash" IS NULL) = ("claim_ciphertext" IS NULL) AND ("claim_hash" IS NULL) = ("claim_expires_at" IS NULL));
-- Work queues: only what is still to be done is indexed.
CREATE INDEX "refunds_open" ON "refunds" ("environment", "network", "next_at", "id") WHERE "status" IN ('pending', 'processing');
CREATE INDEX "refund_attempts_open" ON "refund_attempts" ("chain_id", "intent_id") WHERE "ended_at" IS NULL;
CREATE UNIQUE INDEX "refunds_one_of_case" ON "refunds" ("case_id") WHERE "case_id" IS NOT NULL AND "status" NOT IN ('failed', 'canceled');
CREATE UNIQUE INDEX "refund_addresses_of_session" ON "refund_addresses" ("session_id", "network") WHERE "intent_id" IS NULL;
CREATE UNIQUE INDEX "differences_open" ON "differences" ("chain_id", "address", "currency") WHERE "ended_at" IS NULL;
-- A terminal status never changes.
CREATE FUNCTION "refunds_keep"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'refund % is % and stays as it is', OLD."id", OLD."status" USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER "refunds_terminal_is_terminal" BEFORE UPDATE ON "refunds"
  FOR EACH ROW WHEN (OLD."status" IN ('completed', 'failed', 'canceled') AND NEW."status" IS DISTINCT FROM OLD."status")
  EXECUTE FUNCTION "refunds_keep"();
-- What was asked never changes, and neither does where it goes once a signature was asked for.
CREATE TRIGGER "refunds_keep_facts" BEFORE UPDATE ON "refunds"
  FOR EACH ROW WHEN ((OLD."store_id", OLD."environment", OLD."refund_id", OLD."session_id", OLD."case_id", OLD."amount", OLD."currency", OLD."network", OLD."day")
    IS DISTINCT FROM (NEW."store_id", NEW."environment", NEW."refund_id", NEW."session_id", NEW."case_id", NEW."amount", NEW."currency", NEW."network", NEW."day")
    OR (OLD."asked_at" IS NOT NULL AND NEW."destination" IS DISTINCT FROM OLD."destination"))
  EXECUTE FUNCTION "refunds_keep"();
-- What was drafted and signed never changes, and neither does an end.
CREATE FUNCTION "refund_attempts_keep"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'attempt % of refund % is % and stays as it is', OLD."number", OLD."intent_id", OLD."status" USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER "refund_attempts_keep" BEFORE UPDATE ON "refund_attempts"
  FOR EACH ROW WHEN (OLD."ended_at" IS NOT NULL OR (OLD."intent_id", OLD."number", OLD."chain_id", OLD."draft"::text) IS DISTINCT FROM (NEW."intent_id", NEW."number", NEW."chain_id", NEW."draft"::text)
    OR (OLD."hash" IS NOT NULL AND (OLD."hash", OLD."bytes", OLD."validity"::text) IS DISTINCT FROM (NEW."hash", NEW."bytes", NEW."validity"::text)))
  EXECUTE FUNCTION "refund_attempts_keep"();
CREATE TRIGGER "refunds_never_deleted" BEFORE DELETE ON "refunds" FOR EACH ROW EXECUTE FUNCTION "facts_are_append_only"();
CREATE TRIGGER "refund_attempts_never_deleted" BEFORE DELETE ON "refund_attempts" FOR EACH ROW EXECUTE FUNCTION "facts_are_append_only"();
CREATE TRIGGER "refund_status_changes_append_only" BEFORE UPDATE OR DELETE ON "refund_status_changes" FOR EACH ROW EXECUTE FUNCTION "facts_are_append_only"();
CREATE TRIGGER "refund_addresses_append_only" BEFORE UPDATE OR DELETE ON "refund_addresses" FOR EACH ROW EXECUTE FUNCTION "facts_are_append_only"();
-- Balances are the sums of postings, at every moment. What we owe a store, or a customer of it, is never less than nothing.
INSERT INTO "ledger_balances" ("environment", "account", "network", "currency", "amount")
  SELECT e."environment", p."account", p."network", p."currency", sum(p."amount")
  FROM "ledger_postings" p JOIN "ledger_entries" e ON e."id" = p."entry_id" GROUP BY 1, 2, 3, 4;
ALTER TABLE "ledger_balances" ADD CONSTRAINT "ledger_balances_owed"
  CHECK ("amount" <= 0 OR split_part("account", ':', 1) NOT IN ('store', 'refund', 'unresolved'));
-- Rows are made and locked in one order, so that two transactions that post to the same accounts take turns. An upsert would not
-- do: it checks the row that it would insert, which for a debit is more than the account can owe.
CREATE FUNCTION "ledger_balances_follow"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "ledger_balances" ("environment", "account", "network", "currency", "amount")
    SELECT DISTINCT e."environment", p."account", p."network", p."currency", 0
    FROM "posted" p JOIN "ledger_entries" e ON e."id" = p."entry_id" ORDER BY 1, 2, 3, 4 ON CONFLICT DO NOTHING;
  PERFORM 1 FROM "ledger_balances" b WHERE (b."environment", b."account", b."network", b."currency") IN
      (SELECT e."environment", p."account", p."network", p."currency" FROM "posted" p JOIN "ledger_entries" e ON e."id" = p."entry_id")
    ORDER BY b."environment", b."account", b."network", b."currency" FOR UPDATE;
  UPDATE "ledger_balances" b SET "amount" = b."amount" + s."amount"
    FROM (SELECT e."environment", p."account", p."network", p."currency", sum(p."amount") AS "amount"
          FROM "posted" p JOIN "ledger_entries" e ON e."id" = p."entry_id" GROUP BY 1, 2, 3, 4) s
    WHERE (b."environment", b."account", b."network", b."currency") = (s."environment", s."account", s."network", s."currency");
  RETURN NULL;
END $$;
CREATE TRIGGER "ledger_balances_follow" AFTER INSERT ON "ledger_postings"
  REFERENCING NEW TABLE AS "posted" FOR EACH STATEMENT EXECUTE FUNCTION "ledger_balances_follow"();

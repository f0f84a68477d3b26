-- What leaves a deposit address, read from the chain, and whether the ledger has it. Until then it is unexplained.
CREATE TABLE "outgoing_transfers" (
    "id" BIGSERIAL NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "network" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "transaction_hash" TEXT NOT NULL,
    "ordinal" INTEGER NOT NULL,
    "block_number" BIGINT NOT NULL,
    "block_hash" TEXT NOT NULL,
    "block_time" TIMESTAMPTZ(0) NOT NULL,
    "currency" TEXT NOT NULL,
    "contract" TEXT NOT NULL,
    "payer" TEXT NOT NULL,
    "recipient" TEXT NOT NULL,
    "amount" DECIMAL(78,0) NOT NULL,
    "decimals" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "reported_at" TIMESTAMPTZ(3),
    "booked_at" TIMESTAMPTZ(3),

    CONSTRAINT "outgoing_transfers_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "outgoing_transfers_amount" CHECK ("amount" > 0)
);
CREATE UNIQUE INDEX "outgoing_transfers_chain_id_transaction_hash_ordinal_key"
  ON "outgoing_transfers"("chain_id", "transaction_hash", "ordinal");
CREATE INDEX "outgoing_transfers_payer_chain_id_currency_idx" ON "outgoing_transfers"("payer", "chain_id", "currency");
CREATE INDEX "outgoing_transfers_unbooked" ON "outgoing_transfers"("id") WHERE "booked_at" IS NULL;

-- Facts stay, and what is booked stays booked.
CREATE TRIGGER "outgoing_transfers_keep_facts" BEFORE UPDATE ON "outgoing_transfers" FOR EACH ROW
  WHEN (OLD."booked_at" IS NOT NULL
    OR to_jsonb(OLD) - ARRAY['booked_at', 'reported_at'] IS DISTINCT FROM to_jsonb(NEW) - ARRAY['booked_at', 'reported_at'])
  EXECUTE FUNCTION "facts_are_append_only"();
CREATE TRIGGER "outgoing_transfers_never_deleted" BEFORE DELETE ON "outgoing_transfers" FOR EACH ROW
  EXECUTE FUNCTION "facts_are_append_only"();
CREATE TRIGGER "outgoing_transfers_not_truncated" BEFORE TRUNCATE ON "outgoing_transfers"
  EXECUTE FUNCTION "facts_are_append_only"();

-- Each is booked once, as a sweep or as a withdrawal.
ALTER TABLE "ledger_entries" ADD COLUMN "outgoing_transfer_id" BIGINT;
CREATE UNIQUE INDEX "ledger_entries_outgoing_transfer_id_key" ON "ledger_entries"("outgoing_transfer_id")
  WHERE "outgoing_transfer_id" IS NOT NULL;

ALTER TABLE quarantine DROP CONSTRAINT quarantine_kind;
ALTER TABLE quarantine ADD CONSTRAINT quarantine_kind CHECK ("kind" IN
  ('session', 'transfer', 'outgoing_transfer', 'unconfirmed_transfer', 'account', 'address', 'refund', 'delivery', 'mail', 'pause',
   'wallet', 'notice'));

-- The payouts of a batch share a transaction: each has an attempt with its hash, in a place of its own. Any other transaction pays once.
CREATE UNIQUE INDEX "refund_attempts_chain_id_hash_item" ON "refund_attempts" ("chain_id", "hash", (coalesce("draft"->>'item', '')));
DROP INDEX "refund_attempts_chain_id_hash_key";

-- Transactions of the refund wallet that changed the allowance of the contract of batches. They use account nonces of the wallet and move
-- no tokens.
CREATE TABLE "allowance_transactions" (
    "chain_id" INTEGER NOT NULL,
    "hash" TEXT NOT NULL,
    "wallet" TEXT NOT NULL,
    "nonce" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    -- To nothing. Otherwise it was raised to the amount of the signer's settings.
    "is_reset" BOOLEAN NOT NULL,
    "signed_at" TIMESTAMPTZ(3) NOT NULL,
    "looked_at" TIMESTAMPTZ(3),
    -- Since when it is in a block, and what it cost, in the smallest unit of the coin. Null again after a reorg.
    "seen_at" TIMESTAMPTZ(3),
    "fee" DECIMAL(78,0),
    -- When a transaction with its account nonce was final: this one, or another one that replaced it.
    "settled_at" TIMESTAMPTZ(3),

    CONSTRAINT "allowance_transactions_pkey" PRIMARY KEY ("chain_id", "hash"),
    CONSTRAINT "allowance_transactions_nonce" CHECK ("nonce" >= 0)
);
CREATE INDEX "allowance_transactions_open" ON "allowance_transactions" ("chain_id", "wallet") WHERE "settled_at" IS NULL;
CREATE TRIGGER "allowance_transactions_by_the_worker" BEFORE INSERT OR UPDATE ON "allowance_transactions" FOR EACH ROW
  EXECUTE FUNCTION "only_the_worker"();

-- Sweeps may go to the refund wallet. Its balance then grows by sweeps that the watcher has not found yet, which must not
-- be taken for the operator's funding (lib/ledger/reconciliation/wallet).

-- Whether it is booked as a sweep into the refund wallet.
ALTER TABLE "outgoing_transfers" ADD COLUMN "is_refill" BOOLEAN NOT NULL DEFAULT false;
DROP TRIGGER "outgoing_transfers_keep_facts" ON "outgoing_transfers";
CREATE TRIGGER "outgoing_transfers_keep_facts" BEFORE UPDATE ON "outgoing_transfers" FOR EACH ROW
  WHEN (OLD."booked_at" IS NOT NULL OR to_jsonb(OLD) - ARRAY['booked_at', 'reported_at', 'is_refill']
    IS DISTINCT FROM to_jsonb(NEW) - ARRAY['booked_at', 'reported_at', 'is_refill'])
  EXECUTE FUNCTION "facts_are_append_only"();
CREATE INDEX "outgoing_transfers_refills" ON "outgoing_transfers" ("chain_id", "recipient", "currency", "block_number")
  INCLUDE ("amount", "is_refill") WHERE "is_refill" OR "booked_at" IS NULL;

-- The block of the reading that `unexplained` was computed from, if it is older than that of the balance; and what sweeps
-- had brought by that block, as far as the watcher had found them.
ALTER TABLE "wallet_balances" ADD COLUMN "judged_block" BIGINT, ADD COLUMN "refilled" DECIMAL(78,0) NOT NULL DEFAULT 0;

-- On networks that are read by account: the final block at which the present rotation over all addresses began (null: it
-- left out an address), and the one at which the last complete rotation began.
ALTER TABLE "chains" ADD COLUMN "rotation_from" BIGINT, ADD COLUMN "accounts_read_from" BIGINT;

-- Payouts: what a store's balance pays to the store's own address. The worker pays them from the refund wallet, as it pays refunds:
-- their attempts and status changes are in the tables of the refunds', under the payout's id.

CREATE TABLE "payouts" (
    "id" TEXT NOT NULL,
    "store_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "payout_id" TEXT NOT NULL,
    "status" "RefundStatus" NOT NULL DEFAULT 'pending',
    "amount" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "network" TEXT NOT NULL,
    "description" TEXT,
    "request_hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "sign_after" TIMESTAMPTZ(3),
    "destination" TEXT,
    "destination_kind" TEXT,
    "destination_reference" TEXT,
    "destination_mac" BYTEA,
    "hold" TEXT,
    "hold_message" TEXT,
    "held_at" TIMESTAMPTZ(3),
    "signature_requested_at" TIMESTAMPTZ(3),
    "failure_reason" TEXT,
    "transaction_hash" TEXT,
    "processed_at" TIMESTAMPTZ(3),
    "next_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "epoch" INTEGER NOT NULL DEFAULT 0,
    "to_release" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "payouts_pkey" PRIMARY KEY ("id"),
    -- The signer's intents, and the tables of attempts, name payouts and refunds alike.
    CONSTRAINT "payouts_id" CHECK ("id" ~ '^po_[0-9a-f]{40}$'),
    CONSTRAINT "payouts_amount" CHECK ("amount" > 0),
    CONSTRAINT "payouts_currency" CHECK ("currency" IN ('USDT', 'USDC')),
    CONSTRAINT "payouts_ended" CHECK (("processed_at" IS NOT NULL) = ("status" IN ('completed', 'failed', 'canceled'))),
    CONSTRAINT "payouts_completed" CHECK (("status" = 'completed') = ("transaction_hash" IS NOT NULL)),
    CONSTRAINT "payouts_failed" CHECK (("status" = 'failed') = ("failure_reason" IS NOT NULL)),
    CONSTRAINT "payouts_canceled" CHECK ("status" NOT IN ('pending', 'canceled') OR "signature_requested_at" IS NULL),
    CONSTRAINT "payouts_processing" CHECK ("status" IN ('pending', 'canceled') OR "sign_after" IS NOT NULL),
    CONSTRAINT "payouts_requested" CHECK ("signature_requested_at" IS NULL OR "destination" IS NOT NULL),
    CONSTRAINT "payouts_destination" CHECK (("destination" IS NULL) = ("destination_kind" IS NULL)
      AND ("destination" IS NULL) = ("destination_reference" IS NULL)),
    CONSTRAINT "payouts_hold" CHECK (("hold" IS NULL) = ("hold_message" IS NULL) AND ("hold" IS NULL) = ("held_at" IS NULL)),
    CONSTRAINT "payouts_released_when_failed" CHECK (NOT "to_release" OR "status" = 'failed')
);
CREATE UNIQUE INDEX "payouts_store_id_environment_payout_id_key" ON "payouts"("store_id", "environment", "payout_id");
CREATE INDEX "payouts_store_id_environment_created_at_id_idx" ON "payouts"("store_id", "environment", "created_at", "id");
CREATE INDEX "payouts_open" ON "payouts" ("environment", "network", "next_at", "id") WHERE "status" IN ('pending', 'processing');
CREATE INDEX "payouts_to_release" ON "payouts" ("environment", "network") WHERE "to_release";
CREATE INDEX "payouts_held" ON "payouts" ("hold", "id") WHERE "hold" IS NOT NULL AND "status" = 'processing';
-- As for refunds: how often the wallet opened a token account for a payee.
CREATE INDEX "payouts_to_payee" ON "payouts" ("destination", "currency") WHERE "network" = 'solana' AND "destination" IS NOT NULL;

-- What counts against what a store received (lib/refunds/approval/store-backing).
CREATE INDEX "payouts_given" ON "payouts" ("store_id", "environment", "network", "currency") INCLUDE ("id", "amount")
  WHERE "signature_requested_at" IS NOT NULL AND "status" NOT IN ('failed', 'canceled');
CREATE INDEX "refunds_given" ON "refunds" ("store_id", "environment", "network", "currency") INCLUDE ("id", "amount")
  WHERE "signature_requested_at" IS NOT NULL AND "status" NOT IN ('failed', 'canceled');
CREATE INDEX "payouts_requested" ON "payouts" ("store_id", "environment", "signature_requested_at") WHERE "signature_requested_at" IS NOT NULL;
ALTER TABLE "refunds" ADD CONSTRAINT "refunds_id" CHECK ("id" NOT LIKE 'po\_%') NOT VALID;
ALTER TABLE "refunds" VALIDATE CONSTRAINT "refunds_id";

CREATE TRIGGER "payouts_moves" BEFORE UPDATE OF "status" ON "payouts" FOR EACH ROW
  WHEN (OLD."status" IS DISTINCT FROM NEW."status" AND (OLD."status", NEW."status") NOT IN (
    ('pending', 'processing'), ('pending', 'canceled'),
    ('processing', 'completed'), ('processing', 'failed'), ('processing', 'canceled')))
  EXECUTE FUNCTION "refuse_move"('id', 'status');
-- What was requested never changes, and neither does where it goes once a transaction was signed. An address that its
-- store has stopped before is replaced.
CREATE FUNCTION "payouts_keep"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (OLD."id", OLD."store_id", OLD."environment", OLD."amount", OLD."currency", OLD."network")
      IS NOT DISTINCT FROM (NEW."id", NEW."store_id", NEW."environment", NEW."amount", NEW."currency", NEW."network")
    AND (OLD."payout_id" = NEW."payout_id" OR OLD."payout_id" = 'recovered_' || OLD."id")
    AND NOT EXISTS (SELECT FROM refund_attempts WHERE intent_id = OLD."id" AND hash IS NOT NULL)
  THEN RETURN NEW; END IF;
  RAISE EXCEPTION 'payout % keeps what was requested', OLD."id" USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER "payouts_keep_facts" BEFORE UPDATE ON "payouts"
  FOR EACH ROW WHEN ((OLD."id", OLD."store_id", OLD."environment", OLD."amount", OLD."currency", OLD."network")
    IS DISTINCT FROM (NEW."id", NEW."store_id", NEW."environment", NEW."amount", NEW."currency", NEW."network")
    OR (OLD."payout_id" IS DISTINCT FROM NEW."payout_id" AND OLD."payout_id" <> 'recovered_' || OLD."id")
    OR (OLD."signature_requested_at" IS NOT NULL AND NEW."destination" IS DISTINCT FROM OLD."destination"))
  EXECUTE FUNCTION "payouts_keep"();
CREATE TRIGGER "payouts_never_deleted" BEFORE DELETE ON "payouts" FOR EACH ROW EXECUTE FUNCTION "facts_are_append_only"();
CREATE TRIGGER "payouts_not_truncated" BEFORE TRUNCATE ON "payouts" EXECUTE FUNCTION "facts_are_append_only"();
CREATE TRIGGER "payouts_paid_by_the_worker" BEFORE UPDATE ON "payouts" FOR EACH ROW
  WHEN (NEW."status" IS DISTINCT FROM OLD."status" AND NEW."status" <> 'canceled') EXECUTE FUNCTION "only_the_worker"();

-- What is reserved for a payout is owed, as what is reserved for a refund.
ALTER TABLE "ledger_balances" DROP CONSTRAINT "ledger_balances_owed";
ALTER TABLE "ledger_balances" ADD CONSTRAINT "ledger_balances_owed"
  CHECK ("amount" <= 0 OR split_part("account", ':', 1) NOT IN ('store', 'refund', 'unresolved', 'payout'));
-- Web reserves a payout, and gives it back when the merchant cancels it.
DROP TRIGGER "ledger_entries_paid_by_the_worker" ON "ledger_entries";
CREATE TRIGGER "ledger_entries_paid_by_the_worker" BEFORE INSERT ON "ledger_entries" FOR EACH ROW
  WHEN (NEW."kind" NOT IN ('transfer', 'counted', 'kept', 'refund_owed', 'refund_reserved', 'refund_released',
    'refund_cost_settled', 'payout_reserved', 'payout_released'))
  EXECUTE FUNCTION "only_the_worker"();

-- A reserve is given back only when its payout has ended without a payment.
CREATE FUNCTION "payout_is_released_at_its_end"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM payouts WHERE id = NEW."intent_id" AND status IN ('failed', 'canceled')) THEN RETURN NEW; END IF;
  RAISE EXCEPTION 'payout % has not ended, and its reserve stays', NEW."intent_id" USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER "ledger_entries_release_payouts" BEFORE INSERT ON "ledger_entries" FOR EACH ROW
  WHEN (NEW."kind" = 'payout_released') EXECUTE FUNCTION "payout_is_released_at_its_end"();

-- What a store has provably received, by token and network, up to one of its ledger entries, under the worker's MAC
-- (lib/refunds/approval/store-received).
CREATE TABLE "payout_backing" (
    "store_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "entry_id" BIGINT NOT NULL,
    "entry_at" TIMESTAMPTZ(3) NOT NULL,
    "sums" JSONB NOT NULL,
    "mac" BYTEA NOT NULL,

    CONSTRAINT "payout_backing_pkey" PRIMARY KEY ("store_id", "environment")
);

ALTER TABLE quarantine DROP CONSTRAINT quarantine_kind;
ALTER TABLE quarantine ADD CONSTRAINT quarantine_kind CHECK ("kind" IN
  ('session', 'transfer', 'outgoing_transfer', 'unconfirmed_transfer', 'account', 'address', 'refund', 'payout', 'delivery', 'mail',
   'pause', 'wallet', 'notice', 'month', 'payout_address'));

-- Cold transfers: what the refund wallet has above its high-water mark goes to the operator's cold wallet. The worker requests
-- them and pays them as it pays refunds and payouts: their attempts and status changes are in the tables of the refunds'.

CREATE TABLE "cold_transfers" (
    "id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "network" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "status" "RefundStatus" NOT NULL DEFAULT 'pending',
    "amount" BIGINT NOT NULL,
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

    CONSTRAINT "cold_transfers_pkey" PRIMARY KEY ("id"),
    -- The signer's intent follows from the wallet and the number, so it happens once.
    CONSTRAINT "cold_transfers_id"
      CHECK ("id" = 'ct_' || CASE WHEN "environment" = 'live' THEN 'live' ELSE 'test' END || '_' || "network" || '_' || "currency" || '_' || "number"),
    CONSTRAINT "cold_transfers_number" CHECK ("number" > 0),
    CONSTRAINT "cold_transfers_amount" CHECK ("amount" > 0),
    CONSTRAINT "cold_transfers_currency" CHECK ("currency" IN ('USDT', 'USDC')),
    CONSTRAINT "cold_transfers_ended" CHECK (("processed_at" IS NOT NULL) = ("status" IN ('completed', 'failed', 'canceled'))),
    CONSTRAINT "cold_transfers_completed" CHECK (("status" = 'completed') = ("transaction_hash" IS NOT NULL)),
    CONSTRAINT "cold_transfers_failed" CHECK (("status" = 'failed') = ("failure_reason" IS NOT NULL)),
    CONSTRAINT "cold_transfers_canceled" CHECK ("status" NOT IN ('pending', 'canceled') OR "signature_requested_at" IS NULL),
    CONSTRAINT "cold_transfers_processing" CHECK ("status" IN ('pending', 'canceled') OR "sign_after" IS NOT NULL),
    CONSTRAINT "cold_transfers_requested" CHECK ("signature_requested_at" IS NULL OR "destination" IS NOT NULL),
    CONSTRAINT "cold_transfers_destination" CHECK (("destination" IS NULL) = ("destination_kind" IS NULL)
      AND ("destination" IS NULL) = ("destination_reference" IS NULL)),
    CONSTRAINT "cold_transfers_hold" CHECK (("hold" IS NULL) = ("hold_message" IS NULL) AND ("hold" IS NULL) = ("held_at" IS NULL)),
    CONSTRAINT "cold_transfers_released_when_failed" CHECK (NOT "to_release" OR "status" = 'failed')
);
CREATE UNIQUE INDEX "cold_transfers_environment_network_currency_number_key"
  ON "cold_transfers"("environment", "network", "currency", "number");
-- One is open and not signed for each token of a network. A recovery from the signer's journal may add any number of signed ones.
CREATE UNIQUE INDEX "cold_transfers_open" ON "cold_transfers"("environment", "network", "currency")
  WHERE "status" IN ('pending', 'processing') AND "signature_requested_at" IS NULL;
CREATE INDEX "cold_transfers_to_release" ON "cold_transfers" ("environment", "network") WHERE "to_release";
ALTER TABLE "refunds" ADD CONSTRAINT "refunds_id_not_cold" CHECK ("id" NOT LIKE 'ct\_%') NOT VALID;
ALTER TABLE "refunds" VALIDATE CONSTRAINT "refunds_id_not_cold";

CREATE TRIGGER "cold_transfers_moves" BEFORE UPDATE OF "status" ON "cold_transfers" FOR EACH ROW
  WHEN (OLD."status" IS DISTINCT FROM NEW."status" AND (OLD."status", NEW."status") NOT IN (
    ('pending', 'processing'), ('pending', 'canceled'),
    ('processing', 'completed'), ('processing', 'failed'), ('processing', 'canceled')))
  EXECUTE FUNCTION "refuse_move"('id', 'status');
-- What is moved, and where to, never changes once a transaction was signed. Before that a recovery from the signer's journal
-- may put another amount in the place of one that a restored database requested anew.
CREATE FUNCTION "cold_transfers_keep"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (OLD."id", OLD."environment", OLD."network", OLD."currency", OLD."number")
      IS NOT DISTINCT FROM (NEW."id", NEW."environment", NEW."network", NEW."currency", NEW."number")
    AND NOT EXISTS (SELECT FROM refund_attempts WHERE intent_id = OLD."id" AND hash IS NOT NULL)
  THEN RETURN NEW; END IF;
  RAISE EXCEPTION 'cold transfer % keeps what was requested', OLD."id" USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER "cold_transfers_keep_facts" BEFORE UPDATE ON "cold_transfers"
  FOR EACH ROW WHEN ((OLD."id", OLD."environment", OLD."network", OLD."currency", OLD."number", OLD."amount")
    IS DISTINCT FROM (NEW."id", NEW."environment", NEW."network", NEW."currency", NEW."number", NEW."amount")
    OR (OLD."signature_requested_at" IS NOT NULL AND NEW."destination" IS DISTINCT FROM OLD."destination"))
  EXECUTE FUNCTION "cold_transfers_keep"();
CREATE TRIGGER "cold_transfers_never_deleted" BEFORE DELETE ON "cold_transfers" FOR EACH ROW
  EXECUTE FUNCTION "facts_are_append_only"();
CREATE TRIGGER "cold_transfers_not_truncated" BEFORE TRUNCATE ON "cold_transfers" EXECUTE FUNCTION "facts_are_append_only"();
CREATE TRIGGER "cold_transfers_by_the_worker" BEFORE INSERT OR UPDATE ON "cold_transfers" FOR EACH ROW
  EXECUTE FUNCTION "only_the_worker"();

-- What the cold wallet of a network holds of a token, as the chain reports it.
CREATE TABLE "cold_balances" (
    "chain_id" INTEGER NOT NULL,
    "currency" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "amount" DECIMAL(78,0) NOT NULL,
    "block_number" BIGINT NOT NULL,
    "read_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "cold_balances_pkey" PRIMARY KEY ("chain_id", "currency")
);

-- Why nothing of this token goes to the cold wallet now; null while nothing stands in the way (lib/cold-storage/decide).
ALTER TABLE "wallet_balances" ADD COLUMN "cold_hold" TEXT;

ALTER TABLE quarantine DROP CONSTRAINT quarantine_kind;
ALTER TABLE quarantine ADD CONSTRAINT quarantine_kind CHECK ("kind" IN
  ('session', 'transfer', 'outgoing_transfer', 'unconfirmed_transfer', 'account', 'address', 'refund', 'payout', 'cold_transfer', 'delivery',
   'mail', 'pause', 'wallet', 'notice', 'month', 'payout_address', 'payout_schedule'));

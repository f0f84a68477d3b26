-- Cold returns: transfers of the operator's cold wallet to the refund wallet. The command `npm run cold` writes the unsigned transaction,
-- stores the signature that was made on a machine without a network, and the worker follows the transaction until it is final.

CREATE TABLE "cold_returns" (
    "id" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "request_sha256" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "network" TEXT NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "currency" TEXT NOT NULL,
    "amount" DECIMAL(78,0) NOT NULL,
    "sender" TEXT NOT NULL,
    "recipient" TEXT NOT NULL,
    "unsigned" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(0) NOT NULL,
    "expires_at" TIMESTAMPTZ(0) NOT NULL,
    "signed_bytes" TEXT,
    "transaction_hash" TEXT,
    "signed_at" TIMESTAMPTZ(3),
    "block_number" BIGINT,
    "outcome" TEXT,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "cold_returns_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "cold_returns_id" CHECK ("id" = "request_id" || '_' || "position"),
    CONSTRAINT "cold_returns_position" CHECK ("position" > 0),
    CONSTRAINT "cold_returns_amount" CHECK ("amount" > 0),
    CONSTRAINT "cold_returns_expiry" CHECK ("expires_at" > "created_at"),
    CONSTRAINT "cold_returns_signed" CHECK (("signed_bytes" IS NULL) = ("signed_at" IS NULL)
      AND ("transaction_hash" IS NULL) = ("signed_at" IS NULL)),
    CONSTRAINT "cold_returns_ended" CHECK (("outcome" IS NULL) = ("ended_at" IS NULL)),
    -- What was not signed ends only by giving way to a newer request; what was signed ends by what the chain says.
    CONSTRAINT "cold_returns_outcome" CHECK (CASE WHEN "signed_at" IS NULL THEN "outcome" = 'superseded'
      ELSE "outcome" IN ('landed', 'reverted', 'lapsed') END),
    CONSTRAINT "cold_returns_landed" CHECK (("block_number" IS NOT NULL) = ("outcome" IS NOT DISTINCT FROM 'landed'))
);
CREATE INDEX "cold_returns_open" ON "cold_returns" ("chain_id", "sender") WHERE "ended_at" IS NULL;
CREATE INDEX "cold_returns_landed" ON "cold_returns" ("chain_id", "block_number") WHERE "outcome" = 'landed';
CREATE UNIQUE INDEX "cold_returns_hash" ON "cold_returns" ("chain_id", "transaction_hash");

-- What was requested never changes, a stored signature stays, and what has ended stays ended.
CREATE FUNCTION "cold_returns_keep"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'cold return % keeps what was requested and signed', OLD."id" USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER "cold_returns_keep_facts" BEFORE UPDATE ON "cold_returns" FOR EACH ROW
  WHEN (OLD."ended_at" IS NOT NULL
    OR (OLD."id", OLD."request_id", OLD."position", OLD."request_sha256", OLD."environment", OLD."network", OLD."chain_id", OLD."currency",
        OLD."amount", OLD."sender", OLD."recipient", OLD."unsigned", OLD."created_at", OLD."expires_at")
      IS DISTINCT FROM (NEW."id", NEW."request_id", NEW."position", NEW."request_sha256", NEW."environment", NEW."network", NEW."chain_id",
        NEW."currency", NEW."amount", NEW."sender", NEW."recipient", NEW."unsigned", NEW."created_at", NEW."expires_at")
    OR (OLD."signed_at" IS NOT NULL AND (OLD."signed_bytes", OLD."transaction_hash", OLD."signed_at")
      IS DISTINCT FROM (NEW."signed_bytes", NEW."transaction_hash", NEW."signed_at")))
  EXECUTE FUNCTION "cold_returns_keep"();
CREATE TRIGGER "cold_returns_never_deleted" BEFORE DELETE ON "cold_returns" FOR EACH ROW EXECUTE FUNCTION "facts_are_append_only"();
CREATE TRIGGER "cold_returns_not_truncated" BEFORE TRUNCATE ON "cold_returns" EXECUTE FUNCTION "facts_are_append_only"();
CREATE TRIGGER "cold_returns_by_the_worker" BEFORE INSERT OR UPDATE ON "cold_returns" FOR EACH ROW EXECUTE FUNCTION "only_the_worker"();

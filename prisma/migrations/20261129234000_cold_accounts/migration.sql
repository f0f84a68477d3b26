-- The cold wallet may be an account with several keys, such as a Safe. A return stores the terms of the account as they were requested. The
-- table is small: a row for each transfer that an operator has requested.

ALTER TABLE "cold_returns" ADD COLUMN "account" JSONB;
-- The transaction in which it landed: another program may have sent it.
ALTER TABLE "cold_returns" ADD COLUMN "landed_hash" TEXT;

-- Owners may sign and execute a transfer of such an account in another program. The chain then ends a return that was never signed here.
ALTER TABLE "cold_returns" DROP CONSTRAINT "cold_returns_outcome";
ALTER TABLE "cold_returns" ADD CONSTRAINT "cold_returns_outcome" CHECK (CASE WHEN "signed_at" IS NULL
  THEN "outcome" = 'superseded' OR ("account" IS NOT NULL AND "outcome" IN ('landed', 'lapsed'))
  ELSE "outcome" IN ('landed', 'reverted', 'lapsed') END);
ALTER TABLE "cold_returns" ADD CONSTRAINT "cold_returns_account" CHECK ("account" IS NULL OR coalesce("account"->>'kind', '') <> '');

-- Two requests may be the same transaction of a Safe, with one nonce. The chain executes it once, so it is booked once.
CREATE UNIQUE INDEX "cold_returns_safe_landed" ON "cold_returns" ("chain_id", "sender", "unsigned")
  WHERE "outcome" = 'landed' AND "account"->>'kind' = 'safe';

-- What was requested never changes, a stored signature stays, and what has ended stays ended.
DROP TRIGGER "cold_returns_keep_facts" ON "cold_returns";
CREATE TRIGGER "cold_returns_keep_facts" BEFORE UPDATE ON "cold_returns" FOR EACH ROW
  WHEN (OLD."ended_at" IS NOT NULL
    OR (OLD."id", OLD."request_id", OLD."position", OLD."request_sha256", OLD."environment", OLD."network", OLD."chain_id", OLD."currency",
        OLD."amount", OLD."sender", OLD."recipient", OLD."account", OLD."unsigned", OLD."created_at", OLD."expires_at")
      IS DISTINCT FROM (NEW."id", NEW."request_id", NEW."position", NEW."request_sha256", NEW."environment", NEW."network", NEW."chain_id",
        NEW."currency", NEW."amount", NEW."sender", NEW."recipient", NEW."account", NEW."unsigned", NEW."created_at", NEW."expires_at")
    OR (OLD."signed_at" IS NOT NULL AND (OLD."signed_bytes", OLD."transaction_hash", OLD."signed_at")
      IS DISTINCT FROM (NEW."signed_bytes", NEW."transaction_hash", NEW."signed_at")))
  EXECUTE FUNCTION "cold_returns_keep"();

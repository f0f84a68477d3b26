-- Each ended month in which a store's money moved, recorded once: what the hash of its statement is, and what was left at its end.
CREATE TABLE "statement_months" (
    "store_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    -- The first day of the month, in UTC.
    "month" DATE NOT NULL,
    "lines" BIGINT NOT NULL,
    -- SHA-256 in hexadecimal (lib/ledger/statements/fingerprint). It covers the hash of the store's month before.
    "hash" TEXT NOT NULL,
    "previous_hash" TEXT,
    -- Balances at the end of the month: a list of network, currency, part and base units as text, without those that are zero.
    "closing" JSONB NOT NULL,
    "closed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "statement_months_pkey" PRIMARY KEY ("store_id", "environment", "month"),
    CONSTRAINT "statement_months_month" CHECK (EXTRACT(day FROM "month") = 1),
    CONSTRAINT "statement_months_hash" CHECK ("hash" ~ '^[0-9a-f]{64}$' AND "previous_hash" ~ '^[0-9a-f]{64}$')
);

CREATE TRIGGER "statement_months_append_only" BEFORE UPDATE OR DELETE ON "statement_months" FOR EACH ROW
  EXECUTE FUNCTION "facts_are_append_only"();
CREATE TRIGGER "statement_months_not_truncated" BEFORE TRUNCATE ON "statement_months"
  EXECUTE FUNCTION "facts_are_append_only"();

-- An entry whose time is in a closed month, or before one, gets the first moment after it: a clock that was ahead once, or a late
-- transaction, keeps no payment from being booked.
CREATE FUNCTION "ledger_entries_follow_closed_months"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."created_at" := greatest(NEW."created_at", (SELECT (max("month") + interval '1 month') AT TIME ZONE 'UTC' FROM "statement_months"
    WHERE "store_id" = NEW."store_id" AND "environment" = NEW."environment"));
  RETURN NEW;
END $$;
CREATE TRIGGER "ledger_entries_follow_closed_months" BEFORE INSERT ON "ledger_entries" FOR EACH ROW
  WHEN (NEW."store_id" IS NOT NULL) EXECUTE FUNCTION "ledger_entries_follow_closed_months"();

-- A month can be closed between the insertion of an entry and its commit. The transaction then fails like a lost race, and is repeated.
-- The lock is the one that lib/ledger/statements/close holds while it reads the month (LOCK_CLASS there is 32499).
CREATE FUNCTION "ledger_entries_keep_closed_months"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW."store_id" IS NULL OR NEW."created_at" >= date_trunc('month', clock_timestamp(), 'UTC') THEN
    RETURN NULL;
  END IF;
  PERFORM pg_advisory_xact_lock_shared(32499, hashtext(NEW."store_id" || ' ' || NEW."environment"));
  IF EXISTS (SELECT 1 FROM "statement_months" WHERE "store_id" = NEW."store_id" AND "environment" = NEW."environment"
      AND "month" >= date_trunc('month', NEW."created_at" AT TIME ZONE 'UTC')::date) THEN
    RAISE EXCEPTION 'the month of this entry is closed' USING ERRCODE = 'serialization_failure';
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER "ledger_entries_keep_closed_months" AFTER INSERT ON "ledger_entries"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "ledger_entries_keep_closed_months"();

ALTER TABLE quarantine DROP CONSTRAINT quarantine_kind;
ALTER TABLE quarantine ADD CONSTRAINT quarantine_kind CHECK ("kind" IN
  ('session', 'transfer', 'outgoing_transfer', 'unconfirmed_transfer', 'account', 'address', 'refund', 'delivery', 'mail', 'pause',
   'wallet', 'notice', 'month'));

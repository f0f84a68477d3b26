-- What lets web and worker have roles of their own (docs/operate.md, "Database roles"): the few writes that neither may make by
-- itself run with the owner's rights, and what column grants cannot say is said by triggers.

-- Balances follow postings, and neither process writes them directly.
ALTER FUNCTION "ledger_balances_follow"() SECURITY DEFINER SET search_path = public, pg_temp;
-- The first event after a start of the server begins an era of positions.
ALTER FUNCTION "commit_base"() SECURITY DEFINER SET search_path = public, pg_temp;
REVOKE EXECUTE ON FUNCTION "begin_position_era"(bigint) FROM PUBLIC;
-- FOR UPDATE takes the right to update, which neither has here.
CREATE FUNCTION "lock_balances"("of_environment" "Environment", "of_account" text) RETURNS SETOF "ledger_balances"
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT * FROM "ledger_balances" WHERE "environment" = "of_environment" AND "account" = "of_account"
    ORDER BY "network", "currency" FOR UPDATE
  $$;
REVOKE EXECUTE ON FUNCTION "lock_balances"("Environment", text) FROM PUBLIC;

-- Of the processes only the worker may write a refund's transaction, so that right tells it from web.
CREATE FUNCTION "only_the_worker"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF has_column_privilege('public.refunds', 'transaction_hash', 'UPDATE') THEN RETURN NEW; END IF;
  RAISE EXCEPTION 'only the worker may write this to %', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER "refunds_paid_by_the_worker" BEFORE UPDATE ON "refunds" FOR EACH ROW
  WHEN ((NEW."cost_charged" IS DISTINCT FROM OLD."cost_charged" AND NEW."cost_charged" <> 0)
    OR (NEW."status" IS DISTINCT FROM OLD."status" AND NEW."status" <> 'canceled')
    OR (NEW."destination" IS DISTINCT FROM OLD."destination" AND NEW."destination" IS NOT NULL)
    OR (NEW."destination_kind" IS DISTINCT FROM OLD."destination_kind" AND NEW."destination_kind" IS NOT NULL)
    OR (NEW."destination_reference" IS DISTINCT FROM OLD."destination_reference" AND NEW."destination_reference" IS NOT NULL))
  EXECUTE FUNCTION "only_the_worker"();
-- What web posts: settling a session when somebody accepts a payment, decisions about payments, a refund's reservation, and what
-- is given back of it when the merchant cancels it.
CREATE TRIGGER "ledger_entries_paid_by_the_worker" BEFORE INSERT ON "ledger_entries" FOR EACH ROW
  WHEN (NEW."kind" NOT IN ('transfer', 'counted', 'kept', 'refund_owed', 'refund_reserved', 'refund_released',
    'refund_cost_settled'))
  EXECUTE FUNCTION "only_the_worker"();

-- TRUNCATE fires no row trigger.
CREATE TRIGGER "audit_entries_not_truncated" BEFORE TRUNCATE ON "audit_entries" EXECUTE FUNCTION "facts_are_append_only"();
CREATE TRIGGER "transfers_not_truncated" BEFORE TRUNCATE ON "transfers" EXECUTE FUNCTION "facts_are_append_only"();
CREATE TRIGGER "events_not_truncated" BEFORE TRUNCATE ON "events" EXECUTE FUNCTION "facts_are_append_only"();
CREATE TRIGGER "session_status_changes_not_truncated" BEFORE TRUNCATE ON "session_status_changes" EXECUTE FUNCTION "facts_are_append_only"();
CREATE TRIGGER "ledger_entries_not_truncated" BEFORE TRUNCATE ON "ledger_entries" EXECUTE FUNCTION "facts_are_append_only"();
CREATE TRIGGER "ledger_postings_not_truncated" BEFORE TRUNCATE ON "ledger_postings" EXECUTE FUNCTION "facts_are_append_only"();
CREATE TRIGGER "payment_cases_not_truncated" BEFORE TRUNCATE ON "payment_cases" EXECUTE FUNCTION "facts_are_append_only"();
CREATE TRIGGER "refunds_not_truncated" BEFORE TRUNCATE ON "refunds" EXECUTE FUNCTION "facts_are_append_only"();
CREATE TRIGGER "refund_attempts_not_truncated" BEFORE TRUNCATE ON "refund_attempts" EXECUTE FUNCTION "facts_are_append_only"();
CREATE TRIGGER "refund_status_changes_not_truncated" BEFORE TRUNCATE ON "refund_status_changes" EXECUTE FUNCTION "facts_are_append_only"();
CREATE TRIGGER "refund_addresses_not_truncated" BEFORE TRUNCATE ON "refund_addresses" EXECUTE FUNCTION "facts_are_append_only"();

-- The version of the master key whose derived key made an entry's hash. Entries of former versions have none: their hashes
-- take no key.
-- AlterTable
ALTER TABLE "audit_entries" ADD COLUMN     "key_version" INTEGER;

-- Decisions about payments: what a case is about, what deciding moves in the ledger, and the one way out of an end.
-- AlterTable
ALTER TABLE "sessions" ADD COLUMN     "accepted_from" "SessionStatus";

-- AlterTable
ALTER TABLE "payment_cases" ADD COLUMN     "amount" DECIMAL(78,0) NOT NULL;

-- DropIndex
DROP INDEX "ledger_entries_transfer_id_key";

-- CreateIndex
CREATE UNIQUE INDEX "ledger_entries_transfer_id_kind_key" ON "ledger_entries"("transfer_id", "kind");



ALTER TABLE "payment_cases" ADD CONSTRAINT "payment_cases_amount" CHECK ("amount" > 0);
CREATE INDEX "payment_cases_open" ON "payment_cases" ("store_id", "environment", "id") WHERE "state" = 'open';

-- Only a session that was completed by accepting a payment remembers an earlier end.
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_accepted_from"
  CHECK ("accepted_from" IS NULL OR ("status" = 'completed' AND "accepted_from" IN ('expired', 'canceled', 'failed')));

-- A terminal status never changes, but for one: a session that ended unpaid may be completed by accepting what came for it,
-- and then says so.
DROP TRIGGER "sessions_terminal_is_terminal" ON "sessions";
CREATE TRIGGER "sessions_terminal_is_terminal" BEFORE UPDATE OF "status" ON "sessions"
  FOR EACH ROW WHEN (OLD."status" <> 'pending' AND NEW."status" IS DISTINCT FROM OLD."status"
    AND (NEW."status" <> 'completed' OR NEW."accepted_from" IS DISTINCT FROM OLD."status"))
  EXECUTE FUNCTION "sessions_terminal_is_terminal"();

-- What a case is about never changes, and a decision that moves money is final.
CREATE FUNCTION "payment_cases_keep"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'case % is % and stays so', OLD.id, OLD.state USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER "payment_cases_keep_facts" BEFORE UPDATE ON "payment_cases"
  FOR EACH ROW WHEN ((OLD."transfer_id", OLD."session_id", OLD."store_id", OLD."environment", OLD."kind", OLD."amount")
    IS DISTINCT FROM (NEW."transfer_id", NEW."session_id", NEW."store_id", NEW."environment", NEW."kind", NEW."amount"))
  EXECUTE FUNCTION "payment_cases_keep"();
CREATE TRIGGER "payment_cases_keep_decisions" BEFORE UPDATE ON "payment_cases"
  FOR EACH ROW WHEN (OLD."state" IN ('accepted', 'refund') AND NEW IS DISTINCT FROM OLD)
  EXECUTE FUNCTION "payment_cases_keep"();
CREATE TRIGGER "payment_cases_never_deleted" BEFORE DELETE ON "payment_cases"
  FOR EACH ROW EXECUTE FUNCTION "facts_are_append_only"();

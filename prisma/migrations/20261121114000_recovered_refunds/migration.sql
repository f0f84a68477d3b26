-- A refund that was recovered from the signer's journal is called recovered_<id> until its merchant asks for it again and so
-- tells its name; then it never changes either. All else of the trigger is as it was.
DROP TRIGGER "refunds_keep_facts" ON "refunds";
CREATE TRIGGER "refunds_keep_facts" BEFORE UPDATE ON "refunds"
  FOR EACH ROW WHEN ((OLD."store_id", OLD."environment", OLD."session_id", OLD."case_id", OLD."amount", OLD."currency", OLD."network", OLD."day")
    IS DISTINCT FROM (NEW."store_id", NEW."environment", NEW."session_id", NEW."case_id", NEW."amount", NEW."currency", NEW."network", NEW."day")
    OR (OLD."refund_id" IS DISTINCT FROM NEW."refund_id" AND OLD."refund_id" <> 'recovered_' || OLD."id")
    OR (OLD."asked_at" IS NOT NULL AND NEW."destination" IS DISTINCT FROM OLD."destination"))
  EXECUTE FUNCTION "refunds_keep"();

-- A new EVIDENCE_KEY makes the MAC of an announced address anew (stabletill rotate evidence-key). All else of it is still written once. Web
-- may not write the column, and a MAC without the key is worth nothing.
CREATE OR REPLACE TRIGGER "payout_addresses_change_once" BEFORE UPDATE ON "payout_addresses" FOR EACH ROW
  WHEN (
    (OLD."id", OLD."store_id", OLD."environment", OLD."network", OLD."address", OLD."is_contract", OLD."is_signed",
      OLD."created_at", OLD."created_by")
    IS DISTINCT FROM (NEW."id", NEW."store_id", NEW."environment", NEW."network", NEW."address", NEW."is_contract",
      NEW."is_signed", NEW."created_at", NEW."created_by")
    OR (OLD."mailed_at" IS NOT NULL AND (OLD."mailed_at", OLD."pay_after", OLD."stop_hash")
      IS DISTINCT FROM (NEW."mailed_at", NEW."pay_after", NEW."stop_hash"))
    OR (OLD."notice_mac" IS NOT NULL AND NEW."notice_mac" IS NULL)
    OR (OLD."stopped_at" IS NOT NULL AND (OLD."stopped_at", OLD."stopped_by")
      IS DISTINCT FROM (NEW."stopped_at", NEW."stopped_by")))
  EXECUTE FUNCTION "payout_addresses_change_once"();

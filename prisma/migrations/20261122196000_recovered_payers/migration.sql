-- A refund that was recovered from the signer's journal may learn its payer when the merchant asks for it again: the journal does not
-- know the payer. Every other refund's payer is a fact like its amount. ("refunds_keep" raises; see migration refunds.)
DROP TRIGGER "refunds_keep_payer" ON "refunds";
CREATE TRIGGER "refunds_keep_payer" BEFORE UPDATE ON "refunds"
  FOR EACH ROW WHEN (NEW."payer" IS DISTINCT FROM OLD."payer"
    AND NOT (OLD."payer" IS NULL AND OLD."refund_id" = 'recovered_' || OLD."id"))
  EXECUTE FUNCTION "refunds_keep"();

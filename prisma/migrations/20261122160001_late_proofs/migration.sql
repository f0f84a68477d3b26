-- A stored transfer stays as it is, but one that was stored without a proof may get it later (npm run re-vouch).
CREATE FUNCTION "transfers_only_gain_proofs"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND OLD."mac" IS NULL AND to_jsonb(NEW) - 'mac' = to_jsonb(OLD) - 'mac' THEN RETURN NEW; END IF;
  RAISE EXCEPTION 'transfers is append-only' USING ERRCODE = 'check_violation';
END $$;
DROP TRIGGER "transfers_append_only" ON "transfers";
CREATE TRIGGER "transfers_append_only" BEFORE UPDATE OR DELETE ON "transfers" FOR EACH ROW EXECUTE FUNCTION "transfers_only_gain_proofs"();

-- A stored transfer stays as it is, but its proof may be made anew: with a new EVIDENCE_KEY (npm run re-vouch) the former one is worth
-- nothing. Only the owner of the tables may update them, so neither web nor worker changes a proof.
CREATE OR REPLACE FUNCTION "transfers_only_gain_proofs"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND NEW."mac" IS NOT NULL AND to_jsonb(NEW) - 'mac' = to_jsonb(OLD) - 'mac' THEN RETURN NEW; END IF;
  RAISE EXCEPTION 'transfers is append-only' USING ERRCODE = 'check_violation';
END $$;

-- A canceled or completed reset stays so: the web role may write canceled_at, and must not open a reset again.
CREATE FUNCTION operator_resets_keep_outcome() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the outcome of a reset of an operator never changes' USING ERRCODE = 'check_violation';
END
$$;

CREATE TRIGGER operator_resets_keep_outcome BEFORE UPDATE ON "operator_resets" FOR EACH ROW
  WHEN ((OLD.canceled_at IS NOT NULL AND (NEW.canceled_at, NEW.canceled_by) IS DISTINCT FROM (OLD.canceled_at, OLD.canceled_by))
    OR (OLD.completed_at IS NOT NULL AND NEW.completed_at IS DISTINCT FROM OLD.completed_at))
  EXECUTE FUNCTION operator_resets_keep_outcome();

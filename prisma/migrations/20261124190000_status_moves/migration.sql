-- A status changes only by a move of its state machine. The pairs below are those of the tables of moves in lib
-- (docs/architecture.md, "State machines"); scripts/state-machines.test.mts compares them. The conditions are evaluated without
-- calling the function, so that an allowed change costs next to nothing.
CREATE FUNCTION "refuse_move"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- The arguments are the column that identifies the row and the column of the status.
  RAISE EXCEPTION '% %: no move leads from % to %', TG_TABLE_NAME, to_jsonb(OLD)->>TG_ARGV[0],
    to_jsonb(OLD)->>TG_ARGV[1], to_jsonb(NEW)->>TG_ARGV[1]
    USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
END $$;

-- The older trigger sessions_terminal_is_terminal stays: it also demands that a session completed after its end says so.
CREATE TRIGGER "sessions_moves" BEFORE UPDATE OF "status" ON "sessions" FOR EACH ROW
  WHEN (OLD."status" IS DISTINCT FROM NEW."status" AND (OLD."status", NEW."status") NOT IN (
    ('pending', 'completed'), ('pending', 'expired'), ('pending', 'failed'), ('pending', 'canceled'),
    ('expired', 'completed'), ('failed', 'completed'), ('canceled', 'completed')))
  EXECUTE FUNCTION "refuse_move"('id', 'status');

-- This includes that a terminal status never changes.
DROP TRIGGER "refunds_terminal_is_terminal" ON "refunds";
CREATE TRIGGER "refunds_moves" BEFORE UPDATE OF "status" ON "refunds" FOR EACH ROW
  WHEN (OLD."status" IS DISTINCT FROM NEW."status" AND (OLD."status", NEW."status") NOT IN (
    ('pending', 'processing'), ('pending', 'canceled'),
    ('processing', 'completed'), ('processing', 'failed'), ('processing', 'canceled')))
  EXECUTE FUNCTION "refuse_move"('id', 'status');

CREATE TRIGGER "refund_attempts_moves" BEFORE UPDATE OF "status" ON "refund_attempts" FOR EACH ROW
  WHEN (OLD."status" IS DISTINCT FROM NEW."status" AND (OLD."status", NEW."status") NOT IN (
    ('drafted', 'refused'), ('drafted', 'signed'), ('signed', 'sent'),
    ('signed', 'landed'), ('signed', 'reverted'), ('signed', 'lapsed'), ('signed', 'replaced'),
    ('sent', 'landed'), ('sent', 'reverted'), ('sent', 'lapsed'), ('sent', 'replaced')))
  EXECUTE FUNCTION "refuse_move"('id', 'status');

CREATE TRIGGER "stores_moves" BEFORE UPDATE OF "status" ON "stores" FOR EACH ROW
  WHEN (OLD."status" IS DISTINCT FROM NEW."status" AND (OLD."status", NEW."status") NOT IN (
    ('pending', 'approved'), ('pending', 'rejected'), ('approved', 'suspended'), ('suspended', 'approved')))
  EXECUTE FUNCTION "refuse_move"('id', 'status');

CREATE TRIGGER "payment_cases_moves" BEFORE UPDATE OF "state" ON "payment_cases" FOR EACH ROW
  WHEN (OLD."state" IS DISTINCT FROM NEW."state" AND (OLD."state", NEW."state") NOT IN (
    ('open', 'accepted'), ('open', 'kept'), ('open', 'refund'), ('open', 'left'),
    ('left', 'accepted'), ('left', 'kept'), ('left', 'refund'), ('left', 'open'),
    ('accepted', 'refund'), ('accepted', 'open')))
  EXECUTE FUNCTION "refuse_move"('id', 'state');

CREATE TRIGGER "deliveries_moves" BEFORE UPDATE OF "status" ON "deliveries" FOR EACH ROW
  WHEN (OLD."status" IS DISTINCT FROM NEW."status" AND (OLD."status", NEW."status") NOT IN (
    ('pending', 'delivered'), ('pending', 'failed')))
  EXECUTE FUNCTION "refuse_move"('id', 'status');

CREATE TRIGGER "balance_checks_moves" BEFORE UPDATE OF "state" ON "balance_checks" FOR EACH ROW
  WHEN (OLD."state" IS DISTINCT FROM NEW."state" AND (OLD."state", NEW."state") NOT IN (
    ('due', 'rescan'), ('due', 'proven'), ('due', 'differs'), ('due', 'disputed'),
    ('rescan', 'due'),
    ('proven', 'rescan'), ('proven', 'differs'), ('proven', 'disputed'),
    ('differs', 'rescan'), ('differs', 'proven'),
    ('disputed', 'rescan'), ('disputed', 'differs')))
  EXECUTE FUNCTION "refuse_move"('session_id', 'state');

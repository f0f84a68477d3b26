-- The other side of members_no_operator: a member of a store does not become an operator, whatever runs at once. The row of the user
-- is locked when this runs, so it sees every membership that was stored before.
CREATE FUNCTION "refuse_member_operator"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM "members" WHERE "user_id" = NEW."id") THEN
    RAISE EXCEPTION 'a member of a store is no operator' USING ERRCODE = 'check_violation', CONSTRAINT = 'users_operator_no_member';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER "users_operator_no_member" BEFORE UPDATE OF "role" ON "users"
  FOR EACH ROW WHEN (NEW."role" = 'operator' AND OLD."role" <> 'operator') EXECUTE FUNCTION "refuse_member_operator"();

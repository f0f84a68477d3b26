-- An operator is a member of no store, whatever runs at once; and an operator's first second factor is set up only within a time
-- that the set-up link, another operator or the server's administrator opened.
-- AlterTable
ALTER TABLE "users" ADD COLUMN     "factor_setup_until" TIMESTAMPTZ(3);


-- Beyond Prisma's schema language.

-- The share lock waits for a promotion that is under way, and a promotion waits for it: whichever comes second sees the first.
CREATE FUNCTION "refuse_operator_member"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE found_role "UserRole";
BEGIN
  SELECT "role" INTO found_role FROM "users" WHERE "id" = NEW."user_id" FOR SHARE;
  IF found_role = 'operator' THEN
    RAISE EXCEPTION 'an operator is a member of no store' USING ERRCODE = 'check_violation', CONSTRAINT = 'members_no_operator';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER "members_no_operator" BEFORE INSERT OR UPDATE OF "user_id" ON "members"
  FOR EACH ROW EXECUTE FUNCTION "refuse_operator_member"();

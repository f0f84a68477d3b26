-- The worker deletes accounts whose address nobody confirmed (lib/accounts/unconfirmed.ts). No role may delete any other account:
-- the worker's role cannot change a user, so it cannot make one look unconfirmed.
CREATE FUNCTION users_delete_unconfirmed_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.email_confirmed_at IS NOT NULL OR OLD.role <> 'merchant' THEN
    RAISE EXCEPTION 'only a merchant whose address is not confirmed can be deleted';
  END IF;
  RETURN OLD;
END $$;
CREATE TRIGGER users_delete_unconfirmed_only BEFORE DELETE ON users
  FOR EACH ROW EXECUTE FUNCTION users_delete_unconfirmed_only();

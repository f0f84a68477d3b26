-- An event never changes. It goes only in the transaction that records an archive of its month, 90 days after it was written or later, and
-- not before its deliveries (lib/installation/retention).

CREATE FUNCTION "events_go_to_archives"() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF OLD."created_at" < now() - interval '90 days'
    AND NOT EXISTS (SELECT FROM "deliveries" d WHERE d."event_id" = OLD."id")
    AND EXISTS (SELECT FROM "archives" a WHERE a."source" = 'events' AND a.xmin = pg_current_xact_id()::xid
      AND a."month" = date_trunc('month', OLD."created_at" AT TIME ZONE 'UTC')::date)
  THEN RETURN OLD; END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'check_violation', DETAIL = 'An event goes only into an archive.';
END $$;

DROP TRIGGER "events_append_only" ON "events";
CREATE TRIGGER "events_append_only" BEFORE UPDATE ON "events" FOR EACH ROW EXECUTE FUNCTION "facts_are_append_only"();
CREATE TRIGGER "events_go_to_archives" BEFORE DELETE ON "events" FOR EACH ROW EXECUTE FUNCTION "events_go_to_archives"();

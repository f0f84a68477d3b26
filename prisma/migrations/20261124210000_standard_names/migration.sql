-- Tables get the names of docs/glossary.md. Renaming is instant and keeps every row; the names of their indexes, constraints,
-- sequences and triggers follow.
DO $$
DECLARE
  pair text[];
  one record;
BEGIN
  FOREACH pair SLICE 1 IN ARRAY ARRAY[
    ['sightings', 'unconfirmed_transfers'],
    ['payment_cases', 'payment_exceptions'],
    ['held_senders', 'exchange_wallets'],
    ['held_sender_lists', 'exchange_wallet_lists'],
    ['account_marks', 'account_cursors'],
    ['differences', 'discrepancies']
  ] LOOP
    FOR one IN SELECT conname AS name FROM pg_constraint
      WHERE conrelid = to_regclass(pair[1]) AND starts_with(conname, pair[1] || '_') LOOP
      EXECUTE format('ALTER TABLE %I RENAME CONSTRAINT %I TO %I', pair[1], one.name, replace(one.name, pair[1], pair[2]));
    END LOOP;
    FOR one IN SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
      WHERE i.indrelid = to_regclass(pair[1]) AND starts_with(c.relname, pair[1] || '_') LOOP
      EXECUTE format('ALTER INDEX %I RENAME TO %I', one.name, replace(one.name, pair[1], pair[2]));
    END LOOP;
    FOR one IN SELECT tgname AS name FROM pg_trigger
      WHERE tgrelid = to_regclass(pair[1]) AND NOT tgisinternal AND starts_with(tgname, pair[1] || '_') LOOP
      EXECUTE format('ALTER TRIGGER %I ON %I RENAME TO %I', one.name, pair[1], replace(one.name, pair[1], pair[2]));
    END LOOP;
    IF to_regclass(pair[1] || '_id_seq') IS NOT NULL THEN
      EXECUTE format('ALTER SEQUENCE %I RENAME TO %I', pair[1] || '_id_seq', pair[2] || '_id_seq');
    END IF;
    EXECUTE format('ALTER TABLE %I RENAME TO %I', pair[1], pair[2]);
  END LOOP;
END $$;

ALTER FUNCTION "payment_cases_keep"() RENAME TO "payment_exceptions_keep";
ALTER TYPE "CaseState" RENAME TO "ExceptionState";

-- Columns get the names of docs/glossary.md. Renaming is instant and keeps every row. Indexes and checks follow by themselves;
-- functions are text, so those that name a column are written again.
ALTER TABLE refunds RENAME COLUMN asked_at TO signature_requested_at;
ALTER TABLE refunds RENAME CONSTRAINT refunds_asked TO refunds_signature_requested;
ALTER TABLE approvals RENAME COLUMN asked_by TO requested_by;
ALTER TABLE approvals RENAME COLUMN asked_at TO requested_at;
ALTER TABLE approvals RENAME COLUMN asked_passkey TO requester_passkey;
ALTER TABLE freeze_requests RENAME COLUMN asked_by TO requested_by;
ALTER TABLE freeze_requests RENAME COLUMN asked_at TO requested_at;
ALTER TABLE network_fees RENAME COLUMN asked_at TO requested_at;
ALTER TABLE alarms RENAME COLUMN tells TO notification_count;
ALTER TABLE alarms RENAME COLUMN told_at TO notified_at;
ALTER TABLE alarms RENAME COLUMN next_tell_at TO next_notification_at;
ALTER INDEX alarms_to_tell RENAME TO alarms_to_notify;
ALTER TABLE chains RENAME COLUMN wallet_unknown_at TO wallet_reviewed_until;
ALTER TABLE payment_exceptions RENAME COLUMN is_untold TO is_notice_due;
ALTER TABLE deliveries RENAME COLUMN is_untold TO is_notice_due;
ALTER INDEX payment_exceptions_untold RENAME TO payment_exceptions_notice_due;
ALTER INDEX deliveries_untold RENAME TO deliveries_notice_due;
ALTER TYPE "PauseReason" RENAME VALUE 'asked' TO 'requested';

DO $$
DECLARE
  one record;
BEGIN
  FOR one IN SELECT conname AS name FROM pg_constraint
    WHERE conrelid = 'store_looks'::regclass AND starts_with(conname, 'store_looks_') LOOP
    EXECUTE format('ALTER TABLE store_looks RENAME CONSTRAINT %I TO %I', one.name, replace(one.name, 'store_looks', 'store_branding'));
  END LOOP;
  FOR one IN SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    WHERE i.indrelid = 'store_looks'::regclass AND starts_with(c.relname, 'store_looks_') LOOP
    EXECUTE format('ALTER INDEX %I RENAME TO %I', one.name, replace(one.name, 'store_looks', 'store_branding'));
  END LOOP;
  ALTER TABLE store_looks RENAME TO store_branding;
  FOR one IN SELECT pg_get_functiondef(p.oid) AS definition FROM pg_proc p
    WHERE p.pronamespace = current_schema()::regnamespace AND p.prokind = 'f' AND p.prosrc ~ 'asked_at' LOOP
    EXECUTE replace(one.definition, 'asked_at', 'signature_requested_at');
  END LOOP;
END $$;

ALTER TABLE quarantine DROP CONSTRAINT quarantine_kind;
UPDATE quarantine SET kind = 'unconfirmed_transfer' WHERE kind = 'sighting';
-- The same alarm goes on, acknowledged or not.
UPDATE alarms SET subject = 'unconfirmed_transfer' WHERE kind = 'quarantine' AND subject = 'sighting';
ALTER TABLE quarantine ADD CONSTRAINT quarantine_kind CHECK ("kind" IN
  ('session', 'transfer', 'unconfirmed_transfer', 'account', 'address', 'refund', 'delivery', 'mail', 'pause', 'wallet', 'notice'));

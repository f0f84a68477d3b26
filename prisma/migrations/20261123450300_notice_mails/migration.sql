-- Mails to a store's members about payment exceptions and undelivered events (lib/members/tell-notices.ts).

-- Which of them a member gets; null follows the role.
ALTER TABLE members ADD COLUMN mail_exceptions boolean, ADD COLUMN mail_deliveries boolean, ADD COLUMN mail_decisions boolean;

-- What no mail has mentioned yet. Rows from before this migration count as mentioned; a new exception does not.
ALTER TABLE payment_cases ADD COLUMN is_untold boolean NOT NULL DEFAULT false;
ALTER TABLE payment_cases ALTER COLUMN is_untold SET DEFAULT true;
ALTER TABLE deliveries ADD COLUMN is_untold boolean NOT NULL DEFAULT false;
-- Test exceptions are never mailed.
CREATE INDEX payment_cases_untold ON payment_cases (store_id, environment, id) WHERE is_untold AND environment = 'live';
CREATE INDEX deliveries_untold ON deliveries (store_id, environment, id) WHERE is_untold;

-- When a store was last mailed about a kind: at most once an hour.
CREATE TABLE notice_mails (
  store_id text NOT NULL,
  environment "Environment" NOT NULL,
  kind text NOT NULL,
  mailed_at timestamptz(3) NOT NULL,
  CONSTRAINT notice_mails_pkey PRIMARY KEY (store_id, environment, kind),
  CONSTRAINT notice_mails_kind CHECK (kind IN ('exceptions', 'deliveries'))
);

ALTER TABLE quarantine DROP CONSTRAINT quarantine_kind, ADD CONSTRAINT quarantine_kind CHECK (kind IN
  ('session', 'transfer', 'sighting', 'account', 'address', 'refund', 'delivery', 'mail', 'pause', 'wallet', 'notice'));

-- A comparison of the refund wallet that keeps failing: since when, so that operators are mailed after an hour (lib/refunds/wallet-alarm.ts).
ALTER TABLE chains ADD COLUMN wallet_trouble_at timestamptz(3);
ALTER TABLE quarantine DROP CONSTRAINT quarantine_kind, ADD CONSTRAINT quarantine_kind CHECK (kind IN
  ('session', 'transfer', 'sighting', 'account', 'address', 'refund', 'delivery', 'mail', 'pause', 'wallet'));

-- Transactions that mention the refund wallet on Solana and that others signed, as one endpoint showed, so that a long comparison
-- goes on where it stopped, in whichever process (lib/refunds/wallet-mentions.ts).
CREATE TABLE wallet_mentions (
  chain_id integer NOT NULL,
  endpoint text NOT NULL,
  hash text NOT NULL,
  block_time timestamptz(0) NOT NULL,
  CONSTRAINT wallet_mentions_pkey PRIMARY KEY (chain_id, endpoint, hash)
);

-- The database in which the refund wallet was last compared, and when it was first compared there: a database that was restored,
-- cloned or promoted waits until every earlier signature has expired (lib/refunds/wallet-check.ts).
ALTER TABLE chains ADD COLUMN wallet_identity text, ADD COLUMN wallet_identity_at timestamptz(0);

-- The newest transaction of the refund wallet that the database did not know, so that an operator who has looked at it is not
-- stopped by it again (lib/refunds/wallet-check.ts).
ALTER TABLE chains ADD COLUMN wallet_unknown_at timestamptz(0);

-- Block time up to which the transactions of the refund wallet were compared with this database, so that a start compares only what
-- came later (lib/refunds/wallet-check.ts).
ALTER TABLE chains ADD COLUMN wallet_known_until timestamptz(0);
-- TRON's transactions are now compared by their hash, so the time of a payment's block is not needed.
ALTER TABLE refund_attempts DROP COLUMN block_time;

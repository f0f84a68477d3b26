-- When the block of a final payment was made, so that the newest transaction of the refund wallet on TRON, of which the network tells
-- only the time, is recognized (lib/refunds/wallet-check.ts). Payments from before have none.
ALTER TABLE refund_attempts ADD COLUMN block_time timestamptz(0);

-- The newest draft of a chain, which the check of the refund wallet reads every 30 seconds on Solana (lib/refunds/wallet-check).
CREATE INDEX CONCURRENTLY "refund_attempts_drafted" ON "refund_attempts" ("chain_id", "drafted_at");

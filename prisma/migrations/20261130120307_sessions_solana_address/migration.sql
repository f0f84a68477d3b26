-- Look-ups by Solana address, as those by EVM and TRON address.
CREATE INDEX CONCURRENTLY "sessions_solana_address_idx" ON "sessions" USING HASH ("solana_address");

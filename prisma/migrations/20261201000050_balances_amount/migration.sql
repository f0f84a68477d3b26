-- The deposit addresses that hold the most, which are read near the tip every 20 seconds on Solana (lib/ledger/reconciliation/tip/unswept.ts).
CREATE INDEX CONCURRENTLY "deposit_balances_amount" ON "deposit_balances" ("chain_id", "amount" DESC, "address") WHERE "amount" > 0;

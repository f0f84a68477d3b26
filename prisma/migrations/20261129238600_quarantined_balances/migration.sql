-- What hits of the screening freeze of a store is owed to it, as what is reserved. The table has a row per account and token, so the check
-- reads little.
ALTER TABLE "ledger_balances" DROP CONSTRAINT "ledger_balances_owed";
ALTER TABLE "ledger_balances" ADD CONSTRAINT "ledger_balances_owed"
  CHECK ("amount" <= 0 OR split_part("account", ':', 1) NOT IN ('store', 'refund', 'unresolved', 'payout', 'quarantined'));
-- The worker looks for quarantined money every few seconds, and there is seldom any.
CREATE INDEX "ledger_balances_quarantined" ON "ledger_balances" ("account") WHERE "account" LIKE 'quarantined:%';

-- A store takes a share of the signer's limits with all its refunds, so the worker adds up those of the last day of every kind.


-- Beyond Prisma's schema language.
DROP INDEX "refunds_claims_of_store";
CREATE INDEX "refunds_payouts_of_store" ON "refunds" ("store_id", "environment", "asked_at") WHERE "asked_at" IS NOT NULL;

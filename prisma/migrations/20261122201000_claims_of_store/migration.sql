-- One store's payments to addresses that customers gave, of the last day: it may take a share of the signer's limits only.


-- Beyond Prisma's schema language.
CREATE INDEX "refunds_claims_of_store" ON "refunds" ("store_id", "environment", "asked_at") WHERE "destination_kind" = 'claim';

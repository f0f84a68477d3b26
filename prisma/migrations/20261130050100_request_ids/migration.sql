-- The API request that made a session or a refund, so that the log of its request leads to everything that followed. Null for what pages
-- made, and for rows of former releases. Nullable columns without a default change the catalog only.

ALTER TABLE "sessions" ADD COLUMN "request_id" TEXT;
ALTER TABLE "refunds" ADD COLUMN "request_id" TEXT;

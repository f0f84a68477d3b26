-- How many refunds a store made on a UTC day, canceled and failed ones included.
-- AlterTable
ALTER TABLE "refund_days" ADD COLUMN     "count" INTEGER NOT NULL DEFAULT 0;
UPDATE "refund_days" d SET "count" = (SELECT count(*) FROM "refunds" r
  WHERE (r."store_id", r."environment", r."day") = (d."store_id", d."environment", d."day") AND r."case_id" IS NULL);

-- How often the receipt was mailed from the browser that the customer paid from.
-- AlterTable
ALTER TABLE "payer_browsers" ADD COLUMN     "receipt_mails" SMALLINT NOT NULL DEFAULT 0;

-- Which browser was shown a payment's page before it was paid, and whether a merchant wants the customer to name an address.
-- AlterTable
ALTER TABLE "refunds" ADD COLUMN "wants_address" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "payer_browsers" (
    "session_id" TEXT NOT NULL,
    "browser" BYTEA NOT NULL,
    "is_shared" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "payer_browsers_pkey" PRIMARY KEY ("session_id")
);

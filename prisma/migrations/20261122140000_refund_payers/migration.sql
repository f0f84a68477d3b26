-- Who a refund may go back to without asking: whether the payer ordered the transfer themselves, the one payer that a refund
-- pays back, and how old each network's list of exchange wallets is. Existing transfers keep null: nobody knows of them.
-- AlterTable
ALTER TABLE "transfers" ADD COLUMN "is_plain" BOOLEAN;

-- AlterTable
ALTER TABLE "refunds" ADD COLUMN "payer" TEXT,
ADD COLUMN "confirmed_address_id" BIGINT;

-- AlterTable
ALTER TABLE "refund_addresses" ADD COLUMN "is_contract" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "held_sender_lists" (
    "network" TEXT NOT NULL,
    "as_of" TIMESTAMPTZ(0) NOT NULL,
    "loaded_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "held_sender_lists_pkey" PRIMARY KEY ("network")
);

-- A payer that a refund was made for is a fact like its amount. ("refunds_keep" raises; see migration refunds.)
CREATE TRIGGER "refunds_keep_payer" BEFORE UPDATE ON "refunds"
  FOR EACH ROW WHEN (NEW."payer" IS DISTINCT FROM OLD."payer") EXECUTE FUNCTION "refunds_keep"();

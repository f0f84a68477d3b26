-- How far the re-scan of a chain by another endpoint is, so that it goes on in whichever process runs it next, and runs once
-- however many workers there are.
-- CreateTable
CREATE TABLE "rescans" (
    "chain_id" INTEGER NOT NULL,
    "next_at" TIMESTAMPTZ(3) NOT NULL,
    "epoch" INTEGER NOT NULL DEFAULT 0,
    "read_through" BIGINT,
    "goal" BIGINT,
    "pace" JSONB,

    CONSTRAINT "rescans_pkey" PRIMARY KEY ("chain_id")
);

-- What the check of deposit addresses has read and not judged yet, and what looked wrong once.
-- AlterTable
ALTER TABLE "reconciliations" ADD COLUMN     "address_check" JSONB;

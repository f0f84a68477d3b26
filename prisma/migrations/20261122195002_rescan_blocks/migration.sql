-- Blocks that the re-scans of a chain read one by one on a UTC day, which is limited.
-- AlterTable
ALTER TABLE "balance_rounds" ADD COLUMN     "rescan_blocks" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "rescan_day" DATE;

-- A re-scan that has used up the blocks of the day goes on the next day, and the balance is compared meanwhile.
-- AlterTable
ALTER TABLE "balance_checks" ADD COLUMN     "waits_until" TIMESTAMPTZ(3);

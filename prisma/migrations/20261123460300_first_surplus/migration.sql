-- The first balance that differed, kept until the watcher has read its blocks: newer balances may hold newer payments.
-- AlterTable
ALTER TABLE "balance_checks" ADD COLUMN     "first_surplus" JSONB;

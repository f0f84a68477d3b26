-- Since when and why a re-scan cannot be read: after a while its difference is reported without it.
-- AlterTable
ALTER TABLE "balance_checks" ADD COLUMN     "failing_since" TIMESTAMPTZ(3),
ADD COLUMN     "failure" TEXT;

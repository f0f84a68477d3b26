-- Payments with a block time before their session was created are payment exceptions of their own kind.

-- AlterEnum
ALTER TYPE "SessionException" ADD VALUE 'early' BEFORE 'late';
ALTER TABLE "payment_cases" DROP CONSTRAINT "payment_cases_kind";
ALTER TABLE "payment_cases" ADD CONSTRAINT "payment_cases_kind"
  CHECK ("kind" IN ('early', 'late', 'wrong_token', 'wrong_network', 'over', 'unfinished'));

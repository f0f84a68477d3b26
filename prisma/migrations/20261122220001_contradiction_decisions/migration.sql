-- What an operator decided about a transfer that endpoints report with other facts than the stored ones.
-- AlterTable
ALTER TABLE "quarantine" ADD COLUMN     "decision" TEXT;


-- Beyond Prisma's schema language.
ALTER TABLE "quarantine" ADD CONSTRAINT "quarantine_decision" CHECK ("decision" IN ('stored_is_right', 'corrected_by_hand'));

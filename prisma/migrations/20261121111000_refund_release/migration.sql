-- A refund that failed after something was signed for it: the signer is still to be told, so that it no longer counts its amount.
-- AlterTable
ALTER TABLE "refunds" ADD COLUMN     "to_release" BOOLEAN NOT NULL DEFAULT false;


-- Beyond Prisma's schema language: the work queue.
CREATE INDEX "refunds_to_release" ON "refunds" ("environment", "network") WHERE "to_release";
ALTER TABLE "refunds" ADD CONSTRAINT "refunds_released_when_failed" CHECK (NOT "to_release" OR "status" = 'failed');

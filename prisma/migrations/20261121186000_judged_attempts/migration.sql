-- What a final look at the chain said of a signed transaction that cannot pay its refund as ordered any more, so that looking
-- again neither stops all payments a second time nor hides that only people can end the refund.
-- AlterTable
ALTER TABLE "refund_attempts" ADD COLUMN     "judged" TEXT;


-- Beyond Prisma's schema language.

ALTER TABLE "refund_attempts" ADD CONSTRAINT "refund_attempts_judged"
  CHECK ("judged" IS NULL OR ("hash" IS NOT NULL AND "judged" IN ('nonce_taken', 'moved_otherwise')));

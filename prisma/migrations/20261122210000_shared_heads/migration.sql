-- The head that any process read last from an endpoint, so that others need not read it again.
-- AlterTable
ALTER TABLE "endpoints" ADD COLUMN     "final_number" BIGINT,
ADD COLUMN     "final_time" TIMESTAMPTZ(0),
ADD COLUMN     "head_read_at" TIMESTAMPTZ(3),
ADD COLUMN     "head_source" TEXT,
ADD COLUMN     "tip_number" BIGINT,
ADD COLUMN     "tip_time" TIMESTAMPTZ(0);

-- After the retries: a slow lane that a store may choose, endpoints that are paused and resumed, and what the console shows of it.
-- CreateEnum
CREATE TYPE "DeliveryLane" AS ENUM ('first', 'slow', 'resent');

-- CreateEnum
CREATE TYPE "PauseReason" AS ENUM ('gone', 'failing', 'asked');

-- AlterTable
ALTER TABLE "deliveries" ADD COLUMN     "lane" "DeliveryLane" NOT NULL DEFAULT 'first';

-- AlterTable
ALTER TABLE "delivery_attempts" ADD COLUMN     "duration_ms" INTEGER,
ADD COLUMN     "request_headers" JSONB;

-- AlterTable
ALTER TABLE "events" ADD COLUMN     "is_test" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "webhook_endpoints" ADD COLUMN     "failed_in_a_row" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "failing_since" TIMESTAMPTZ(3),
ADD COLUMN     "gone_in_a_row" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "paused_at" TIMESTAMPTZ(3),
ADD COLUMN     "slow_lane" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "webhook_pauses" (
    "id" BIGSERIAL NOT NULL,
    "store_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "reason" "PauseReason" NOT NULL,
    "paused_at" TIMESTAMPTZ(3) NOT NULL,
    "paused_by" TEXT,
    "resumed_at" TIMESTAMPTZ(3),
    "resumed_by" TEXT,
    "replayed" INTEGER,

    CONSTRAINT "webhook_pauses_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_hours" (
    "store_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "bucket" INTEGER NOT NULL,
    "succeeded" INTEGER NOT NULL,
    "failed" INTEGER NOT NULL,

    CONSTRAINT "webhook_hours_pkey" PRIMARY KEY ("store_id","environment","hour","bucket")
);

-- CreateIndex
CREATE INDEX "deliveries_store_id_environment_created_at_id_idx" ON "deliveries"("store_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "webhook_pauses_store_id_environment_id_idx" ON "webhook_pauses"("store_id", "environment", "id");


-- Beyond Prisma's schema language: checks and partial indexes.
-- The contract's six attempts; the slow lane has twelve of its own (lib/webhooks/schedule).
ALTER TABLE "deliveries" DROP CONSTRAINT "deliveries_attempts_range";
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_attempts_range"
  CHECK ("attempts" BETWEEN 0 AND CASE "lane" WHEN 'slow' THEN 12 ELSE 6 END);
-- What the console lists most, and what "send all that failed since" reads.
CREATE INDEX "deliveries_failed" ON "deliveries" ("store_id", "environment", "created_at", "id") WHERE "status" = 'failed';
-- An endpoint is paused once at a time.
CREATE UNIQUE INDEX "webhook_pauses_one_open" ON "webhook_pauses" ("store_id", "environment") WHERE "resumed_at" IS NULL;

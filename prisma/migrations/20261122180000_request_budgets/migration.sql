-- What was asked of each endpoint on each UTC day, by all processes together, in calls and in the units of its plan.
-- CreateTable
CREATE TABLE "endpoint_usage" (
    "environment" "Environment" NOT NULL,
    "network" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "day" DATE NOT NULL,
    "calls" BIGINT NOT NULL,
    "units" DOUBLE PRECISION NOT NULL,
    "units_per_day" DOUBLE PRECISION,

    CONSTRAINT "endpoint_usage_pkey" PRIMARY KEY ("environment","network","position","day")
);

-- When a chain is scanned next, whichever worker does it; while nobody pays there it is scanned rarely, until a session opens.
-- AlterTable
ALTER TABLE "chains" ADD COLUMN     "is_idle" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "next_scan_at" TIMESTAMPTZ(3);

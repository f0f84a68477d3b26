-- How each network and service fared on each of the last 90 UTC days, for the bars of the status page.
-- CreateTable
CREATE TABLE "status_days" (
    "environment" "Environment" NOT NULL,
    "subject" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "good_seconds" INTEGER NOT NULL DEFAULT 0,
    "impaired_seconds" INTEGER NOT NULL DEFAULT 0,
    "down_seconds" INTEGER NOT NULL DEFAULT 0,
    "state" TEXT NOT NULL,
    "measured_at" TIMESTAMPTZ(0) NOT NULL,

    CONSTRAINT "status_days_pkey" PRIMARY KEY ("environment", "subject", "day"),
    CONSTRAINT "status_days_state" CHECK ("state" IN ('ok', 'delayed', 'down')),
    CONSTRAINT "status_days_seconds" CHECK ("good_seconds" >= 0 AND "impaired_seconds" >= 0 AND "down_seconds" >= 0)
);

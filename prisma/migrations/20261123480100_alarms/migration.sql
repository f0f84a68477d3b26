-- What needs an operator, since when, who was told and who acknowledged it.
-- CreateTable
CREATE TABLE "alarms" (
    "id" BIGSERIAL NOT NULL,
    "kind" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "severity" TEXT NOT NULL,
    "count" INTEGER NOT NULL,
    "newest_at" TIMESTAMPTZ(3),
    "opened_at" TIMESTAMPTZ(3) NOT NULL,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL,
    "closed_at" TIMESTAMPTZ(3),
    "acknowledged_at" TIMESTAMPTZ(3),
    "acknowledged_by" TEXT,
    "tells" INTEGER NOT NULL DEFAULT 0,
    "told_at" TIMESTAMPTZ(3),
    "next_tell_at" TIMESTAMPTZ(3),
    "post_at" TIMESTAMPTZ(3),

    CONSTRAINT "alarms_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "alarms_severity" CHECK ("severity" IN ('critical', 'warning', 'notice')),
    CONSTRAINT "alarms_acknowledged" CHECK (("acknowledged_at" IS NULL) = ("acknowledged_by" IS NULL))
);

-- One open alarm for each matter: the worker's passes meet in it.
CREATE UNIQUE INDEX "alarms_open" ON "alarms" ("kind", "subject") WHERE "closed_at" IS NULL;
CREATE INDEX "alarms_closed" ON "alarms" ("id") WHERE "closed_at" IS NOT NULL;
CREATE INDEX "alarms_to_tell" ON "alarms" ("next_tell_at") WHERE "next_tell_at" IS NOT NULL;
CREATE INDEX "alarms_to_post" ON "alarms" ("post_at") WHERE "post_at" IS NOT NULL;

-- Members are told once that an endpoint was paused, and the numbers of the health chart are thrown away by their age.
-- AlterTable
ALTER TABLE "webhook_pauses" ADD COLUMN     "noticed_at" TIMESTAMPTZ(3);

-- CreateIndex
CREATE INDEX "webhook_hours_hour_idx" ON "webhook_hours"("hour");


-- Beyond Prisma's schema language.
-- Of what is over, and of what somebody asked for, nobody has to be told any more.
UPDATE "webhook_pauses" SET "noticed_at" = "paused_at" WHERE "resumed_at" IS NOT NULL OR "reason" = 'asked';
-- The few that nobody was told of yet.
CREATE INDEX "webhook_pauses_unnoticed" ON "webhook_pauses" ("id") WHERE "noticed_at" IS NULL AND "reason" <> 'asked';

-- Since when a day's usage of an endpoint was counted: an installation that starts at noon has measured no whole day.
-- AlterTable
ALTER TABLE "endpoint_usage" ADD COLUMN     "first_at" TIMESTAMPTZ(3);

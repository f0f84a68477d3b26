-- For the drill only.
ALTER TABLE "events" ADD COLUMN "drill_note" TEXT;

-- For the drill only.
ALTER TABLE "refunds" ADD COLUMN "drill_note" TEXT;

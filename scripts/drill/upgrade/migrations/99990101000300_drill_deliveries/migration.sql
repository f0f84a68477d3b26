-- For the drill only.
ALTER TABLE "deliveries" ADD COLUMN "drill_note" TEXT;

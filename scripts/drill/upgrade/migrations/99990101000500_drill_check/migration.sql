-- For the drill only.
ALTER TABLE "sessions" VALIDATE CONSTRAINT "sessions_drill_note";

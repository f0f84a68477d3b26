-- For the drill only: what a later version may add to the largest tables while this one runs.
ALTER TABLE "sessions" ADD COLUMN "drill_note" TEXT NOT NULL DEFAULT 'drill', ADD CONSTRAINT "sessions_drill_note" CHECK ("drill_note" <> '') NOT VALID;

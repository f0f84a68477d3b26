-- For the drill only.
CREATE INDEX CONCURRENTLY "sessions_drill_note" ON "sessions" ("store_id", "drill_note");

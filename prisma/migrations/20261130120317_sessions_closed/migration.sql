-- The index that the former file replaces.
DROP INDEX "sessions_closed";

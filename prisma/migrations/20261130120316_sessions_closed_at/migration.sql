-- What closed lately, in both environments: the worker reads the last minutes, the metrics the last hour.
CREATE INDEX CONCURRENTLY "sessions_closed_at" ON "sessions"("closed_at") WHERE "closed_at" IS NOT NULL;

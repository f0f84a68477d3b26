-- Listings by cursor, and request rates that replicas share.

-- Which PostgreSQL installation numbered the transactions that wrote events. Transaction numbers begin anew when a dump is restored into
-- another installation; `base` is then added, so that positions go on growing and no reader's cursor ever points back.
-- CreateTable
CREATE TABLE "commit_clusters" (
    "id" SERIAL NOT NULL,
    "system_identifier" BIGINT NOT NULL,
    "base" BIGINT NOT NULL,

    CONSTRAINT "commit_clusters_pkey" PRIMARY KEY ("id")
);
INSERT INTO "commit_clusters" ("system_identifier", "base") SELECT "system_identifier", 0 FROM pg_control_system();

-- What is added to a transaction's number here and now.
CREATE FUNCTION "commit_base"() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  "here" bigint := (SELECT s."system_identifier" FROM pg_control_system() s);
  "last" record;
BEGIN
  SELECT c."system_identifier", c."base" INTO "last" FROM "commit_clusters" c ORDER BY c."id" DESC LIMIT 1;
  IF "last"."system_identifier" = "here" THEN RETURN "last"."base"; END IF;
  -- The first one here after a restore: everything that was written elsewhere comes before what is written here.
  LOCK TABLE "commit_clusters" IN SHARE ROW EXCLUSIVE MODE;
  SELECT c."system_identifier", c."base" INTO "last" FROM "commit_clusters" c ORDER BY c."id" DESC LIMIT 1;
  IF "last"."system_identifier" = "here" THEN RETURN "last"."base"; END IF;
  INSERT INTO "commit_clusters" ("system_identifier", "base")
    SELECT "here", coalesce(max(e."written_in"), 0) FROM "events" e RETURNING "base" INTO "last"."base";
  RETURN "last"."base";
END $$;

-- The position of what this transaction writes, among all that is ever written.
CREATE FUNCTION "commit_position"() RETURNS bigint LANGUAGE sql VOLATILE AS
  $$ SELECT pg_current_xact_id()::text::bigint + "commit_base"() $$;

-- AlterTable
ALTER TABLE "events" ADD COLUMN     "written_in" BIGINT NOT NULL DEFAULT commit_position();

-- CreateIndex
CREATE INDEX "events_store_id_environment_written_in_id_idx" ON "events"("store_id", "environment", "written_in", "id");

-- CreateIndex
CREATE INDEX "events_store_id_environment_type_written_in_id_idx" ON "events"("store_id", "environment", "type", "written_in", "id");

-- CreateIndex
CREATE INDEX "sessions_store_id_environment_created_at_id_idx" ON "sessions"("store_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "sessions_store_id_environment_status_created_at_id_idx" ON "sessions"("store_id", "environment", "status", "created_at", "id");

-- What replicas tell each other of a caller's use. Losing it in a crash forgives a burst and nothing else, so it is not logged.
-- CreateTable
CREATE UNLOGGED TABLE "rate_shares" (
    "caller" TEXT NOT NULL,
    "full_at" DOUBLE PRECISION NOT NULL,
    "asked" JSONB NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "rate_shares_pkey" PRIMARY KEY ("caller")
);

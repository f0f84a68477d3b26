-- Event positions only grow, whatever happens to the database server: a restart, a restored copy of its files, a recovery to a
-- point in time, a failover to a replica that lacks the last transactions, or a dump loaded into another server.
--
-- A position is the number of the transaction plus a base. Transaction numbers repeat after a restore, because the restored copy
-- has forgotten the latest ones. So every start of a server begins an era with a base of its own: the era's first position is
-- the microsecond at which it begins. An era issues one position per transaction, far less than one per microsecond, so all its
-- positions are below the time at which they were issued, and a later era begins above them. That needs no memory of what was
-- lost. It needs clocks that agree: a server must not begin an era by a clock that is further behind the former server's than
-- the former era lasted.
CREATE TABLE "position_eras" (
    -- Microseconds: each start of a server has its own, a replica's and a restored copy's included.
    "server_started_at" TIMESTAMPTZ(6) NOT NULL,
    -- The first position.
    "began" BIGINT NOT NULL,
    -- Added to the numbers of transactions.
    "base" BIGINT NOT NULL,

    CONSTRAINT "position_eras_pkey" PRIMARY KEY ("server_started_at")
);

-- Begins the era of this server's present start. The caller holds the lock.
CREATE FUNCTION "begin_position_era"("above" bigint) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  -- Nobody who still writes, or will, has a lower number.
  "lowest" bigint := pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
  "began" bigint := floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint;
BEGIN
  SELECT greatest("above", max(e."began"), max(e."base") + "lowest") INTO "above" FROM "position_eras" e;
  -- The clock is behind. Leave room for ten thousand million positions that a restored copy may have forgotten.
  IF "began" <= "above" THEN "began" := "above" + 10000000000; END IF;
  INSERT INTO "position_eras" ("server_started_at", "began", "base")
    VALUES (pg_postmaster_start_time(), "began", "began" - "lowest");
  RETURN "began" - "lowest";
END $$;

-- What is added to a transaction's number here and now.
CREATE OR REPLACE FUNCTION "commit_base"() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  "found" bigint;
BEGIN
  SELECT e."base" INTO "found" FROM "position_eras" e WHERE e."server_started_at" = pg_postmaster_start_time();
  IF "found" IS NOT NULL THEN RETURN "found"; END IF;
  LOCK TABLE "position_eras" IN SHARE ROW EXCLUSIVE MODE;
  SELECT e."base" INTO "found" FROM "position_eras" e WHERE e."server_started_at" = pg_postmaster_start_time();
  RETURN coalesce("found", "begin_position_era"(0));
END $$;

-- Waits for transactions that hold a position of the former kind: a reader must not get past them.
LOCK TABLE "events" IN EXCLUSIVE MODE;
SELECT "begin_position_era"((SELECT coalesce(max("written_in"), 0) FROM "events"));
DROP TABLE "commit_clusters";

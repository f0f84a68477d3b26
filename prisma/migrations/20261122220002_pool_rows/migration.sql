-- VACUUM FULL gives the pool's table another file and was taken for a restored database. What a dump or copied rows change is the
-- transaction that wrote each row: VACUUM FULL keeps it.
CREATE TEMPORARY TABLE "former" ON COMMIT DROP AS SELECT pool_incarnation() AS "incarnation", pool_place(pool_incarnation()) AS "place";

-- Installation, timeline, database, and then the start of the server. A dump comes to another installation or database, or its rows
-- have other writers; a recovery begins a new timeline, and putting files back takes a start of the server.
CREATE OR REPLACE FUNCTION "pool_incarnation"() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT concat_ws('/', (SELECT "system_identifier" FROM pg_control_system()), left(pg_walfile_name(pg_current_wal_lsn()), 8),
    (SELECT "oid" FROM pg_database WHERE "datname" = current_database()), extract(epoch FROM pg_postmaster_start_time()))
$$;

-- AlterTable
ALTER TABLE "address_pool" ADD COLUMN     "written_by" xid NOT NULL DEFAULT (pg_current_xact_id())::xid;

-- AlterTable
ALTER TABLE "wallets" ADD COLUMN     "written_by" xid NOT NULL DEFAULT (pg_current_xact_id())::xid;

-- What was current before is current now.
UPDATE "address_pool" p SET "incarnation" = pool_incarnation() FROM "former" f WHERE p."incarnation" = f."incarnation";
UPDATE "wallets" w SET "place" = pool_place(pool_incarnation()) FROM "former" f WHERE w."place" = f."place";


-- Beyond Prisma's schema language.
-- By a trigger, so that a worker of the former version, which does not know the column, writes it too while versions change.
CREATE FUNCTION "wallet_written"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."written_by" := pg_current_xact_id()::xid;
  RETURN NEW;
END
$$;
CREATE TRIGGER "wallet_written" BEFORE UPDATE ON "wallets" FOR EACH ROW EXECUTE FUNCTION "wallet_written"();

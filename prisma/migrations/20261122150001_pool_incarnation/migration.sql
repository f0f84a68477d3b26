-- A restored database comes back with pooled addresses that were handed out after the backup. Every pooled address therefore names
-- the incarnation of the database that pooled it, and only addresses of the running incarnation are handed out.

-- Installation, timeline and file of the pool's table, then the start of the server. A dump that is restored makes a new table (or
-- comes to another installation), a recovery begins a new timeline, and putting files back takes a start of the server.
CREATE FUNCTION "pool_incarnation"() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT concat_ws('/', (SELECT "system_identifier" FROM pg_control_system()), left(pg_walfile_name(pg_current_wal_lsn()), 8),
    pg_relation_filenode('address_pool'), extract(epoch FROM pg_postmaster_start_time()))
$$;
-- The same without the start of the server: what a restart does not change.
CREATE FUNCTION "pool_place"("incarnation" text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT left("incarnation", -1 - length(split_part("incarnation", '/', 4)))
$$;

-- AlterTable
ALTER TABLE "address_pool" ADD COLUMN     "incarnation" TEXT NOT NULL DEFAULT pool_incarnation();

-- AlterTable
ALTER TABLE "wallets" ADD COLUMN     "place" TEXT;
UPDATE "wallets" SET "place" = pool_place(pool_incarnation());

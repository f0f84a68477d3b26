-- What a store is called in law, and the numbers of its receipts. Columns without a default and a new table: no row is rewritten.

-- AlterTable
ALTER TABLE "stores" ADD COLUMN     "legal_address" TEXT,
ADD COLUMN     "legal_name" TEXT,
ADD COLUMN     "vat_number" TEXT;

-- CreateTable
CREATE TABLE "receipt_numbers" (
    "store_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "series" INTEGER NOT NULL,
    "number" BIGINT NOT NULL,
    "session_id" TEXT NOT NULL,
    "issued_at" TIMESTAMPTZ(3) NOT NULL,
    "legal_name" TEXT NOT NULL,
    "legal_address" TEXT NOT NULL,
    "vat_number" TEXT,
    "place" TEXT NOT NULL,
    "written_by" xid NOT NULL,

    CONSTRAINT "receipt_numbers_pkey" PRIMARY KEY ("store_id", "environment", "series", "number")
);

-- CreateIndex
CREATE UNIQUE INDEX "receipt_numbers_session_id_key" ON "receipt_numbers"("session_id");

-- AddForeignKey
ALTER TABLE "receipt_numbers" ADD CONSTRAINT "receipt_numbers_store_id_fkey" FOREIGN KEY ("store_id") REFERENCES "stores"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Beyond Prisma's schema language.
ALTER TABLE "stores" ADD CONSTRAINT "stores_legal" CHECK (("legal_name" IS NULL) = ("legal_address" IS NULL)
  AND ("vat_number" IS NULL OR "legal_name" IS NOT NULL));
ALTER TABLE "receipt_numbers" ADD CONSTRAINT "receipt_numbers_counts" CHECK ("series" > 0 AND "number" > 0);

-- Assigns the next number, whatever the statement names. One transaction at a time has the lock of a store, and the queries of a
-- trigger see what was committed before it got the lock, so numbers have no gap and none is given twice. A restored database does not
-- know the numbers that were given after its backup: its rows come from another place or another transaction (migration
-- pool_incarnation), and the next number begins a new series.
CREATE FUNCTION "receipt_number_follows"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  "here" TEXT := pool_place(pool_incarnation());
  "former" RECORD;
BEGIN
  PERFORM pg_advisory_xact_lock(32503, hashtext(NEW."store_id" || ' ' || NEW."environment"));
  SELECT "series", "number", "place" = "here" AND "xmin" = "written_by" AS "is_here" INTO "former" FROM "receipt_numbers"
    WHERE "store_id" = NEW."store_id" AND "environment" = NEW."environment" ORDER BY "series" DESC, "number" DESC LIMIT 1;
  NEW."series" := CASE WHEN "former" IS NULL THEN 1 WHEN "former"."is_here" THEN "former"."series" ELSE "former"."series" + 1 END;
  NEW."number" := CASE WHEN "former"."is_here" THEN "former"."number" + 1 ELSE 1 END;
  NEW."place" := "here";
  NEW."written_by" := pg_current_xact_id()::xid;
  RETURN NEW;
END $$;
CREATE TRIGGER "receipt_number_follows" BEFORE INSERT ON "receipt_numbers" FOR EACH ROW
  EXECUTE FUNCTION "receipt_number_follows"();
CREATE TRIGGER "receipt_numbers_append_only" BEFORE UPDATE OR DELETE ON "receipt_numbers" FOR EACH ROW
  EXECUTE FUNCTION "facts_are_append_only"();
CREATE TRIGGER "receipt_numbers_not_truncated" BEFORE TRUNCATE ON "receipt_numbers"
  EXECUTE FUNCTION "facts_are_append_only"();

-- A store's daily volume counts what is paid or still pending, and what strangers ask for by payment links has a budget of its own.
-- CreateEnum
CREATE TYPE "SessionBudget" AS ENUM ('store', 'links');

-- AlterTable
ALTER TABLE "sessions" ADD COLUMN     "budget" "SessionBudget" NOT NULL DEFAULT 'store';

-- AlterTable
ALTER TABLE "session_days" ADD COLUMN     "budget" "SessionBudget" NOT NULL DEFAULT 'store',
DROP CONSTRAINT "session_days_pkey",
ADD CONSTRAINT "session_days_pkey" PRIMARY KEY ("store_id", "environment", "day", "budget");

-- Gives back what a session has counted for when it ends unpaid, and counts it again when a late payment is accepted. A store
-- without a daily limit has no row, and setting one counts the day anew (lib/stores/limits).
CREATE FUNCTION "session_days_follow"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "session_days" d
    SET "amount" = greatest(0, d."amount" + CASE WHEN NEW."status" = 'completed' THEN NEW."amount_due" ELSE -NEW."amount_due" END)
    WHERE (d."store_id", d."environment", d."day", d."budget")
      = (NEW."store_id", NEW."environment", (NEW."created_at" AT TIME ZONE 'UTC')::date, NEW."budget");
  RETURN NULL;
END $$;
-- Between pending and completed nothing changes: both count.
CREATE TRIGGER "session_days_follow" AFTER UPDATE OF "status" ON "sessions" FOR EACH ROW
  WHEN (OLD."status" <> NEW."status" AND (NEW."status" IN ('expired', 'canceled', 'failed') OR OLD."status" <> 'pending'))
  EXECUTE FUNCTION "session_days_follow"();

-- Whose press made a session: the digest of the link and the client's address. Older presses have none.
-- AlterTable
ALTER TABLE "payment_link_sessions" ADD COLUMN     "client" BYTEA,
ADD COLUMN     "opened_at" TIMESTAMPTZ(3);

-- CreateIndex
CREATE INDEX "payment_link_sessions_link_id_opened_at_idx" ON "payment_link_sessions"("link_id", "opened_at");

-- DropIndex
DROP INDEX "payment_link_sessions_link_id_idx";

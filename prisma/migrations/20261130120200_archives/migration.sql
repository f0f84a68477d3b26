-- The files that hold rows which were removed from their table (lib/installation/retention). The row is written in the transaction that
-- removes them.

CREATE TABLE "archives" (
    "id" BIGSERIAL NOT NULL,
    "source" TEXT NOT NULL,
    "month" DATE NOT NULL,
    "file" TEXT NOT NULL,
    "sha256" BYTEA NOT NULL,
    "rows" INTEGER NOT NULL,
    "bytes" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "archives_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "archives_rows_positive" CHECK ("rows" > 0),
    -- The books take events of an archived month for archived, so no row may name a month that is not over for long.
    CONSTRAINT "archives_events_old" CHECK ("source" <> 'events' OR "month" + interval '119 days' <= "created_at" AT TIME ZONE 'UTC'),
    CONSTRAINT "archives_sha256_whole" CHECK (octet_length("sha256") = 32)
);

CREATE UNIQUE INDEX "archives_file_key" ON "archives"("file");
CREATE INDEX "archives_source_month_id_idx" ON "archives"("source", "month", "id");
CREATE TRIGGER "archives_append_only" BEFORE UPDATE OR DELETE ON "archives" FOR EACH ROW EXECUTE FUNCTION "facts_are_append_only"();
CREATE TRIGGER "archives_not_truncated" BEFORE TRUNCATE ON "archives" EXECUTE FUNCTION "facts_are_append_only"();

-- `old_record`: a row that cannot be removed.
ALTER TABLE quarantine DROP CONSTRAINT quarantine_kind;
ALTER TABLE quarantine ADD CONSTRAINT quarantine_kind CHECK ("kind" IN
  ('session', 'transfer', 'outgoing_transfer', 'unconfirmed_transfer', 'account', 'address', 'refund', 'payout', 'cold_transfer', 'delivery',
   'mail', 'pause', 'wallet', 'notice', 'month', 'payout_address', 'payout_schedule', 'payout_rate', 'old_record'));

-- Sessions added up by store and UTC day of creation, so that the overview reads hundreds of rows where it read every session
-- (lib/payments/totals/roll-up). A day is added up an hour after its end. A change of a session of an earlier day leaves a row in
-- session_total_changes, in the same transaction and without a lock that another one waits for; such a day is read from the sessions until
-- the worker has added it up again.

CREATE TABLE "session_totals" (
    "environment" "Environment" NOT NULL,
    "store_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "status" "SessionStatus" NOT NULL,
    -- What was paid in; both empty while nothing completed it.
    "network" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "count" BIGINT NOT NULL,
    "amount_due" BIGINT NOT NULL,
    "amount_refunded" BIGINT NOT NULL,

    CONSTRAINT "session_totals_pkey" PRIMARY KEY ("store_id", "environment", "day", "status", "network", "currency")
);

-- How far a day is added up: the stores up to this id; all of them once it is done.
CREATE TABLE "session_total_days" (
    "environment" "Environment" NOT NULL,
    "day" DATE NOT NULL,
    "through_store" TEXT NOT NULL DEFAULT '',
    "is_done" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "session_total_days_pkey" PRIMARY KEY ("environment", "day")
);

CREATE TABLE "session_total_changes" (
    "id" BIGSERIAL NOT NULL,
    "environment" "Environment" NOT NULL,
    "store_id" TEXT NOT NULL,
    "day" DATE NOT NULL,

    CONSTRAINT "session_total_changes_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "session_total_changes_environment_day_store_id_idx" ON "session_total_changes"("environment", "day", "store_id");

-- With the owner's rights: a process that may change a session needs no other right, also before its role is granted anew after this migration.
CREATE FUNCTION "session_total_changed"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO "session_total_changes" ("environment", "store_id", "day")
  VALUES (NEW."environment", NEW."store_id", (NEW."created_at" AT TIME ZONE 'UTC')::date);
  IF TG_OP = 'UPDATE' AND (OLD."created_at" AT TIME ZONE 'UTC')::date <> (NEW."created_at" AT TIME ZONE 'UTC')::date THEN
    INSERT INTO "session_total_changes" ("environment", "store_id", "day")
    VALUES (OLD."environment", OLD."store_id", (OLD."created_at" AT TIME ZONE 'UTC')::date);
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER "session_total_changed" AFTER UPDATE ON "sessions" FOR EACH ROW
  WHEN (NEW."created_at" < date_trunc('day', now(), 'UTC')
    AND (OLD."status", OLD."created_at", OLD."amount_due", OLD."amount_refunded", OLD."completed_network", OLD."completed_currency")
      IS DISTINCT FROM
        (NEW."status", NEW."created_at", NEW."amount_due", NEW."amount_refunded", NEW."completed_network", NEW."completed_currency"))
  EXECUTE FUNCTION "session_total_changed"();

CREATE TRIGGER "session_total_added" AFTER INSERT ON "sessions" FOR EACH ROW
  WHEN (NEW."created_at" < date_trunc('day', now(), 'UTC'))
  EXECUTE FUNCTION "session_total_changed"();

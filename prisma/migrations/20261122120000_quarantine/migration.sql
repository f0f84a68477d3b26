-- Rows of one session, store, refund or address on which a step of the worker fails: the step goes on without them and tries
-- them again by themselves (lib/quarantine).
-- CreateTable
CREATE TABLE "quarantine" (
    "id" BIGSERIAL NOT NULL,
    "kind" TEXT NOT NULL,
    "subject_id" TEXT NOT NULL,
    "store_id" TEXT,
    "environment" "Environment",
    "network" TEXT,
    "session_id" TEXT,
    "step" TEXT NOT NULL,
    "error" TEXT NOT NULL,
    "facts" JSON,
    "attempts" INTEGER NOT NULL,
    "epoch" INTEGER NOT NULL DEFAULT 1,
    "first_at" TIMESTAMPTZ(3) NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,
    "next_run_at" TIMESTAMPTZ(3) NOT NULL,
    "alarmed_at" TIMESTAMPTZ(3),
    "resolved_at" TIMESTAMPTZ(3),

    CONSTRAINT "quarantine_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "quarantine_kind_subject_id_key" ON "quarantine"("kind", "subject_id");


-- Beyond Prisma's schema language.
ALTER TABLE "quarantine" ADD CONSTRAINT "quarantine_kind" CHECK ("kind" IN
  ('session', 'transfer', 'sighting', 'account', 'address', 'refund', 'delivery', 'mail', 'pause'));
-- Work queue: only what is still to be done is indexed.
CREATE INDEX "quarantine_open" ON "quarantine" ("kind", "next_run_at") WHERE "resolved_at" IS NULL;
CREATE INDEX "quarantine_of_session" ON "quarantine" ("session_id") WHERE "resolved_at" IS NULL AND "session_id" IS NOT NULL;

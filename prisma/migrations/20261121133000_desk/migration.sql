-- The operator's desk: refunds that need two operators, the freeze switch, what the signer last said, steps of the worker that
-- fail, and what stores with a daily limit have asked for.
-- CreateTable
CREATE TABLE "approval_needs" (
    "refund" TEXT NOT NULL,
    "digest" BYTEA NOT NULL,
    "details" JSON NOT NULL,
    "noted_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "approval_needs_pkey" PRIMARY KEY ("refund")
);

-- CreateTable
CREATE TABLE "freeze_requests" (
    "id" BIGSERIAL NOT NULL,
    "reason" TEXT NOT NULL,
    "asked_by" TEXT NOT NULL,
    "asked_at" TIMESTAMPTZ(3) NOT NULL,
    "carried_out_at" TIMESTAMPTZ(3),
    "trouble" TEXT,

    CONSTRAINT "freeze_requests_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "signer_states" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "is_frozen" BOOLEAN,
    "reason" TEXT,
    "read_at" TIMESTAMPTZ(3),
    "trouble" TEXT,
    "checked_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "signer_states_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "step_failures" (
    "step" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "failures" INTEGER NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "step_failures_pkey" PRIMARY KEY ("step")
);

-- CreateTable
CREATE TABLE "session_days" (
    "store_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "day" DATE NOT NULL,
    "amount" BIGINT NOT NULL,

    CONSTRAINT "session_days_pkey" PRIMARY KEY ("store_id","environment","day")
);

-- CreateIndex
CREATE INDEX "stores_status_created_at_id_idx" ON "stores"("status", "created_at", "id");

-- CreateIndex
CREATE INDEX "users_created_at_id_idx" ON "users"("created_at", "id");


-- Beyond Prisma's schema language: checks and partial indexes.
ALTER TABLE "signer_states" ADD CONSTRAINT "signer_states_one" CHECK ("id" = 1);
ALTER TABLE "session_days" ADD CONSTRAINT "session_days_amount" CHECK ("amount" >= 0);
CREATE INDEX "freeze_requests_open" ON "freeze_requests" ("id") WHERE "carried_out_at" IS NULL;
CREATE INDEX "refunds_held" ON "refunds" ("hold", "id") WHERE "hold" IS NOT NULL AND "status" = 'processing';
CREATE INDEX "deliveries_failed_newest" ON "deliveries" ("id") WHERE "status" = 'failed';
CREATE INDEX "mails_failed" ON "mails" ("id") WHERE "failed_at" IS NOT NULL;
CREATE INDEX "cases_open_of_all" ON "payment_cases" ("id") WHERE "state" = 'open';

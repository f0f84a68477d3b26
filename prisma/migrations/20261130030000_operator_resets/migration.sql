-- Resets of an operator's sign-in that the server's administrator requested: they wait, and every operator may cancel one meanwhile.
CREATE TABLE "operator_resets" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "requested_at" TIMESTAMPTZ(3) NOT NULL,
    "ready_at" TIMESTAMPTZ(3) NOT NULL,
    "lapses_at" TIMESTAMPTZ(3) NOT NULL,
    "canceled_at" TIMESTAMPTZ(3),
    "canceled_by" TEXT,
    "completed_at" TIMESTAMPTZ(3),

    CONSTRAINT "operator_resets_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "operator_resets_times" CHECK ("ready_at" > "requested_at" AND "lapses_at" > "ready_at"),
    CONSTRAINT "operator_resets_waited" CHECK ("completed_at" >= "ready_at"),
    CONSTRAINT "operator_resets_one_outcome" CHECK ("canceled_at" IS NULL OR "completed_at" IS NULL)
);

-- One at a time for an operator.
CREATE UNIQUE INDEX "operator_resets_open" ON "operator_resets"("user_id") WHERE "canceled_at" IS NULL AND "completed_at" IS NULL;

ALTER TABLE "operator_resets" ADD CONSTRAINT "operator_resets_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Energy that was rented for deposit addresses on TRON. A row is stored before its order is placed.

CREATE TABLE "energy_rentals" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "chain_id" INTEGER NOT NULL,
    "address" TEXT NOT NULL,
    "energy" BIGINT NOT NULL,
    -- Sun: what the market asked for at most, and from its answer on what it took.
    "cost" BIGINT NOT NULL,
    "ordered_at" TIMESTAMPTZ(3) NOT NULL,
    -- When the market confirmed the order.
    "placed_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "outcome" TEXT,

    CONSTRAINT "energy_rentals_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "energy_rentals_energy" CHECK ("energy" > 0),
    CONSTRAINT "energy_rentals_cost" CHECK ("cost" >= 0),
    CONSTRAINT "energy_rentals_outcome" CHECK ("outcome" IN ('arrived', 'missing', 'refused')),
    CONSTRAINT "energy_rentals_ended" CHECK (("ended_at" IS NULL) = ("outcome" IS NULL))
);
CREATE UNIQUE INDEX "energy_rentals_open" ON "energy_rentals" ("chain_id", "address") WHERE "ended_at" IS NULL;
CREATE INDEX "energy_rentals_chain_id_address_ordered_at_idx" ON "energy_rentals" ("chain_id", "address", "ordered_at");
CREATE INDEX "energy_rentals_chain_id_ordered_at_idx" ON "energy_rentals" ("chain_id", "ordered_at");

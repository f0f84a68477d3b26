-- Screening: the addresses that are screened and what the sources answered, the operator's sanctions list, and the state of the HTTP hook.

CREATE TABLE "screenings" (
    "id" BIGSERIAL PRIMARY KEY,
    "environment" "Environment" NOT NULL,
    "network" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    -- The transaction that a sender is screened for; empty for a payee.
    "transaction_hash" TEXT NOT NULL DEFAULT '',
    "verdict" TEXT NOT NULL DEFAULT 'unknown',
    -- Of a hit: the sources that reported it, and what they call the owner. Of an unknown answer: why.
    "source" TEXT,
    "entity" TEXT,
    "reason" TEXT,
    "requested_at" TIMESTAMPTZ(3) NOT NULL,
    "checked_at" TIMESTAMPTZ(3),
    -- When the worker asks the sources next; null while there is nothing to ask.
    "next_at" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "epoch" INTEGER NOT NULL DEFAULT 0,
    "released_at" TIMESTAMPTZ(3),
    "released_by" UUID,

    CONSTRAINT "screenings_role" CHECK ("role" IN ('sender', 'payee')),
    CONSTRAINT "screenings_verdict" CHECK ("verdict" IN ('clear', 'hit', 'unknown')),
    CONSTRAINT "screenings_transaction" CHECK (("role" = 'payee') = ("transaction_hash" = '')),
    CONSTRAINT "screenings_source" CHECK (("verdict" = 'hit') = ("source" IS NOT NULL AND "entity" IS NOT NULL)),
    CONSTRAINT "screenings_released" CHECK ("released_at" IS NULL OR "verdict" = 'hit'),
    CONSTRAINT "screenings_next" CHECK (("verdict" = 'unknown') = ("next_at" IS NOT NULL))
);
CREATE UNIQUE INDEX "screenings_subject" ON "screenings" ("environment", "network", "address", "role", "transaction_hash");
CREATE INDEX "screenings_address_idx" ON "screenings" ("address");
CREATE INDEX "screenings_due" ON "screenings" ("environment", "network", ("role" = 'sender'), "next_at", "id") WHERE "next_at" IS NOT NULL;
CREATE INDEX "screenings_hits" ON "screenings" ("id") WHERE "verdict" = 'hit' AND "released_at" IS NULL;

CREATE TABLE "sanctions_lists" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "as_of" TIMESTAMPTZ(0) NOT NULL,
    "loaded_at" TIMESTAMPTZ(3) NOT NULL,
    -- SHA-256 of the signed file.
    "digest" BYTEA NOT NULL,

    CONSTRAINT "sanctions_lists_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "sanctions_lists_one" CHECK ("id" = 1)
);

CREATE TABLE "sanctioned_addresses" (
    "family" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "entity" TEXT NOT NULL,

    CONSTRAINT "sanctioned_addresses_pkey" PRIMARY KEY ("family", "address")
);

CREATE TABLE "screening_hooks" (
    "environment" "Environment" NOT NULL,
    -- Failures in a row, and when the next request may go.
    "failures" INTEGER NOT NULL DEFAULT 0,
    "next_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "screening_hooks_pkey" PRIMARY KEY ("environment")
);

-- Conversion: sources and observations of exchange rates, a store's spread, and the rate that a session was priced with.
-- AlterTable
ALTER TABLE "stores" ADD COLUMN     "spread_basis_points" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "sessions" ADD COLUMN     "exchange_rate" TEXT,
ADD COLUMN     "rate_basis" JSON;

-- CreateTable
CREATE TABLE "rate_sources" (
    "source" TEXT NOT NULL,
    "next_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "epoch" INTEGER NOT NULL DEFAULT 0,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "answered_at" TIMESTAMPTZ(3),
    "trouble" TEXT,

    CONSTRAINT "rate_sources_pkey" PRIMARY KEY ("source")
);

-- CreateTable
CREATE TABLE "rate_observations" (
    "currency" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "price" TEXT NOT NULL,
    "per" TEXT NOT NULL,
    "source_time" TIMESTAMPTZ(3) NOT NULL,
    "fetched_at" TIMESTAMPTZ(3) NOT NULL,
    "held_price" TEXT,
    "held_since" TIMESTAMPTZ(3),

    CONSTRAINT "rate_observations_pkey" PRIMARY KEY ("currency","source")
);

-- A spread never makes a price smaller, and never by more than ten percent larger.
ALTER TABLE "stores" ADD CONSTRAINT "stores_spread" CHECK ("spread_basis_points" BETWEEN 0 AND 1000);

-- A converted session is paid in one token, and its rate is known with what it was made of; the rate is an exact decimal.
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_conversion"
  CHECK (("exchange_rate" IS NULL) = ("rate_basis" IS NULL) AND ("exchange_rate" IS NULL
    OR ("exchange_rate" ~ '^[0-9]+(\.[0-9]+)?$' AND cardinality("currencies") = 1 AND "currency" NOT IN ('USD', 'USDT', 'USDC'))));

-- The rate and the price of a session never change (hardening INV-9).
CREATE FUNCTION "keep_session_price"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the price of session % is locked', OLD."id";
END $$;
CREATE TRIGGER "sessions_price_is_locked" BEFORE UPDATE OF "exchange_rate", "amount_due", "amount_total", "currency", "currencies" ON "sessions"
  FOR EACH ROW WHEN (NEW."exchange_rate" IS DISTINCT FROM OLD."exchange_rate" OR NEW."amount_due" <> OLD."amount_due"
    OR NEW."amount_total" <> OLD."amount_total" OR NEW."currency" <> OLD."currency" OR NEW."currencies" <> OLD."currencies")
  EXECUTE FUNCTION "keep_session_price"();

ALTER TABLE "rate_observations" ADD CONSTRAINT "rate_observations_price" CHECK ("price" ~ '^[0-9]+(\.[0-9]+)?$');
ALTER TABLE "rate_observations" ADD CONSTRAINT "rate_observations_per" CHECK ("per" IN ('unit', 'dollar'));
ALTER TABLE "rate_observations" ADD CONSTRAINT "rate_observations_held"
  CHECK (("held_price" IS NULL) = ("held_since" IS NULL));

-- What the operator charges for payouts: for all stores, and for single ones. A rate is never changed; a newer one replaces it. A payout
-- keeps the rate that it was requested under, and what it costs.

CREATE TABLE "payout_rates" (
    "id" BIGSERIAL NOT NULL,
    -- Null: for every store without a rate of its own.
    "store_id" TEXT,
    -- Null together: the store goes back to the rate of all stores.
    "basis_points" INTEGER,
    "fixed" BIGINT,
    "minimum" BIGINT,
    -- Cents by network. The operator pays the network cost of the others.
    "network_costs" JSONB,
    "starts_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "created_by" TEXT NOT NULL,

    CONSTRAINT "payout_rates_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "payout_rates_store_id_fkey" FOREIGN KEY ("store_id") REFERENCES "stores"("id") ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT "payout_rates_whole" CHECK (num_nulls("basis_points", "fixed", "minimum", "network_costs") = 0
      OR (num_nonnulls("basis_points", "fixed", "minimum", "network_costs") = 0 AND "store_id" IS NOT NULL)),
    CONSTRAINT "payout_rates_amounts" CHECK ("basis_points" BETWEEN 0 AND 1000 AND "fixed" BETWEEN 0 AND 10000
      AND "minimum" BETWEEN 0 AND 10000),
    CONSTRAINT "payout_rates_starts" CHECK ("starts_at" >= "created_at")
);
CREATE INDEX "payout_rates_of_store" ON "payout_rates" ("store_id", "id" DESC);
CREATE TRIGGER "payout_rates_append_only" BEFORE UPDATE OR DELETE ON "payout_rates" FOR EACH ROW
  EXECUTE FUNCTION "facts_are_append_only"();
CREATE TRIGGER "payout_rates_not_truncated" BEFORE TRUNCATE ON "payout_rates" EXECUTE FUNCTION "facts_are_append_only"();

-- Cents that the store pays beside the amount. A constant default rewrites no row.
ALTER TABLE "payouts" ADD COLUMN "fee" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "network_cost" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "rate_id" BIGINT;
ALTER TABLE "payouts" ADD CONSTRAINT "payouts_costs" CHECK ("fee" >= 0 AND "network_cost" >= 0
  AND ("rate_id" IS NOT NULL OR ("fee" = 0 AND "network_cost" = 0))) NOT VALID;
ALTER TABLE "payouts" VALIDATE CONSTRAINT "payouts_costs";
ALTER TABLE "payouts" ADD CONSTRAINT "payouts_rate_id_fkey" FOREIGN KEY ("rate_id") REFERENCES "payout_rates"("id")
  ON DELETE RESTRICT ON UPDATE CASCADE NOT VALID;
ALTER TABLE "payouts" VALIDATE CONSTRAINT "payouts_rate_id_fkey";
-- What a payout costs its store is part of what was requested.
CREATE TRIGGER "payouts_keep_costs" BEFORE UPDATE ON "payouts" FOR EACH ROW
  WHEN ((OLD."fee", OLD."network_cost", OLD."rate_id") IS DISTINCT FROM (NEW."fee", NEW."network_cost", NEW."rate_id"))
  EXECUTE FUNCTION "facts_are_append_only"();

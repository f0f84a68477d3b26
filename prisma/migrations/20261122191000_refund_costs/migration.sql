-- The network cost of a refund: who bears it, the most that it may come to, and what was charged (docs/operate.md, What refunds cost).
-- AlterTable
ALTER TABLE "refunds" ADD COLUMN     "cost_bearer" TEXT,
ADD COLUMN     "cost_charged" BIGINT,
ADD COLUMN     "cost_price" DECIMAL(38,18),
ADD COLUMN     "cost_quoted" BIGINT,
ADD COLUMN     "cost_short" BIGINT,
ADD COLUMN     "cost_short_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "refund_attempts" ADD COLUMN     "fee" DECIMAL(78,0),
ADD COLUMN     "rent" DECIMAL(78,0);

-- CreateTable
CREATE TABLE "coin_prices" (
    "coin" TEXT NOT NULL,
    "price" DECIMAL(38,18) NOT NULL,
    "agreed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "coin_prices_pkey" PRIMARY KEY ("coin")
);

ALTER TABLE "coin_prices" ADD CONSTRAINT "coin_prices_positive" CHECK ("price" > 0);
ALTER TABLE "refund_attempts"
  ADD CONSTRAINT "refund_attempts_fee" CHECK ("fee" IS NULL OR "fee" >= 0),
  ADD CONSTRAINT "refund_attempts_rent" CHECK ("rent" IS NULL OR "rent" > 0);
ALTER TABLE "refunds"
  ADD CONSTRAINT "refunds_cost_bearer" CHECK ("cost_bearer" IN ('store', 'operator', 'operator_no_price')),
  -- Only a store's cost is quoted. It is charged once at most, and never above the quote.
  ADD CONSTRAINT "refunds_cost_quoted" CHECK (("cost_bearer" IS NOT DISTINCT FROM 'store') = ("cost_quoted" IS NOT NULL)
    AND ("cost_quoted" IS NULL) = ("cost_price" IS NULL) AND ("cost_quoted" IS NULL OR "cost_quoted" > 0)),
  ADD CONSTRAINT "refunds_cost_short" CHECK (("cost_short" IS NULL) = ("cost_short_at" IS NULL)),
  ADD CONSTRAINT "refunds_cost_charged" CHECK ("cost_charged" IS NULL OR ("cost_quoted" IS NOT NULL AND "cost_charged" BETWEEN 0 AND "cost_quoted"));
-- Once quoted, a cost stays as it is; so does what was charged.
CREATE TRIGGER "refunds_keep_costs" BEFORE UPDATE ON "refunds"
  FOR EACH ROW WHEN ((OLD."cost_bearer" IS NOT NULL
      AND (OLD."cost_bearer", OLD."cost_quoted", OLD."cost_price") IS DISTINCT FROM (NEW."cost_bearer", NEW."cost_quoted", NEW."cost_price"))
    OR (OLD."cost_charged" IS NOT NULL AND OLD."cost_charged" IS DISTINCT FROM NEW."cost_charged"))
  EXECUTE FUNCTION "refunds_keep"();
-- Finds the refunds that opened a token account for one payee.
CREATE INDEX "refunds_to_payee" ON "refunds" ("destination", "currency") WHERE "network" = 'solana' AND "destination" IS NOT NULL;

-- A signed cold return that can no longer land, and of which the endpoints cannot say what became of it, ends when an operator gives it up.
ALTER TABLE "cold_returns" DROP CONSTRAINT "cold_returns_outcome";
ALTER TABLE "cold_returns" ADD CONSTRAINT "cold_returns_outcome" CHECK (CASE WHEN "signed_at" IS NULL
  THEN "outcome" = 'superseded' OR ("account" IS NOT NULL AND "outcome" IN ('landed', 'lapsed'))
  ELSE "outcome" IN ('landed', 'reverted', 'lapsed', 'given_up') END) NOT VALID;
ALTER TABLE "cold_returns" VALIDATE CONSTRAINT "cold_returns_outcome";

-- A session stores the pairs of network and token that it offers (`bsc-USDT`). Nothing else counts without a decision.
-- AlterTable
ALTER TABLE "sessions" ADD COLUMN     "offered_pairs" TEXT[];


-- The pairs of a session whose creator named none: a web process of the former release, or a session from before. USDC on TRON is
-- not redeemed by anybody and was offered only where the operator said so, so it is none of them on the main network.
CREATE FUNCTION "sessions_pairs_of"(environment "Environment", networks text[], currencies text[], accepts_other boolean)
RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(array_agg(network || '-' || currency ORDER BY network, currency), '{}')
  FROM unnest(networks) AS network, unnest(CASE WHEN accepts_other THEN ARRAY['USDC', 'USDT'] ELSE currencies END) AS currency
  WHERE NOT (environment = 'live' AND network = 'tron' AND currency = 'USDC')
$$;
CREATE FUNCTION "sessions_fill_pairs"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."offered_pairs" := "sessions_pairs_of"(NEW."environment", NEW."networks", NEW."currencies", NEW."accepts_other_token");
  RETURN NEW;
END $$;
CREATE TRIGGER "sessions_fill_pairs" BEFORE INSERT ON "sessions"
  FOR EACH ROW WHEN (NEW."offered_pairs" IS NULL) EXECUTE FUNCTION "sessions_fill_pairs"();

-- What has counted goes on counting: a pair in which something arrived and was not objected to was offered then.
UPDATE "sessions" s SET "offered_pairs" =
  "sessions_pairs_of"(s."environment", s."networks", s."currencies", s."accepts_other_token") || ARRAY(
    SELECT DISTINCT t."network" || '-' || t."currency" FROM "transfers" t
    WHERE s."environment" = 'live' AND t."session_id" = s."id" AND t."network" = 'tron' AND t."currency" = 'USDC'
      AND 'tron' = ANY (s."networks") AND (s."accepts_other_token" OR 'USDC' = ANY (s."currencies"))
      AND NOT EXISTS (SELECT FROM "payment_cases" c WHERE c."transfer_id" = t."id" AND c."kind" <> 'over'));
CREATE TRIGGER "sessions_pairs_are_locked" BEFORE UPDATE OF "offered_pairs" ON "sessions"
  FOR EACH ROW WHEN (NEW."offered_pairs" IS DISTINCT FROM OLD."offered_pairs") EXECUTE FUNCTION "keep_session_price"();

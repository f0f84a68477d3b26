-- Only completed sessions make money available. What belongs to sessions that are not completed, and every surplus that nobody
-- has decided about, moves from `store` to `unresolved`. The exchange account ends: what it holds and owes is the operator's.
-- AlterTable
ALTER TABLE "payment_cases" ADD COLUMN     "counted" DECIMAL(78,0) NOT NULL DEFAULT 0;


DROP TRIGGER "payment_cases_keep_decisions" ON "payment_cases";

-- Accepted surpluses were kept; other accepted payments counted whole if their session was completed.
UPDATE "payment_cases" SET "state" = 'kept' WHERE "kind" = 'over' AND "state" = 'accepted';
UPDATE "payment_cases" c SET "counted" = c."amount" FROM "sessions" s
  WHERE s."id" = c."session_id" AND s."status" = 'completed' AND c."state" = 'accepted';

-- What was counted or moved by a decision stays so. An accepted payment of a session that is not completed can still go back.
ALTER TABLE "payment_cases" ADD CONSTRAINT "payment_cases_counted"
  CHECK ("counted" BETWEEN 0 AND "amount" AND ("counted" = 0 OR "kind" <> 'over'));
CREATE TRIGGER "payment_cases_keep_decisions" BEFORE UPDATE ON "payment_cases"
  FOR EACH ROW WHEN (
    ((OLD."state" IN ('refund', 'kept') OR (OLD."state" = 'accepted' AND OLD."counted" > 0)) AND NEW IS DISTINCT FROM OLD)
    OR (OLD."counted" > 0 AND NEW."counted" IS DISTINCT FROM OLD."counted"))
  EXECUTE FUNCTION "payment_cases_keep"();

-- A store whose partial payments were spent by refunds in another token gets them back from the operator, at par, for its
-- claims in its other tokens and networks. That is what those refunds should have been: conversions.
DO $$
DECLARE
  move record;
  other record;
  short numeric;
  taken numeric;
  entry bigint;
BEGIN
  FOR move IN
    WITH owned AS (
      SELECT e."transfer_id", -sum(p."amount") AS "amount"
      FROM "ledger_entries" e JOIN "ledger_postings" p ON p."entry_id" = e."id" AND p."account" LIKE 'store:%'
      WHERE e."transfer_id" IS NOT NULL GROUP BY 1)
    SELECT t."id", s."store_id", s."environment", s."id" AS "session_id", t."network", t."currency", t."decimals",
      CASE WHEN s."status" = 'completed' THEN c."amount" ELSE o."amount" END AS "amount"
    FROM "transfers" t JOIN "sessions" s ON s."id" = t."session_id" JOIN owned o ON o."transfer_id" = t."id"
      LEFT JOIN "payment_cases" c ON c."transfer_id" = t."id" AND c."kind" = 'over' AND c."state" IN ('open', 'left')
    WHERE CASE WHEN s."status" = 'completed' THEN c."amount" ELSE o."amount" END > 0
    ORDER BY t."id"
  LOOP
    SELECT move."amount" + coalesce(sum(b."amount"), 0) INTO short FROM "ledger_balances" b
      WHERE b."environment" = move."environment" AND b."account" = 'store:' || move."store_id"
        AND b."network" = move."network" AND b."currency" = move."currency";
    IF short > 0 THEN
      INSERT INTO "ledger_entries" ("kind", "store_id", "environment") VALUES ('converted', move."store_id", move."environment")
        RETURNING "id" INTO entry;
      INSERT INTO "ledger_postings" ("entry_id", "account", "network", "currency", "amount") VALUES
        (entry, 'operator', move."network", move."currency", short),
        (entry, 'store:' || move."store_id", move."network", move."currency", -short);
      -- At eighteen decimals from here on; rounding down leaves less than a base unit with the store.
      short := short * power(10::numeric, 18 - move."decimals");
      FOR other IN
        SELECT b."network", b."currency", -b."amount" AS "amount",
          (SELECT t."decimals" FROM "transfers" t WHERE t."network" = b."network" AND t."currency" = b."currency" LIMIT 1) AS "decimals"
        FROM "ledger_balances" b
        WHERE b."environment" = move."environment" AND b."account" = 'store:' || move."store_id" AND b."amount" < 0
          AND (b."network", b."currency") <> (move."network", move."currency")
        ORDER BY b."network" <> move."network", b."amount"
      LOOP
        taken := least(other."amount", trunc(short / power(10::numeric, 18 - coalesce(other."decimals", 6))));
        CONTINUE WHEN taken <= 0;
        INSERT INTO "ledger_postings" ("entry_id", "account", "network", "currency", "amount") VALUES
          (entry, 'store:' || move."store_id", other."network", other."currency", taken),
          (entry, 'operator', other."network", other."currency", -taken);
        short := short - taken * power(10::numeric, 18 - coalesce(other."decimals", 6));
      END LOOP;
    END IF;
    INSERT INTO "ledger_entries" ("kind", "store_id", "environment", "session_id", "transfer_id")
      VALUES ('unresolved', move."store_id", move."environment", move."session_id", move."id") RETURNING "id" INTO entry;
    INSERT INTO "ledger_postings" ("entry_id", "account", "network", "currency", "amount") VALUES
      (entry, 'store:' || move."store_id", move."network", move."currency", move."amount"),
      (entry, 'unresolved:' || move."store_id", move."network", move."currency", -move."amount");
  END LOOP;
END $$;

-- The operator's money made up for every exchange, so the operator's account takes its balances over.
WITH entry AS (
  INSERT INTO "ledger_entries" ("kind", "environment")
    SELECT DISTINCT 'exchange_ended', "environment" FROM "ledger_balances" WHERE "account" = 'exchange' AND "amount" <> 0
    RETURNING "id", "environment")
INSERT INTO "ledger_postings" ("entry_id", "account", "network", "currency", "amount")
  SELECT entry."id", line."account", b."network", b."currency", line."amount"
  FROM entry JOIN "ledger_balances" b ON b."environment" = entry."environment" AND b."account" = 'exchange' AND b."amount" <> 0,
    LATERAL (VALUES ('exchange', -b."amount"), ('operator', b."amount")) AS line ("account", "amount");

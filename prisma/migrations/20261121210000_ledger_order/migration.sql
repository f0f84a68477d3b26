-- Balances are made and locked one after the other in one order, so that of two entries one waits for the other, and never both:
-- also not while an account has its first posting, which a row made beside the order could hold up. A store's own accounts come
-- first, because a refund locks what its store has before it knows what it takes (lib/ledger/post-refund.ts); those that all
-- stores share come last and are held the shortest. (A transaction of several entries can still lose a deadlock, and so can a
-- process of the former release beside one of this; both are tried again.) An upsert would not do: it checks the row that it
-- would insert, which for a debit is more than the account can owe.
CREATE OR REPLACE FUNCTION "ledger_balances_follow"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  line record;
BEGIN
  FOR line IN
    SELECT e."environment", p."account", p."network", p."currency", sum(p."amount") AS "amount"
    FROM "posted" p JOIN "ledger_entries" e ON e."id" = p."entry_id" GROUP BY 1, 2, 3, 4
    ORDER BY array_position(ARRAY['store', 'unresolved', 'refund'], split_part(p."account", ':', 1)), 1, 2, 3, 4
  LOOP
    LOOP
      UPDATE "ledger_balances" b SET "amount" = b."amount" + line."amount"
        WHERE (b."environment", b."account", b."network", b."currency")
          = (line."environment", line."account", line."network", line."currency");
      EXIT WHEN FOUND;
      INSERT INTO "ledger_balances" ("environment", "account", "network", "currency", "amount")
        VALUES (line."environment", line."account", line."network", line."currency", 0) ON CONFLICT DO NOTHING;
    END LOOP;
  END LOOP;
  RETURN NULL;
END $$;

-- Payments that counted for nothing before there were cases: nothing settles their sessions again, so they get theirs here.
INSERT INTO "payment_cases" ("store_id", "environment", "session_id", "transfer_id", "kind", "amount")
SELECT s."store_id", s."environment", s."id", t."id",
  CASE WHEN t."network" <> ALL (s."networks") THEN 'wrong_network'
       WHEN t."currency" <> ALL (s."currencies") AND NOT s."accepts_other_token" THEN 'wrong_token'
       ELSE 'late' END,
  t."amount"
FROM "ledger_entries" e
JOIN "ledger_postings" p ON p."entry_id" = e."id" AND p."account" LIKE 'unresolved:%'
JOIN "transfers" t ON t."id" = e."transfer_id"
JOIN "sessions" s ON s."id" = t."session_id"
WHERE e."kind" = 'transfer'
ORDER BY t."id"
ON CONFLICT ("transfer_id") DO NOTHING;

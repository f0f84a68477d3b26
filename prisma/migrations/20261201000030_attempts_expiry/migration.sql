-- The latest expiration of a signed payment on TRON, for the same check. The other networks' attempts have none.
CREATE INDEX CONCURRENTLY "refund_attempts_expiry" ON "refund_attempts" ("chain_id", (("validity"->>'expiresAt')::numeric))
  WHERE "hash" IS NOT NULL;

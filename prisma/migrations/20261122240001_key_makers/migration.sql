-- Who made an API key, so that it can be revoked when they leave the store.
-- AlterTable
ALTER TABLE "api_keys" ADD COLUMN "created_by" UUID;

-- Keys from before: the audit log says who made or rolled them.
UPDATE "api_keys" k SET "created_by" = substring(e."actor" FROM 6)::uuid FROM "audit_entries" e
WHERE e."store_id" = k."store_id" AND e."actor" ~ '^user:[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$'
  AND ((e."action" = 'key.create' AND e."target" = k."id"::text)
    OR (e."action" = 'key.roll' AND e."details"->>'successor' = k."id"::text));

-- Who made an operator and when, so that nobody approves a payment with an operator of their own making; and mails of accounts
-- go out before invitations, which merchants write to addresses of their choice.
-- AlterTable
ALTER TABLE "users" ADD COLUMN "role_granted_by" UUID,
ADD COLUMN "role_granted_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "mails" ADD COLUMN "rank" INTEGER NOT NULL DEFAULT 0;

-- CreateIndex
CREATE INDEX "account_links_invited_by_idx" ON "account_links"("invited_by");


-- Beyond Prisma's schema language.

-- The operators there are: the audit log knows who made them. Those of the set-up link, or of the demo, nobody did.
UPDATE "users" u SET "role_granted_by" = substring(g."actor" FROM 6)::uuid, "role_granted_at" = g."at"
FROM (SELECT DISTINCT ON ("target") "target", "actor", "at" FROM "audit_entries"
      WHERE "action" = 'user.role' AND "details"->>'to' = 'operator' AND "actor" ~ '^user:[0-9a-f-]{36}$'
      ORDER BY "target", "number" DESC) g
WHERE u."id"::text = g."target" AND u."role" = 'operator';

-- Nobody becomes an operator without a time that it counts from, whichever release makes them one.
CREATE FUNCTION "note_operator_grant"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW."role" = 'operator' AND OLD."role" <> 'operator' AND NEW."role_granted_at" IS NULL THEN
    NEW."role_granted_at" := now();
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER "users_operator_granted" BEFORE UPDATE OF "role" ON "users"
  FOR EACH ROW EXECUTE FUNCTION "note_operator_grant"();
ALTER TABLE "users" ADD CONSTRAINT "users_role_granted" CHECK ("role_granted_by" IS NULL OR "role_granted_at" IS NOT NULL);
DROP INDEX "mails_waiting";
CREATE INDEX "mails_waiting" ON "mails" ("rank", "next_at", "id") WHERE "sent_at" IS NULL AND "failed_at" IS NULL;

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

ALTER TABLE "users" ADD CONSTRAINT "users_role_granted" CHECK (("role_granted_by" IS NULL) = ("role_granted_at" IS NULL));
DROP INDEX "mails_waiting";
CREATE INDEX "mails_waiting" ON "mails" ("rank", "next_at", "id") WHERE "sent_at" IS NULL AND "failed_at" IS NULL;

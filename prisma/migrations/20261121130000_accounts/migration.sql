-- Accounts: people, their devices and factors, members of stores, mails, the audit log, and what needs two operators.
-- CreateEnum
CREATE TYPE "MemberRole" AS ENUM ('owner', 'developer', 'support', 'viewer');

-- AlterTable
ALTER TABLE "api_keys" ADD COLUMN     "last_used_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "stores" ADD COLUMN     "day_limit" BIGINT,
ADD COLUMN     "decided_at" TIMESTAMPTZ(3),
ADD COLUMN     "description" TEXT,
ADD COLUMN     "networks" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "session_limit" BIGINT,
ADD COLUMN     "support_contact" TEXT,
ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "email_confirmed_at" TIMESTAMPTZ(3),
ADD COLUMN     "locale" TEXT,
ADD COLUMN     "name" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "password_changed_at" TIMESTAMPTZ(3),
ADD COLUMN     "totp_ciphertext" BYTEA,
ADD COLUMN     "totp_confirmed_at" TIMESTAMPTZ(3),
ADD COLUMN     "totp_last_step" BIGINT;

-- CreateTable
CREATE TABLE "logins" (
    "id" UUID NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "user_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL,
    "second_factor_at" TIMESTAMPTZ(3),
    "step_up_at" TIMESTAMPTZ(3),
    "user_agent" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "logins_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "recovery_codes" (
    "id" SERIAL NOT NULL,
    "user_id" UUID NOT NULL,
    "code_hash" BYTEA NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "recovery_codes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "passkeys" (
    "id" TEXT NOT NULL,
    "user_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "public_key" BYTEA NOT NULL,
    "counter" BIGINT NOT NULL DEFAULT 0,
    "transports" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "passkeys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "account_links" (
    "token_hash" BYTEA NOT NULL,
    "purpose" TEXT NOT NULL,
    "user_id" UUID,
    "email" TEXT,
    "store_id" TEXT,
    "role" "MemberRole",
    "invited_by" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "account_links_pkey" PRIMARY KEY ("token_hash")
);

-- CreateTable
CREATE TABLE "members" (
    "store_id" TEXT NOT NULL,
    "user_id" UUID NOT NULL,
    "role" "MemberRole" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "members_pkey" PRIMARY KEY ("store_id","user_id")
);

-- CreateTable
CREATE TABLE "mails" (
    "id" BIGSERIAL NOT NULL,
    "recipient" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "next_at" TIMESTAMPTZ(3) NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "epoch" INTEGER NOT NULL DEFAULT 0,
    "sent_at" TIMESTAMPTZ(3),
    "failed_at" TIMESTAMPTZ(3),
    "trouble" TEXT,

    CONSTRAINT "mails_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "throttles" (
    "subject" TEXT NOT NULL,
    "failures" INTEGER NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "throttles_pkey" PRIMARY KEY ("subject")
);

-- CreateTable
CREATE TABLE "audit_entries" (
    "number" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "actor" TEXT NOT NULL,
    "store_id" TEXT,
    "action" TEXT NOT NULL,
    "target" TEXT NOT NULL,
    "details" JSON NOT NULL,
    "address" TEXT NOT NULL,
    "hash" BYTEA NOT NULL,

    CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("number")
);

-- CreateTable
CREATE TABLE "approvals" (
    "id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "target" TEXT NOT NULL,
    "digest" BYTEA NOT NULL,
    "details" JSON NOT NULL,
    "asked_by" UUID NOT NULL,
    "asked_at" TIMESTAMPTZ(3) NOT NULL,
    "decided_by" UUID,
    "decided_at" TIMESTAMPTZ(3),
    "is_approved" BOOLEAN,
    "note" TEXT,

    CONSTRAINT "approvals_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "logins_token_hash_key" ON "logins"("token_hash");

-- CreateIndex
CREATE INDEX "logins_user_id_idx" ON "logins"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "recovery_codes_user_id_code_hash_key" ON "recovery_codes"("user_id", "code_hash");

-- CreateIndex
CREATE INDEX "passkeys_user_id_idx" ON "passkeys"("user_id");

-- CreateIndex
CREATE INDEX "account_links_user_id_idx" ON "account_links"("user_id");

-- CreateIndex
CREATE INDEX "account_links_store_id_idx" ON "account_links"("store_id");

-- CreateIndex
CREATE INDEX "members_user_id_idx" ON "members"("user_id");

-- CreateIndex
CREATE INDEX "audit_entries_store_id_number_idx" ON "audit_entries"("store_id", "number");

-- CreateIndex
CREATE INDEX "audit_entries_actor_number_idx" ON "audit_entries"("actor", "number");

-- CreateIndex
CREATE INDEX "approvals_kind_target_idx" ON "approvals"("kind", "target");

-- AddForeignKey
ALTER TABLE "logins" ADD CONSTRAINT "logins_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "passkeys" ADD CONSTRAINT "passkeys_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "members" ADD CONSTRAINT "members_store_id_fkey" FOREIGN KEY ("store_id") REFERENCES "stores"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "members" ADD CONSTRAINT "members_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;


-- Beyond Prisma's schema language: checks, partial indexes and triggers.

-- Who owned a store before there were members.
INSERT INTO "members" ("store_id", "user_id", "role", "created_at") SELECT "id", "owner_id", 'owner', "created_at" FROM "stores";
UPDATE "users" SET "email_confirmed_at" = "created_at";

ALTER TABLE "account_links" ADD CONSTRAINT "account_links_purpose" CHECK ("purpose" IN ('confirm', 'reset', 'change_email', 'invite', 'setup'));
ALTER TABLE "account_links" ADD CONSTRAINT "account_links_invite" CHECK (("purpose" = 'invite') = ("store_id" IS NOT NULL) AND ("purpose" = 'invite') = ("role" IS NOT NULL));
ALTER TABLE "stores" ADD CONSTRAINT "stores_limits" CHECK ("session_limit" >= 0 AND "day_limit" >= 0);
CREATE INDEX "logins_alive" ON "logins" ("user_id", "last_seen_at") WHERE "ended_at" IS NULL;
CREATE INDEX "mails_waiting" ON "mails" ("next_at", "id") WHERE "sent_at" IS NULL AND "failed_at" IS NULL;
CREATE INDEX "stores_waiting" ON "stores" ("created_at", "id") WHERE "status" = 'pending';
CREATE UNIQUE INDEX "approvals_open" ON "approvals" ("kind", "target") WHERE "decided_at" IS NULL;
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_by_two" CHECK ("decided_by" IS DISTINCT FROM "asked_by" OR "is_approved" IS NOT TRUE);

CREATE TRIGGER "audit_entries_append_only" BEFORE UPDATE OR DELETE ON "audit_entries" FOR EACH ROW EXECUTE FUNCTION "facts_are_append_only"();
-- A store always has an owner: the last one can neither leave nor become something else.
CREATE FUNCTION "stores_keep_an_owner"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM "stores" WHERE "id" = OLD."store_id" FOR UPDATE;
  IF NOT EXISTS (SELECT 1 FROM "members" WHERE "store_id" = OLD."store_id" AND "role" = 'owner') THEN
    RAISE EXCEPTION 'store % needs an owner', OLD."store_id" USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER "stores_keep_an_owner" AFTER UPDATE OR DELETE ON "members"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD."role" = 'owner') EXECUTE FUNCTION "stores_keep_an_owner"();

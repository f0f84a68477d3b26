-- A password is set with the confirmation of the address; whoever signed up before sets one by the mailed link too.
-- AlterTable
ALTER TABLE "users" ALTER COLUMN "password_hash" DROP NOT NULL;
UPDATE "users" SET "password_hash" = NULL WHERE "email_confirmed_at" IS NULL AND "disabled_at" IS NULL;

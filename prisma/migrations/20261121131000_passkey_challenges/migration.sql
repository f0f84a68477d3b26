-- What a passkey is asked to sign, kept here until it did, and how far an authenticator's clock is from ours.
ALTER TABLE "users" ADD COLUMN "totp_drift" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "passkey_challenges" (
    "challenge_hash" BYTEA NOT NULL,
    "purpose" TEXT NOT NULL,
    "subject" UUID,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "passkey_challenges_pkey" PRIMARY KEY ("challenge_hash")
);

-- CreateIndex
CREATE INDEX "passkey_challenges_expires_at_idx" ON "passkey_challenges"("expires_at");


-- Beyond Prisma's schema language: checks.
ALTER TABLE "users" ADD CONSTRAINT "users_totp_drift" CHECK ("totp_drift" BETWEEN -1 AND 1);
ALTER TABLE "passkey_challenges" ADD CONSTRAINT "passkey_challenges_purpose" CHECK ("purpose" IN ('register', 'sign_in', 'prove') AND ("purpose" = 'sign_in') = ("subject" IS NULL));

-- Networks that are read by account: which addresses are looked at in every pass, and whose turn it is among all others.
-- AlterTable
ALTER TABLE "chains" ADD COLUMN     "owners_through" INTEGER NOT NULL DEFAULT -1;

-- CreateIndex
CREATE INDEX "sessions_environment_address_index_idx" ON "sessions"("environment", "address_index");



CREATE INDEX "sessions_closed" ON "sessions" ("environment", "closed_at") WHERE "closed_at" IS NOT NULL;

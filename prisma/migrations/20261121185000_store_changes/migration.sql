-- When an approved store last changed what customers know it by, and no operator has looked since.
-- AlterTable
ALTER TABLE "stores" ADD COLUMN "identity_changed_at" TIMESTAMPTZ(3);


-- Beyond Prisma's schema language.

CREATE INDEX "stores_identity_changed" ON "stores" ("created_at", "id") WHERE "identity_changed_at" IS NOT NULL;

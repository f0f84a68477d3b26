-- The channel by which a store's payments are created. The API is the only one today.
-- AlterTable
ALTER TABLE "stores" ADD COLUMN "channel_type" TEXT NOT NULL DEFAULT 'api';


-- Beyond Prisma's schema language.

ALTER TABLE "stores" ADD CONSTRAINT "stores_channel_type" CHECK ("channel_type" IN ('api'));

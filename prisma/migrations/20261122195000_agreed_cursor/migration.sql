-- The last final cursor that several endpoints agreed on. The watcher goes back to it when they abandon the final cursor.
-- AlterTable
ALTER TABLE "chains" ADD COLUMN     "agreed_hash" TEXT,
ADD COLUMN     "agreed_number" BIGINT,
ADD COLUMN     "agreed_time" TIMESTAMPTZ(0);

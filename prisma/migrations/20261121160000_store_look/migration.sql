-- How a store looks to its customers: what the hosted page shows of it, and which pages may hold that page in a frame.
-- CreateEnum
CREATE TYPE "StoreTheme" AS ENUM ('auto', 'light', 'dark');

-- CreateTable
CREATE TABLE "store_looks" (
    "store_id" TEXT NOT NULL,
    "display_name" TEXT,
    "brand_color" TEXT,
    "theme" "StoreTheme" NOT NULL DEFAULT 'auto',
    "support_contact" TEXT,
    "embed_origins" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "logo" BYTEA,
    "logo_type" TEXT,
    "logo_hash" TEXT,
    "logo_width" INTEGER,
    "logo_height" INTEGER,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "store_looks_pkey" PRIMARY KEY ("store_id")
);

-- CreateIndex
CREATE INDEX "store_looks_logo_hash_idx" ON "store_looks"("logo_hash");

-- AddForeignKey
ALTER TABLE "store_looks" ADD CONSTRAINT "store_looks_store_id_fkey" FOREIGN KEY ("store_id") REFERENCES "stores"("id") ON DELETE RESTRICT ON UPDATE CASCADE;


-- Beyond Prisma's schema language: what the page relies on when it writes these into a style sheet, a header and an image.
ALTER TABLE "store_looks" ADD CONSTRAINT "store_looks_brand_color" CHECK ("brand_color" ~ '^#[0-9a-f]{6}$');
ALTER TABLE "store_looks" ADD CONSTRAINT "store_looks_embed_origins"
  CHECK ("embed_origins" IS NOT NULL AND cardinality("embed_origins") <= 10);
ALTER TABLE "store_looks" ADD CONSTRAINT "store_looks_logo_size" CHECK (octet_length("logo") BETWEEN 1 AND 65536);
ALTER TABLE "store_looks" ADD CONSTRAINT "store_looks_logo_type" CHECK ("logo_type" IN ('image/png', 'image/jpeg', 'image/webp'));
ALTER TABLE "store_looks" ADD CONSTRAINT "store_looks_logo_whole"
  CHECK (num_nulls("logo", "logo_type", "logo_hash", "logo_width", "logo_height") IN (0, 5));

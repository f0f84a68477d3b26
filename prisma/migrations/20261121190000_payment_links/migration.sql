-- Payment links: prices that a merchant hands out as an address, and the sessions that customers made by them.
-- CreateTable
CREATE TABLE "payment_links" (
    "id" TEXT NOT NULL,
    "store_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "title" TEXT NOT NULL,
    "description" TEXT,
    "currency" TEXT NOT NULL,
    "amount" BIGINT,
    "least_amount" BIGINT,
    "most_amount" BIGINT,
    "most_paid" INTEGER,
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "payment_links_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "payment_link_sessions" (
    "session_id" TEXT NOT NULL,
    "link_id" TEXT NOT NULL,

    CONSTRAINT "payment_link_sessions_pkey" PRIMARY KEY ("session_id")
);

-- CreateIndex
CREATE INDEX "payment_links_store_id_environment_created_at_id_idx" ON "payment_links"("store_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "payment_link_sessions_link_id_idx" ON "payment_link_sessions"("link_id");

-- AddForeignKey
ALTER TABLE "payment_links" ADD CONSTRAINT "payment_links_store_id_fkey" FOREIGN KEY ("store_id") REFERENCES "stores"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "payment_link_sessions" ADD CONSTRAINT "payment_link_sessions_link_id_fkey" FOREIGN KEY ("link_id") REFERENCES "payment_links"("id") ON DELETE RESTRICT ON UPDATE CASCADE;


-- Beyond Prisma's schema language: a link has one price, or lets the customer say one within its limits; never both.
ALTER TABLE "payment_links" ADD CONSTRAINT "payment_links_one_price" CHECK (
  CASE WHEN "amount" IS NULL
    THEN coalesce("least_amount", 1) BETWEEN 1 AND coalesce("most_amount", 1000000000000000)
     AND coalesce("most_amount", 1) BETWEEN 1 AND 1000000000000000
    ELSE "amount" BETWEEN 1 AND 1000000000000000 AND num_nonnulls("least_amount", "most_amount") = 0 END);
ALTER TABLE "payment_links" ADD CONSTRAINT "payment_links_most_paid" CHECK ("most_paid" BETWEEN 1 AND 10000);

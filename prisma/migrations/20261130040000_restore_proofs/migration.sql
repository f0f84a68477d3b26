-- Each verification of a backup: it was restored into a scratch server, and its books and numbers were checked there.
CREATE TABLE "restore_proofs" (
    "id" SERIAL NOT NULL,
    "backup" TEXT NOT NULL,
    -- The last transaction that the archive had; null when the log did not say.
    "recovered_to" TIMESTAMPTZ(3),
    "checked_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "seconds" INTEGER NOT NULL,
    "database_bytes" BIGINT NOT NULL,
    -- What did not hold; empty when the backup is proven.
    "broken" TEXT[] NOT NULL,

    CONSTRAINT "restore_proofs_pkey" PRIMARY KEY ("id")
);

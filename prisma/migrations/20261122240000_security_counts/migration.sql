-- Refusals that could belong to an attack, counted per hour, kind and subject (lib/security-events).
-- CreateTable
CREATE TABLE "security_counts" (
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "kind" TEXT NOT NULL,
    "sort" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "count" BIGINT NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,
    "alarmed_at" TIMESTAMPTZ(3),

    CONSTRAINT "security_counts_pkey" PRIMARY KEY ("hour","kind","sort","subject")
);


-- Beyond Prisma's schema language.
ALTER TABLE "security_counts" ADD CONSTRAINT "security_counts_sort" CHECK ("sort" IN ('all', 'address', 'account', 'key', 'store'));

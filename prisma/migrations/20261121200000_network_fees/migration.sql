-- What customers are told that a payment costs them on each network, as its endpoints said last.
-- CreateTable
CREATE TABLE "network_fees" (
    "environment" "Environment" NOT NULL,
    "network" TEXT NOT NULL,
    "asked_at" TIMESTAMPTZ(3) NOT NULL,
    "amount" DECIMAL(39,0),
    "read_at" TIMESTAMPTZ(3),

    CONSTRAINT "network_fees_pkey" PRIMARY KEY ("environment", "network")
);

ALTER TABLE "network_fees" ADD CONSTRAINT "network_fees_read" CHECK (("amount" IS NULL) = ("read_at" IS NULL) AND "amount" >= 0);

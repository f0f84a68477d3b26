-- What customers are told that a payment costs them on each network, as its endpoints said last.
-- CreateTable
CREATE TABLE "network_fees" (
    "environment" "Environment" NOT NULL,
    "network" TEXT NOT NULL,
    "amount" DECIMAL(39,0) NOT NULL,
    "read_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "network_fees_pkey" PRIMARY KEY ("environment", "network")
);

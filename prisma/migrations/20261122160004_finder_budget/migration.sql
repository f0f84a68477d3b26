-- Look-ups that the payment finder made of a network on a UTC day, of all processes together.
-- CreateEnum
CREATE TYPE "FinderBudget" AS ENUM ('customers', 'merchants');

-- CreateTable
CREATE TABLE "finder_days" (
    "environment" "Environment" NOT NULL,
    "network" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "budget" "FinderBudget" NOT NULL,
    "lookups" INTEGER NOT NULL,

    CONSTRAINT "finder_days_pkey" PRIMARY KEY ("environment","network","day","budget")
);

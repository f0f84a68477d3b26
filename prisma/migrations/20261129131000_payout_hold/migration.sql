-- How long a payment waits until it can be paid out. A constant default rewrites no row.
ALTER TABLE "stores" ADD COLUMN "payout_hold_hours" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "stores" ADD CONSTRAINT "stores_payout_hold" CHECK ("payout_hold_hours" BETWEEN 0 AND 720) NOT VALID;
ALTER TABLE "stores" VALIDATE CONSTRAINT "stores_payout_hold";

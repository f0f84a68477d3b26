-- How often the worker put a payment on its hold since held_at. A payment that simulations refuse fails only after several refusals.
ALTER TABLE "refunds" ADD COLUMN "hold_count" INTEGER NOT NULL DEFAULT 0;

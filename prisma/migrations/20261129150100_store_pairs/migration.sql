-- The pairs of network and token that the operator allows a store to offer, such as ethereum-USDC. None means all.
ALTER TABLE "stores" ADD COLUMN "allowed_pairs" TEXT[] NOT NULL DEFAULT '{}';

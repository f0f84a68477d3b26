-- What our wallets have staked, as it was read last with their coin (lib/ledger/coin/stakes). The worker books its changes.
CREATE TABLE "coin_stakes" (
    "chain_id" INTEGER NOT NULL,
    "address" TEXT NOT NULL,
    -- With what of it is lent to other accounts.
    "staked" DECIMAL(78,0) NOT NULL,
    -- No longer staked, and not withdrawn yet.
    "unstaking" DECIMAL(78,0) NOT NULL,
    -- When the first part of that can be withdrawn.
    "withdrawable_at" TIMESTAMPTZ(3),
    "read_at" TIMESTAMPTZ(3) NOT NULL,
    -- What the ledger has of both together; null before the first time. Each time is an entry, unless nothing was staked at the first.
    "booked" DECIMAL(78,0),
    "booked_at" TIMESTAMPTZ(3),
    "entries" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "coin_stakes_pkey" PRIMARY KEY ("chain_id", "address"),
    CONSTRAINT "coin_stakes_held" CHECK ("staked" >= 0 AND "unstaking" >= 0)
);

-- Transactions near the tip that moved tokens out of a wallet of ours without an intent (lib/ledger/reconciliation/tip).

CREATE TABLE "tip_outflows" (
    "chain_id" INTEGER NOT NULL,
    "transaction_hash" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "payer" TEXT NOT NULL,
    "recipient" TEXT NOT NULL,
    "block_time" TIMESTAMPTZ(3) NOT NULL,
    "found_at" TIMESTAMPTZ(3) NOT NULL,
    -- When the signer was frozen for it, or an intent was found after all.
    "acted_at" TIMESTAMPTZ(3),

    CONSTRAINT "tip_outflows_pkey" PRIMARY KEY ("chain_id", "transaction_hash")
);

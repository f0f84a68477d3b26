-- Signed proofs of reserves: what the worker signed, the trees that commit to what is owed, and each store's part. New tables only.

CREATE TABLE "reserve_proofs" (
    "id" BIGSERIAL PRIMARY KEY,
    "environment" "Environment" NOT NULL,
    "made_at" TIMESTAMPTZ(3) NOT NULL,
    -- The exact text that is signed, and the Ed25519 signature of it.
    "statement" TEXT NOT NULL,
    "signature" BYTEA NOT NULL,
    -- The raw public key of the signature.
    "public_key" BYTEA NOT NULL,

    CONSTRAINT "reserve_proofs_lengths" CHECK (length("signature") = 64 AND length("public_key") = 32)
);
CREATE INDEX "reserve_proofs_environment_made_at_idx" ON "reserve_proofs"("environment", "made_at" DESC);

CREATE TABLE "reserve_trees" (
    "proof_id" BIGINT NOT NULL,
    "network" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    -- 64 bytes for each node: hash, then sum. Node 1 is the root, and the children of node n are 2n and 2n + 1.
    "nodes" BYTEA NOT NULL,

    CONSTRAINT "reserve_trees_pkey" PRIMARY KEY ("proof_id", "network", "currency"),
    CONSTRAINT "reserve_trees_proof_id_fkey" FOREIGN KEY ("proof_id") REFERENCES "reserve_proofs"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
-- A path is a few slices of it; compressed, each slice would read all of it.
ALTER TABLE "reserve_trees" ALTER COLUMN "nodes" SET STORAGE EXTERNAL;

CREATE TABLE "reserve_leaves" (
    "proof_id" BIGINT NOT NULL,
    "store_id" TEXT NOT NULL,
    "network" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "available" DECIMAL(78,0) NOT NULL,
    "unresolved" DECIMAL(78,0) NOT NULL,
    "refunds" DECIMAL(78,0) NOT NULL,
    "payouts" DECIMAL(78,0) NOT NULL,
    "salt" BYTEA NOT NULL,
    -- The amounts that the balance is split into, and the place of each among the leaves of the tree.
    "shares" JSONB NOT NULL,

    CONSTRAINT "reserve_leaves_pkey" PRIMARY KEY ("proof_id", "store_id", "network", "currency"),
    CONSTRAINT "reserve_leaves_proof_id_fkey" FOREIGN KEY ("proof_id") REFERENCES "reserve_proofs"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "reserve_leaves_amounts" CHECK ("available" >= 0 AND "unresolved" >= 0 AND "refunds" >= 0 AND "payouts" >= 0)
);

-- An operator's request for a proof besides the daily one.
CREATE TABLE "reserve_requests" (
    "environment" "Environment" NOT NULL,
    "requested_at" TIMESTAMPTZ(3) NOT NULL,
    "requested_by" TEXT NOT NULL,

    CONSTRAINT "reserve_requests_pkey" PRIMARY KEY ("environment")
);

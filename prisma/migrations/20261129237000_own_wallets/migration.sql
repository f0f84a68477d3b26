-- The wallets of the installation as the worker checks them: which tokens their issuers block, and who may sign for them on TRON.

CREATE TABLE "own_wallets" (
    "environment" "Environment" NOT NULL,
    "network" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    -- refund, treasury, former_treasury, cold, sponsor, spare
    "roles" TEXT[] NOT NULL,
    -- Since when neither the settings nor the signer name it. Its permissions stay, so that none is accepted unseen when it is named again.
    "gone_at" TIMESTAMPTZ(3),
    -- Currencies whose issuer blocks the address.
    "blocked" TEXT[] NOT NULL DEFAULT '{}',
    -- When every issuer last answered.
    "asked_at" TIMESTAMPTZ(3),
    -- TRON only: the permissions as they are, and those that raise no alarm and stop no signing.
    "permissions" JSONB,
    "accepted" JSONB,
    "permissions_at" TIMESTAMPTZ(3),
    -- What differs (owner, active), and since when.
    "change" TEXT,
    "changed_at" TIMESTAMPTZ(3),

    CONSTRAINT "own_wallets_pkey" PRIMARY KEY ("environment", "network", "address"),
    CONSTRAINT "own_wallets_change" CHECK (("change" IS NULL) = ("changed_at" IS NULL) AND "change" IN ('owner', 'active'))
);

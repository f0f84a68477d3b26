-- What each deposit address holds by the stored transfers: what arrived less what left. A row exists only while that is not zero, so
-- the planner of sweeps reads no address that is empty. Two triggers keep it, in the transaction that stores a transfer.
CREATE TABLE "deposit_balances" (
    "chain_id" INTEGER NOT NULL,
    "address" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "decimals" INTEGER NOT NULL,
    "session_id" TEXT NOT NULL,
    -- Negative while a transfer that left is stored and one that arrived is not yet.
    "amount" DECIMAL(78,0) NOT NULL,
    -- Block time of the oldest payment since the address was empty.
    "since" TIMESTAMPTZ(0) NOT NULL,
    -- Sweeps in a row that did not move it, why, and when the next one may try.
    "skips" INTEGER NOT NULL DEFAULT 0,
    "skip_reason" TEXT,
    "not_before" TIMESTAMPTZ(3),

    CONSTRAINT "deposit_balances_pkey" PRIMARY KEY ("chain_id", "address", "currency")
);
CREATE INDEX "deposit_balances_chain_id_since_idx" ON "deposit_balances"("chain_id", "since");
CREATE INDEX "deposit_balances_skipped" ON "deposit_balances"("chain_id") WHERE "skip_reason" IS NOT NULL;

CREATE FUNCTION "add_arrived_to_deposit_balances"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO deposit_balances AS d (chain_id, address, currency, decimals, session_id, amount, since)
    SELECT chain_id, recipient, currency, min(decimals), min(session_id), sum(amount), min(block_time) FROM stored
    GROUP BY chain_id, recipient, currency ORDER BY chain_id, recipient, currency
  ON CONFLICT (chain_id, address, currency)
    DO UPDATE SET amount = d.amount + EXCLUDED.amount, since = LEAST(d.since, EXCLUDED.since);
  DELETE FROM deposit_balances d USING (SELECT DISTINCT chain_id, recipient, currency FROM stored) s
    WHERE (d.chain_id, d.address, d.currency) = (s.chain_id, s.recipient, s.currency) AND d.amount = 0;
  RETURN NULL;
END $$;
CREATE TRIGGER "transfers_add_to_deposit_balances" AFTER INSERT ON "transfers" REFERENCING NEW TABLE AS stored
  FOR EACH STATEMENT EXECUTE FUNCTION "add_arrived_to_deposit_balances"();

CREATE FUNCTION "deduct_sent_from_deposit_balances"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO deposit_balances AS d (chain_id, address, currency, decimals, session_id, amount, since)
    SELECT chain_id, payer, currency, min(decimals), min(session_id), -sum(amount), min(block_time) FROM stored
    GROUP BY chain_id, payer, currency ORDER BY chain_id, payer, currency
  ON CONFLICT (chain_id, address, currency)
    DO UPDATE SET amount = d.amount + EXCLUDED.amount, skips = 0, skip_reason = NULL, not_before = NULL;
  DELETE FROM deposit_balances d USING (SELECT DISTINCT chain_id, payer, currency FROM stored) s
    WHERE (d.chain_id, d.address, d.currency) = (s.chain_id, s.payer, s.currency) AND d.amount = 0;
  RETURN NULL;
END $$;
CREATE TRIGGER "outgoing_transfers_deduct_from_deposit_balances" AFTER INSERT ON "outgoing_transfers" REFERENCING NEW TABLE AS stored
  FOR EACH STATEMENT EXECUTE FUNCTION "deduct_sent_from_deposit_balances"();

INSERT INTO deposit_balances (chain_id, address, currency, decimals, session_id, amount, since)
  SELECT chain_id, address, currency, min(decimals), min(session_id), sum(amount), min(block_time) FROM (
    SELECT chain_id, recipient AS address, currency, decimals, session_id, amount, block_time FROM transfers
    UNION ALL SELECT chain_id, payer, currency, decimals, session_id, -amount, block_time FROM outgoing_transfers) AS moved
  GROUP BY 1, 2, 3 HAVING sum(amount) <> 0;

-- One transaction that moves money from deposit addresses to the treasury, or prepares that.
CREATE TABLE "sweeps" (
    "id" BIGSERIAL NOT NULL,
    "environment" "Environment" NOT NULL,
    "network" TEXT NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'planned',
    "currency" TEXT,
    "sender" TEXT NOT NULL,
    -- The transaction as the signer is asked for it, without its terms.
    "request" JSONB NOT NULL,
    -- What bounds its validity and its cost: account nonce and gas prices, or what the network has instead.
    "terms" JSONB NOT NULL,
    -- The newest signed variant, and the hashes of all variants.
    "bytes" TEXT,
    "hashes" TEXT[] NOT NULL DEFAULT '{}',
    -- What the sender paid, in the smallest unit of its coin. Negative on Solana where closed accounts gave back more rent.
    "fee" DECIMAL(78,0),
    "message" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "signed_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "sweeps_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "sweeps_kind" CHECK ("kind" IN ('deploy', 'batch', 'activate', 'top_up', 'delegate', 'transfer', 'undelegate')),
    CONSTRAINT "sweeps_status" CHECK ("status" IN ('planned', 'signed', 'mined', 'final', 'reverted', 'lapsed', 'canceled')),
    CONSTRAINT "sweeps_bytes" CHECK ("status" IN ('planned', 'canceled') OR "bytes" IS NOT NULL),
    CONSTRAINT "sweeps_ended" CHECK (("ended_at" IS NULL) = ("status" IN ('planned', 'signed', 'mined')))
);
-- An account has at most one sweep outside a block, so that no gap of nonces can stop those that follow. Solana has no nonces: there
-- only the treasury's account is opened once at a time. TRON has none either.
CREATE UNIQUE INDEX "sweeps_one_outside_a_block" ON "sweeps"("chain_id", "sender")
  WHERE "status" IN ('planned', 'signed') AND ("network" NOT IN ('solana', 'tron') OR "kind" = 'deploy');
CREATE INDEX "sweeps_open" ON "sweeps"("chain_id", "id") WHERE "ended_at" IS NULL;
CREATE INDEX "sweeps_chain_id_ended_at_idx" ON "sweeps"("chain_id", "ended_at");
-- The list of sweeps, of all networks and of one.
CREATE INDEX "sweeps_environment_created_at_id_idx" ON "sweeps"("environment", "created_at", "id");
CREATE INDEX "sweeps_environment_network_created_at_id_idx" ON "sweeps"("environment", "network", "created_at", "id");
CREATE INDEX "sweeps_failed" ON "sweeps"("environment", "created_at", "id") WHERE "status" IN ('reverted', 'lapsed', 'canceled');

CREATE TABLE "sweep_items" (
    "sweep_id" BIGINT NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "address" TEXT NOT NULL,
    "address_index" INTEGER NOT NULL,
    "session_id" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "decimals" INTEGER NOT NULL,
    -- What the address held when the sweep was planned, and what the transaction moved.
    "amount" DECIMAL(78,0) NOT NULL,
    "moved" DECIMAL(78,0),
    "reason" TEXT,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "sweep_items_pkey" PRIMARY KEY ("sweep_id", "address"),
    CONSTRAINT "sweep_items_sweep_id_fkey" FOREIGN KEY ("sweep_id") REFERENCES "sweeps"("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
-- A deposit address is in at most one sweep at a time: nodes refuse a second delegation of one address while the first is pending.
CREATE UNIQUE INDEX "sweep_items_one_open" ON "sweep_items"("chain_id", "address") WHERE "ended_at" IS NULL;
CREATE INDEX "sweep_items_session_id_idx" ON "sweep_items"("session_id");
CREATE INDEX "sweep_items_chain_id_ended_at_idx" ON "sweep_items"("chain_id", "ended_at");

-- For each network that the signer sweeps: its wallets, and why nothing is swept now.
CREATE TABLE "sweep_states" (
    "environment" "Environment" NOT NULL,
    "network" TEXT NOT NULL,
    "treasury" TEXT NOT NULL,
    "sponsor" TEXT NOT NULL,
    -- The contract that deposit addresses delegate to; null on networks that need none.
    "delegate" TEXT,
    -- Delegates of former treasuries. Deposit addresses that still delegate to one of them are delegated again.
    "former_delegates" TEXT[] NOT NULL DEFAULT '{}',
    -- Coin of the sponsor in its smallest unit; null until it was read.
    "coin" DECIMAL(78,0),
    "fees_per_hour" DECIMAL(78,0) NOT NULL,
    "fees_last_hour" DECIMAL(78,0) NOT NULL,
    -- A code (lib/sweeps/state.ts); null while sweeps go out.
    "hold" TEXT,
    "read_at" TIMESTAMPTZ(3) NOT NULL,
    "paused_at" TIMESTAMPTZ(3),
    "paused_by" TEXT,

    CONSTRAINT "sweep_states_pkey" PRIMARY KEY ("environment", "network")
);

-- What the treasury wallet of a network holds of a token, as the chain reports it.
CREATE TABLE "treasury_balances" (
    "chain_id" INTEGER NOT NULL,
    "currency" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "amount" DECIMAL(78,0) NOT NULL,
    "block_number" BIGINT NOT NULL,
    "read_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "treasury_balances_pkey" PRIMARY KEY ("chain_id", "currency")
);

-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateEnum
CREATE TYPE "Environment" AS ENUM ('live', 'test');

-- CreateEnum
CREATE TYPE "UserRole" AS ENUM ('operator', 'merchant');

-- CreateEnum
CREATE TYPE "StoreStatus" AS ENUM ('pending', 'approved', 'rejected', 'suspended');

-- CreateEnum
CREATE TYPE "SessionStatus" AS ENUM ('pending', 'completed', 'expired', 'canceled', 'failed');

-- CreateEnum
CREATE TYPE "SessionException" AS ENUM ('none', 'partial', 'over', 'late', 'wrong_token', 'wrong_network');

-- CreateEnum
CREATE TYPE "DeliveryStatus" AS ENUM ('pending', 'delivered', 'failed');

-- CreateTable
CREATE TABLE "users" (
    "id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "password_hash" TEXT NOT NULL,
    "role" "UserRole" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "disabled_at" TIMESTAMPTZ(3),

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "stores" (
    "id" TEXT NOT NULL,
    "owner_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "website" TEXT,
    "status" "StoreStatus" NOT NULL DEFAULT 'pending',
    "status_reason" TEXT,
    "settlement_currency" TEXT NOT NULL DEFAULT 'USDT',
    "usd_currencies" TEXT[] DEFAULT ARRAY['USDT', 'USDC']::TEXT[],
    "accepts_other_token" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "stores_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "id" SERIAL NOT NULL,
    "store_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "name" TEXT NOT NULL,
    "key_hash" BYTEA NOT NULL,
    "key_hint" TEXT NOT NULL,
    "secret_ciphertext" BYTEA NOT NULL,
    "scopes" TEXT[] DEFAULT ARRAY['sessions:read', 'sessions:write', 'refunds:read', 'refunds:write']::TEXT[],
    "allowed_addresses" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "nonces" (
    "key_id" INTEGER NOT NULL,
    "nonce" TEXT NOT NULL,
    "spent_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "nonces_pkey" PRIMARY KEY ("key_id","nonce")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "store_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "key" TEXT NOT NULL,
    "request_hash" BYTEA NOT NULL,
    "answer" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("store_id","environment","key")
);

-- CreateTable
CREATE TABLE "sessions" (
    "id" TEXT NOT NULL,
    "store_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "order_id" TEXT NOT NULL,
    "status" "SessionStatus" NOT NULL DEFAULT 'pending',
    "exception" "SessionException" NOT NULL DEFAULT 'none',
    "amount_total" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "amount_due" BIGINT NOT NULL,
    "currencies" TEXT[],
    "networks" TEXT[],
    "accepts_other_token" BOOLEAN NOT NULL DEFAULT false,
    "description" TEXT,
    "line_items" JSON,
    "tax_amount" BIGINT,
    "shipping_amount" BIGINT,
    "success_url" TEXT,
    "cancel_url" TEXT,
    "metadata" JSON,
    "created_at" TIMESTAMPTZ(0) NOT NULL,
    "expires_at" TIMESTAMPTZ(0) NOT NULL,
    "address_index" INTEGER NOT NULL,
    "evm_address" TEXT NOT NULL,
    "tron_address" TEXT NOT NULL,
    "solana_address" TEXT NOT NULL,
    "amount_received" BIGINT NOT NULL DEFAULT 0,
    "completed_network" TEXT,
    "completed_currency" TEXT,
    "completed_transaction" TEXT,
    "closed_at" TIMESTAMPTZ(3),

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "session_status_changes" (
    "id" BIGSERIAL NOT NULL,
    "session_id" TEXT NOT NULL,
    "move" TEXT NOT NULL,
    "from" "SessionStatus" NOT NULL,
    "to" "SessionStatus" NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "session_status_changes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "address_pool" (
    "environment" "Environment" NOT NULL,
    "address_index" INTEGER NOT NULL,
    "evm_address" TEXT NOT NULL,
    "tron_address" TEXT NOT NULL,
    "solana_address" TEXT NOT NULL,

    CONSTRAINT "address_pool_pkey" PRIMARY KEY ("environment","address_index")
);

-- CreateTable
CREATE TABLE "wallets" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "fingerprint" TEXT NOT NULL,
    "next_index" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "wallets_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "chains" (
    "id" SERIAL NOT NULL,
    "environment" "Environment" NOT NULL,
    "network" TEXT NOT NULL,
    "genesis" TEXT NOT NULL,
    "tip_number" BIGINT NOT NULL,
    "tip_hash" TEXT NOT NULL,
    "final_number" BIGINT NOT NULL,
    "final_hash" TEXT NOT NULL,
    "final_time" TIMESTAMPTZ(0) NOT NULL,
    "final_lag" INTEGER NOT NULL DEFAULT 0,
    "lease_until" TIMESTAMPTZ(3),
    "epoch" INTEGER NOT NULL DEFAULT 0,
    "scanned_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "trouble" TEXT,
    "retired_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "chains_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sightings" (
    "id" BIGSERIAL NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "session_id" TEXT NOT NULL,
    "transaction_hash" TEXT NOT NULL,
    "ordinal" INTEGER NOT NULL,
    "block_number" BIGINT NOT NULL,
    "block_hash" TEXT NOT NULL,
    "block_time" TIMESTAMPTZ(0) NOT NULL,
    "currency" TEXT NOT NULL,
    "contract" TEXT NOT NULL,
    "payer" TEXT NOT NULL,
    "recipient" TEXT NOT NULL,
    "amount" DECIMAL(78,0) NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "orphaned_at" TIMESTAMPTZ(3),

    CONSTRAINT "sightings_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "transfers" (
    "id" BIGSERIAL NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "network" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "transaction_hash" TEXT NOT NULL,
    "ordinal" INTEGER NOT NULL,
    "block_number" BIGINT NOT NULL,
    "block_hash" TEXT NOT NULL,
    "block_time" TIMESTAMPTZ(0) NOT NULL,
    "currency" TEXT NOT NULL,
    "contract" TEXT NOT NULL,
    "payer" TEXT NOT NULL,
    "recipient" TEXT NOT NULL,
    "amount" DECIMAL(78,0) NOT NULL,
    "decimals" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "transfers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ledger_entries" (
    "id" BIGSERIAL NOT NULL,
    "kind" TEXT NOT NULL,
    "store_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "session_id" TEXT,
    "transfer_id" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ledger_entries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ledger_postings" (
    "id" BIGSERIAL NOT NULL,
    "entry_id" BIGINT NOT NULL,
    "account" TEXT NOT NULL,
    "network" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "amount" DECIMAL(78,0) NOT NULL,

    CONSTRAINT "ledger_postings_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_endpoints" (
    "id" UUID NOT NULL,
    "store_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "url" TEXT NOT NULL,
    "secret_ciphertext" BYTEA NOT NULL,
    "previous_secret_ciphertext" BYTEA,
    "previous_until" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_endpoints_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "events" (
    "id" TEXT NOT NULL,
    "store_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "type" TEXT NOT NULL,
    "object_id" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "deliveries" (
    "id" BIGSERIAL NOT NULL,
    "event_id" TEXT NOT NULL,
    "store_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "status" "DeliveryStatus" NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "epoch" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "delivery_attempts" (
    "id" BIGSERIAL NOT NULL,
    "delivery_id" BIGINT NOT NULL,
    "number" INTEGER NOT NULL,
    "url" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),
    "status_code" INTEGER,
    "error" TEXT,
    "answer" TEXT,

    CONSTRAINT "delivery_attempts_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "users_email_key" ON "users"("email");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_key_hash_key" ON "api_keys"("key_hash");

-- CreateIndex
CREATE INDEX "api_keys_store_id_idx" ON "api_keys"("store_id");

-- CreateIndex
CREATE INDEX "nonces_spent_at_idx" ON "nonces" USING BRIN ("spent_at");

-- CreateIndex
CREATE INDEX "idempotency_keys_created_at_idx" ON "idempotency_keys" USING BRIN ("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "sessions_address_index_key" ON "sessions"("address_index");

-- CreateIndex
CREATE UNIQUE INDEX "sessions_evm_address_key" ON "sessions"("evm_address");

-- CreateIndex
CREATE UNIQUE INDEX "sessions_tron_address_key" ON "sessions"("tron_address");

-- CreateIndex
CREATE UNIQUE INDEX "sessions_solana_address_key" ON "sessions"("solana_address");

-- CreateIndex
CREATE UNIQUE INDEX "sessions_store_id_environment_order_id_key" ON "sessions"("store_id", "environment", "order_id");

-- CreateIndex
CREATE INDEX "session_status_changes_session_id_idx" ON "session_status_changes"("session_id");

-- CreateIndex
CREATE UNIQUE INDEX "chains_environment_network_genesis_key" ON "chains"("environment", "network", "genesis");

-- CreateIndex
CREATE INDEX "sightings_session_id_idx" ON "sightings"("session_id");

-- CreateIndex
CREATE UNIQUE INDEX "sightings_chain_id_transaction_hash_ordinal_key" ON "sightings"("chain_id", "transaction_hash", "ordinal");

-- CreateIndex
CREATE INDEX "transfers_session_id_idx" ON "transfers"("session_id");

-- CreateIndex
CREATE UNIQUE INDEX "transfers_chain_id_transaction_hash_ordinal_key" ON "transfers"("chain_id", "transaction_hash", "ordinal");

-- CreateIndex
CREATE UNIQUE INDEX "ledger_entries_transfer_id_key" ON "ledger_entries"("transfer_id");

-- CreateIndex
CREATE INDEX "ledger_entries_session_id_idx" ON "ledger_entries"("session_id");

-- CreateIndex
CREATE INDEX "ledger_postings_entry_id_idx" ON "ledger_postings"("entry_id");

-- CreateIndex
CREATE INDEX "ledger_postings_account_idx" ON "ledger_postings"("account");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_endpoints_store_id_environment_key" ON "webhook_endpoints"("store_id", "environment");

-- CreateIndex
CREATE INDEX "events_store_id_environment_created_at_idx" ON "events"("store_id", "environment", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "events_object_id_type_key" ON "events"("object_id", "type");

-- CreateIndex
CREATE INDEX "deliveries_event_id_idx" ON "deliveries"("event_id");

-- CreateIndex
CREATE UNIQUE INDEX "delivery_attempts_delivery_id_number_key" ON "delivery_attempts"("delivery_id", "number");

-- AddForeignKey
ALTER TABLE "stores" ADD CONSTRAINT "stores_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_store_id_fkey" FOREIGN KEY ("store_id") REFERENCES "stores"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_store_id_fkey" FOREIGN KEY ("store_id") REFERENCES "stores"("id") ON DELETE RESTRICT ON UPDATE CASCADE;



-- Beyond Prisma's schema language: checks, partial indexes and triggers.

ALTER TABLE "sessions"
  ADD CONSTRAINT "sessions_amount_total_positive" CHECK ("amount_total" > 0),
  ADD CONSTRAINT "sessions_amount_due_positive" CHECK ("amount_due" > 0),
  ADD CONSTRAINT "sessions_offer_something" CHECK (cardinality("networks") > 0 AND cardinality("currencies") > 0),
  ADD CONSTRAINT "sessions_completed_has_proof" CHECK (("status" = 'completed') = ("completed_transaction" IS NOT NULL)),
  ADD CONSTRAINT "sessions_closed_at_when_closed" CHECK (("status" = 'pending') = ("closed_at" IS NULL));

ALTER TABLE "transfers" ADD CONSTRAINT "transfers_amount_positive" CHECK ("amount" > 0);
ALTER TABLE "sightings" ADD CONSTRAINT "sightings_amount_positive" CHECK ("amount" > 0);
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_attempts_range" CHECK ("attempts" BETWEEN 0 AND 6);

-- Work queues: only what is still to be done is indexed.
CREATE INDEX "sessions_pending_expiry" ON "sessions" ("expires_at") WHERE "status" = 'pending';
CREATE INDEX "deliveries_pending" ON "deliveries" ("store_id", "environment", "next_at", "id") WHERE "status" = 'pending';
CREATE INDEX "sightings_open" ON "sightings" ("chain_id", "block_number") WHERE "orphaned_at" IS NULL;
CREATE UNIQUE INDEX "chains_one_followed" ON "chains" ("environment", "network") WHERE "retired_at" IS NULL;

-- A terminal status never changes (architecture: state machines).
CREATE FUNCTION "sessions_terminal_is_terminal"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'session % is % and cannot become %', OLD.id, OLD.status, NEW.status USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER "sessions_terminal_is_terminal" BEFORE UPDATE OF "status" ON "sessions"
  FOR EACH ROW WHEN (OLD."status" <> 'pending' AND NEW."status" IS DISTINCT FROM OLD."status")
  EXECUTE FUNCTION "sessions_terminal_is_terminal"();

-- Facts are appended and never changed.
CREATE FUNCTION "facts_are_append_only"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER "transfers_append_only" BEFORE UPDATE OR DELETE ON "transfers" FOR EACH ROW EXECUTE FUNCTION "facts_are_append_only"();
CREATE TRIGGER "events_append_only" BEFORE UPDATE OR DELETE ON "events" FOR EACH ROW EXECUTE FUNCTION "facts_are_append_only"();
CREATE TRIGGER "status_changes_append_only" BEFORE UPDATE OR DELETE ON "session_status_changes" FOR EACH ROW EXECUTE FUNCTION "facts_are_append_only"();
CREATE TRIGGER "ledger_entries_append_only" BEFORE UPDATE OR DELETE ON "ledger_entries" FOR EACH ROW EXECUTE FUNCTION "facts_are_append_only"();
CREATE TRIGGER "ledger_postings_append_only" BEFORE UPDATE OR DELETE ON "ledger_postings" FOR EACH ROW EXECUTE FUNCTION "facts_are_append_only"();

-- Double entry: the postings of an entry sum to zero per network and currency when the transaction commits.
CREATE FUNCTION "ledger_postings_balance"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM "ledger_postings" WHERE "entry_id" = NEW."entry_id"
             GROUP BY "network", "currency" HAVING sum("amount") <> 0) THEN
    RAISE EXCEPTION 'the postings of ledger entry % do not sum to zero', NEW."entry_id" USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER "ledger_postings_balance" AFTER INSERT ON "ledger_postings"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "ledger_postings_balance"();

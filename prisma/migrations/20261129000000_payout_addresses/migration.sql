-- Where a store's balance is paid out to, per network. The web process adds and stops an address; the worker announces it by mail and
-- starts the delay. Rows are never deleted, so that a look-alike of a former address is noticed.
CREATE TABLE "payout_addresses" (
    "id" TEXT NOT NULL,
    "store_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "network" TEXT NOT NULL,
    -- In the stored form of the network's family.
    "address" TEXT NOT NULL,
    -- A contract, which the person who added it confirmed can receive.
    "is_contract" BOOLEAN NOT NULL DEFAULT false,
    -- Whether the key of the address signed for it when it was added.
    "is_signed" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "created_by" UUID NOT NULL,
    -- When the worker queued the mails to the owners, and when the address may be paid first.
    "mailed_at" TIMESTAMPTZ(3),
    "pay_after" TIMESTAMPTZ(3),
    -- The worker's MAC over id, store, environment, network, address and pay_after.
    "notice_mac" BYTEA,
    -- SHA-256 of the token of the link that stops it.
    "stop_hash" BYTEA,
    "stopped_at" TIMESTAMPTZ(3),
    -- Null when the mail's link stopped it.
    "stopped_by" UUID,

    CONSTRAINT "payout_addresses_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "payout_addresses_store_id_fkey" FOREIGN KEY ("store_id") REFERENCES "stores"("id") ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT "payout_addresses_announced" CHECK (("mailed_at" IS NULL) = ("pay_after" IS NULL)
      AND ("mailed_at" IS NULL) = ("notice_mac" IS NULL) AND ("mailed_at" IS NULL) = ("stop_hash" IS NULL)),
    CONSTRAINT "payout_addresses_delay" CHECK ("pay_after" >= "mailed_at" AND isfinite("pay_after")),
    CONSTRAINT "payout_addresses_stopped" CHECK ("stopped_by" IS NULL OR "stopped_at" IS NOT NULL)
);
CREATE INDEX "payout_addresses_store_id_environment_network_pay_after_idx"
  ON "payout_addresses"("store_id", "environment", "network", "pay_after");
-- Those that the worker has to announce. Few at any time.
CREATE INDEX "payout_addresses_unannounced" ON "payout_addresses"("created_at", "id") WHERE "mailed_at" IS NULL AND "stopped_at" IS NULL;
CREATE UNIQUE INDEX "payout_addresses_stop_hash_key" ON "payout_addresses"("stop_hash");

-- Every column is written once: an announced address gets no other delay, and a stopped one is never resumed.
CREATE FUNCTION "payout_addresses_change_once"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'payout_addresses %: an address is added, announced and stopped once', OLD."id"
    USING ERRCODE = 'check_violation', TABLE = 'payout_addresses', CONSTRAINT = 'payout_addresses_change_once';
END $$;
CREATE TRIGGER "payout_addresses_change_once" BEFORE UPDATE ON "payout_addresses" FOR EACH ROW
  WHEN (
    (OLD."id", OLD."store_id", OLD."environment", OLD."network", OLD."address", OLD."is_contract", OLD."is_signed",
      OLD."created_at", OLD."created_by")
    IS DISTINCT FROM (NEW."id", NEW."store_id", NEW."environment", NEW."network", NEW."address", NEW."is_contract",
      NEW."is_signed", NEW."created_at", NEW."created_by")
    OR (OLD."mailed_at" IS NOT NULL AND (OLD."mailed_at", OLD."pay_after", OLD."notice_mac", OLD."stop_hash")
      IS DISTINCT FROM (NEW."mailed_at", NEW."pay_after", NEW."notice_mac", NEW."stop_hash"))
    OR (OLD."stopped_at" IS NOT NULL AND (OLD."stopped_at", OLD."stopped_by")
      IS DISTINCT FROM (NEW."stopped_at", NEW."stopped_by")))
  EXECUTE FUNCTION "payout_addresses_change_once"();
CREATE TRIGGER "payout_addresses_not_deleted" BEFORE DELETE ON "payout_addresses" FOR EACH ROW
  EXECUTE FUNCTION "payout_addresses_change_once"();

ALTER TABLE quarantine DROP CONSTRAINT quarantine_kind;
ALTER TABLE quarantine ADD CONSTRAINT quarantine_kind CHECK ("kind" IN
  ('session', 'transfer', 'outgoing_transfer', 'unconfirmed_transfer', 'account', 'address', 'refund', 'delivery', 'mail', 'pause',
   'wallet', 'notice', 'month', 'payout_address'));

-- The contract whose forwarder a deposit address on TRON is (docs/decisions/0022); null for an address of a key. It stays with the address,
-- so that another setting loses none.
ALTER TABLE "address_pool" ADD COLUMN "tron_factory" TEXT;
ALTER TABLE "sessions" ADD COLUMN "tron_factory" TEXT;

-- Rows that exist have one of the former kinds, so none has to be checked.
ALTER TABLE "sweeps" DROP CONSTRAINT "sweeps_kind";
ALTER TABLE "sweeps" ADD CONSTRAINT "sweeps_kind"
  CHECK ("kind" IN ('deploy', 'batch', 'activate', 'top_up', 'delegate', 'transfer', 'undelegate', 'flush')) NOT VALID;

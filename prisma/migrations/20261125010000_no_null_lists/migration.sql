-- A list is empty, never null, and a head of an endpoint is known whole or not at all. The product relied on both; now the database
-- refuses anything else.
ALTER TABLE "stores" ALTER COLUMN "usd_currencies" SET NOT NULL, ALTER COLUMN "networks" SET NOT NULL;
ALTER TABLE "store_looks" ALTER COLUMN "embed_origins" SET NOT NULL;
ALTER TABLE "api_keys" ALTER COLUMN "scopes" SET NOT NULL, ALTER COLUMN "allowed_addresses" SET NOT NULL;
ALTER TABLE "passkeys" ALTER COLUMN "transports" SET NOT NULL;
ALTER TABLE "sessions" ALTER COLUMN "currencies" SET NOT NULL, ALTER COLUMN "networks" SET NOT NULL,
  ALTER COLUMN "offered_pairs" SET NOT NULL;
ALTER TABLE "endpoints" ADD CONSTRAINT "endpoints_head_whole"
  CHECK (num_nulls("tip_number", "tip_time", "final_number", "final_time", "head_source", "head_read_at") IN (0, 6));

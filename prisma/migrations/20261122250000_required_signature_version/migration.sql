-- A key can refuse signature version 1, which does not cover the method and the path of a request.
ALTER TABLE "api_keys" ADD COLUMN "requires_signature_v2" BOOLEAN NOT NULL DEFAULT false;

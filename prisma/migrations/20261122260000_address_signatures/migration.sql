-- The paying wallet's signature under an address that a customer named on the payment's page.
ALTER TABLE "refund_addresses" ADD COLUMN "signature" BYTEA,
ADD COLUMN "signature_requested_at" TIMESTAMPTZ(3);


-- Beyond Prisma's schema language.
ALTER TABLE "refund_addresses"
  ADD CONSTRAINT "refund_addresses_signature" CHECK (("signature" IS NULL) = ("signature_requested_at" IS NULL)
    AND ("signature" IS NULL OR ("intent_id" IS NULL AND octet_length("signature") BETWEEN 64 AND 65)));

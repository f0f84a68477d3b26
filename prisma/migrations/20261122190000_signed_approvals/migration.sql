-- What the worker proves to itself and to the signer about where a refund goes, so that writes of the web process redirect nothing:
-- approvals with passkey signatures, the destination that the worker settled on, and the notice of an address that a customer gave.

-- AlterTable
ALTER TABLE "approvals" ADD COLUMN     "asked_passkey" JSON,
ADD COLUMN     "decided_passkey" JSON;

-- AlterTable
ALTER TABLE "approval_needs" ADD COLUMN     "needs_passkeys" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "trouble" TEXT;

-- AlterTable
ALTER TABLE "refunds" ADD COLUMN     "destination_mac" BYTEA;

-- CreateTable
CREATE TABLE "refund_address_notices" (
    "refund" TEXT NOT NULL,
    "pay_after" TIMESTAMPTZ(3) NOT NULL,
    "mac" BYTEA NOT NULL,

    CONSTRAINT "refund_address_notices_pkey" PRIMARY KEY ("refund")
);

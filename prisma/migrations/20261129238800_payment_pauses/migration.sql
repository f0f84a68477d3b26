-- What operators have paused: refunds, payouts or cold transfers of one network. A row lasts until they go on.

CREATE TABLE "payment_pauses" (
    "environment" "Environment" NOT NULL,
    "network" TEXT NOT NULL,
    -- refunds, payouts, cold_transfers
    "kind" TEXT NOT NULL,
    "paused_at" TIMESTAMPTZ(3) NOT NULL,
    "paused_by" TEXT NOT NULL,

    CONSTRAINT "payment_pauses_pkey" PRIMARY KEY ("environment", "network", "kind"),
    CONSTRAINT "payment_pauses_kind" CHECK ("kind" IN ('refunds', 'payouts', 'cold_transfers'))
);

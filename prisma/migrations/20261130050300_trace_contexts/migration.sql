-- The trace of the API request that made a session or a refund (W3C traceparent), so that what the worker does later is in it. Null unless
-- traces are exported. Nullable columns without a default change the catalog only.

ALTER TABLE "sessions" ADD COLUMN "traceparent" TEXT;
ALTER TABLE "refunds" ADD COLUMN "traceparent" TEXT;

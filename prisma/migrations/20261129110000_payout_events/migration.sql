-- Optional events of payouts, and a listing of payouts by status.
ALTER TABLE webhook_endpoints DROP CONSTRAINT webhook_endpoints_optional_events_known,
  ADD CONSTRAINT webhook_endpoints_optional_events_known
    CHECK (optional_events <@ ARRAY['payment.seen', 'payment.partial', 'payment.exception', 'payout.paid', 'payout.failed']);

CREATE INDEX "payouts_store_id_environment_status_created_at_id_idx" ON "payouts"("store_id", "environment", "status", "created_at", "id");

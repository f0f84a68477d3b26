-- The optional events that an endpoint asked for; none unless its merchant ticks them (lib/webhooks/events.ts, OPTIONAL_EVENTS).
ALTER TABLE webhook_endpoints ADD COLUMN optional_events text[] NOT NULL DEFAULT '{}',
  ADD CONSTRAINT webhook_endpoints_optional_events_known
    CHECK (optional_events <@ ARRAY['payment.seen', 'payment.partial', 'payment.exception']);

-- A session has one event of each contract type, and one optional event for each cause: a transfer or a payment exception.
ALTER TABLE events ADD COLUMN cause text NOT NULL DEFAULT '';
CREATE UNIQUE INDEX "events_object_id_type_cause_key" ON events (object_id, type, cause);
DROP INDEX "events_object_id_type_key";

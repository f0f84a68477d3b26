-- The order in which old mails are removed.
CREATE INDEX CONCURRENTLY "mails_ended" ON "mails" ("sent_at", "id") WHERE "sent_at" IS NOT NULL;

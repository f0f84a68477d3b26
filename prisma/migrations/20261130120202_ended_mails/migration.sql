-- The order in which old mails are removed.
CREATE INDEX CONCURRENTLY "mails_ended" ON "mails" ((coalesce("sent_at", "failed_at")), "id") WHERE "sent_at" IS NOT NULL OR "failed_at" IS NOT NULL;

-- The store whose session a sender paid, so that stores take turns in the queue of senders; empty for a payee, and for older rows.
ALTER TABLE "screenings" ADD COLUMN "store_id" TEXT NOT NULL DEFAULT '';

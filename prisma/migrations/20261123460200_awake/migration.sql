-- Since when sessions are looked at without a long break. A session is given up for want of a network only after it was looked at for as long as
-- the hold: a stopped worker, or a clock that jumps, proves nothing about a network (lib/sessions/awake.ts).
CREATE TABLE "expiry_watch" (
  "id" boolean NOT NULL DEFAULT true,
  "since" timestamptz(3) NOT NULL,
  "seen_at" timestamptz(3) NOT NULL,
  CONSTRAINT "expiry_watch_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "expiry_watch_one" CHECK ("id")
);

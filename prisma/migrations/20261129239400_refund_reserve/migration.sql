-- What a store keeps for refunds holds for all its payouts, also for those by hand, and for tokens without a schedule. The amounts of schedules
-- become the reserve of their token. Those of removed schedules had no effect, and have none now.
UPDATE "payout_schedules" SET "keep" = 0 WHERE "interval" = 'manual' AND "keep" <> 0;

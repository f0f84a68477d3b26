-- How PostgreSQL keeps tables that change all the time. The settings change the catalogue only; free room applies to new pages.

-- Large tables: vacuumed after one row in fifty has changed, not after one in five, which would be millions. Their indexes then stay small.
ALTER TABLE "sessions" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
-- Each delivery is leased, tried and finished: three versions in a minute. The room lets them stay on one page.
ALTER TABLE "deliveries" SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
-- An attempt is written and then completed, which no index contains: with room on the page no index is written for it.
ALTER TABLE "delivery_attempts" SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
-- Nonces and keys are deleted as fast as they are written.
ALTER TABLE "nonces" SET (autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE "idempotency_keys" SET (autovacuum_vacuum_scale_factor = 0.05);
-- Every session deletes the first address; a create would step over the dead ones.
ALTER TABLE "address_pool" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

-- Small tables whose rows are rewritten all the time in columns that no index contains: half-empty pages keep the versions together, and a
-- number of changes counts, not a share of the few rows.
ALTER TABLE "ledger_balances" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
ALTER TABLE "chains" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
ALTER TABLE "endpoints" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
ALTER TABLE "step_turns" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
ALTER TABLE "worker_processes" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
-- A queue that is emptied every minute.
ALTER TABLE "session_total_changes" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

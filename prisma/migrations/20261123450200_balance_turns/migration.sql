-- Stores take turns in the daily comparison of deposit addresses. A row says how far the running round is with a store; it goes when
-- the store has no more addresses (lib/reconcile/balances/daily.ts).
CREATE TABLE balance_turns (
  chain_id integer NOT NULL,
  store_id text NOT NULL,
  environment "Environment" NOT NULL,
  taken integer NOT NULL DEFAULT 0,
  closed_before timestamptz(3) NOT NULL,
  before_id text NOT NULL DEFAULT '',
  CONSTRAINT balance_turns_pkey PRIMARY KEY (chain_id, store_id, environment)
);
-- A store's sessions by their end.
CREATE INDEX sessions_ended_of_store ON sessions (store_id, environment, closed_at, id) WHERE closed_at IS NOT NULL;

-- A round that is running has no rows of stores, so the next one begins at once. One that is over begins when it was to begin.
UPDATE balance_rounds SET started_at = next_at - interval '1 day';
ALTER TABLE balance_rounds DROP COLUMN checked_through;

-- An operator explains a difference of the refund wallet in the dashboard; the worker posts it, because the web process may not
-- write funding into the ledger (lib/reconcile/differences.ts).
ALTER TABLE differences ADD COLUMN explained_at timestamptz(3);

// A session is held while its deposit address holds more than its stored transfers and the reason is unknown
// (lib/ledger/reconciliation/balances): before and during the re-scans, and afterwards until the discrepancy is closed or an operator has
// explained it. EXPIRY_HOLD_SECONDS does not end this hold. SQL with `s` for the session, `b` for its balance check and `c` for the chain
// of the check.

/** Whether a discrepancy of the session's address is open. */
export const IS_UNEXPLAINED = `EXISTS (SELECT FROM discrepancies d WHERE d.chain_id = c.id AND d.ended_at IS NULL AND d.found > d.expected
  AND d.address IN (s.evm_address, s.tron_address, s.solana_address))`;

/**
 * Whether a check holds its session. A check that is due again after a re-scan found a discrepancy before. A check with a goal found
 * a discrepancy in blocks that the watcher has not read yet.
 */
const HOLDS = `(b.state = 'rescan' OR (b.state = 'due' AND (b.rescans > 0 OR b.goal IS NOT NULL)) OR (b.state = 'differs' AND ${IS_UNEXPLAINED}))`;

/** Whether a check is closed: no payment was missed, or an operator knows of the discrepancy. */
export const IS_COMPARED = `(b.state IN ('proven', 'disputed') OR (b.state = 'differs' AND NOT ${IS_UNEXPLAINED}))`;

/** Whether a check of the session holds it. */
export const IS_HELD_BY_BALANCE = `EXISTS (SELECT FROM balance_checks b JOIN chains c ON c.id = b.chain_id AND c.retired_at IS NULL
  WHERE b.session_id = s.id AND ${HOLDS})`;

// The threshold from which the watcher reads the payments to a session's address individually. Payments below one cent need not be read,
// unless they could complete the session. SQL with `s` for the session, in the units of COMMON_DECIMALS (lib/money/amounts).

import { centsToBaseUnits, COMMON_DECIMALS } from '@/lib/money/amounts';

/** One cent in common units. On Solana, a balance may exceed the stored transfers by less than this without being read. */
export const COMMON_CENT = centsToBaseUnits(1n, COMMON_DECIMALS);

/** The missing amount of a session by its stored transfers on all networks; negative for an overpayment. */
const LACKS = `s.amount_due * ${COMMON_CENT}::numeric - (SELECT coalesce(sum(t.amount * 10::numeric ^ (${COMMON_DECIMALS} - t.decimals)), 0)
  FROM transfers t WHERE t.session_id = s.id)`;

/**
 * A cent, or the missing amount where that is smaller. A pending session whose stored transfers reach the price has payments that do
 * not count. Its missing amount is unknown, so everything is read.
 */
export const READ_THRESHOLD = `(SELECT trunc(CASE WHEN s.status = 'completed' OR (lacks <= 0 AND s.status <> 'pending') THEN ${COMMON_CENT}
  ELSE greatest(0, least(${COMMON_CENT}, lacks)) END) FROM (SELECT ${LACKS} AS lacks) AS price)`;

// The watcher need not read payments below one cent one by one, unless they could complete their session. This is the amount that
// may arrive at a session's address before it must be read, as SQL with `s` for the session, in the units of COMMON_DECIMALS
// (lib/money/amounts).

import { centsToBaseUnits, COMMON_DECIMALS } from '@/lib/money/amounts';

/** In common units. Amounts on Solana differ from stored transfers by less than this without a reason to read them. */
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

// Payments of less than a cent need not be read one by one (decisions: Below a cent), unless they could complete their session. This
// is how much may arrive at a session's address before it must be read, as SQL with `s` for the session, in the units of
// COMMON_DECIMALS (lib/money/amounts).

import { centsToBaseUnits, COMMON_DECIMALS } from '@/lib/money/amounts';

/** In common units. Amounts on Solana differ from stored transfers by less than this without a reason to read them. */
export const COMMON_CENT = centsToBaseUnits(1n, COMMON_DECIMALS);

/** What a session lacks by its stored transfers on all networks, negative where they are more than its price. */
const LACKS = `s.amount_due * ${COMMON_CENT}::numeric - (SELECT coalesce(sum(t.amount * 10::numeric ^ (${COMMON_DECIMALS} - t.decimals)), 0)
  FROM transfers t WHERE t.session_id = s.id)`;

/**
 * A cent, or less where a session lacks less. A pending session with its price stored has payments that do not count. What it lacks
 * is unknown, so everything is read.
 */
export const UNREAD_BELOW = `(SELECT trunc(CASE WHEN s.status = 'completed' OR (lacks <= 0 AND s.status <> 'pending') THEN ${COMMON_CENT}
  ELSE greatest(0, least(${COMMON_CENT}, lacks)) END) FROM (SELECT ${LACKS} AS lacks) AS price)`;

// The name of a payout's payment, derived only from its store and its name there. So a database that was restored from a backup and lacks
// the payout derives the same name when it is requested again, and the signer knows that it has signed it already.

import { sha256 } from '@/lib/platform/crypto';
import type { Environment } from '@/lib/platform/ids';

/** `po_` and 40 hexadecimal digits: the signer's intent, Payout.id. */
export function payoutIntentOf(payout: { storeId: string; environment: Environment; payoutId: string }): string {
  const digest = sha256(JSON.stringify(['payout', payout.storeId, payout.environment, payout.payoutId]));
  return `po_${digest.toString('hex').slice(0, 40)}`;
}

// The name of a refund's payment, which follows from who asked for it and what they called it, and from nothing else: a
// database restored from a backup that has forgotten the refund gives it the same name when it is asked for again, and the
// signer then knows that it has signed it already.

import { sha256 } from '@/lib/crypto';
import type { Environment } from '@/lib/ids';

/** `re_` and 40 hexadecimal digits: the signer's intent, Refund.id. */
export function intentIdOf(refund: { storeId: string; environment: Environment; refundId: string }): string {
  const digest = sha256(JSON.stringify([refund.storeId, refund.environment, refund.refundId]));
  return `re_${digest.toString('hex').slice(0, 40)}`;
}

// For the dashboard: whether the paying wallet signed for the address that was given on the payment's page. This is for display only; the
// worker decides for itself (destination.ts).

import { networkSpec } from '@/lib/networks/networks';
import type { Context } from '@/lib/platform/context';
import { isSignedByPayer } from './signature';
import { readPayers, type DestinedRefund } from '@/lib/refunds/destination/payers';

type Requested = Pick<DestinedRefund, 'storeId' | 'environment' | 'sessionId' | 'network'>;

export async function isPageAddressSigned(
  context: Pick<Context, 'pool' | 'config'>,
  requested: Requested,
): Promise<boolean> {
  const { environment, sessionId, network } = requested;
  const spec = networkSpec(environment, network, context.config.TEST_CHAINS);
  const { rows } = await context.pool.query<{ address: string; givenAt: Date; signature: Buffer; requestedAt: Date }>({
    name: 'signed-page-address',
    text: `SELECT address, given_at AS "givenAt", signature, signature_requested_at AS "requestedAt" FROM refund_addresses
           WHERE session_id = $1 AND network = $2 AND intent_id IS NULL AND signature IS NOT NULL
             AND signature_requested_at IS NOT NULL`,
    values: [sessionId, network],
  });
  const [row] = rows;
  if (!row || !spec) return false;
  const payers = await readPayers(context.pool, { ...requested, caseId: null }, undefined);
  return isSignedByPayer(context, spec, { ...row, sessionId, signed: row }, payers);
}

// An operator's request for a proof of reserves now, besides the daily one. The worker makes it.

import { recordAudit } from '@/lib/merchants/audit/record';
import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { Environment } from '@/lib/platform/ids';

/** Each proof reads all balances and every wallet. The first applies where requests to the chains are free. */
const LOCAL_PAUSE_SECONDS = 10;
const PAUSE_SECONDS = 600;

/** Throws RATE_LIMITED for ten minutes after a proof or a request, on local chains for ten seconds. */
export async function requestProof(
  { pool, clock, config }: Pick<Context, 'pool' | 'clock' | 'config'>,
  environment: Environment,
  { by, address }: { readonly by: string; readonly address: string },
): Promise<void> {
  const now = clock.now();
  const pause = environment === 'test' && config.TEST_CHAINS === 'local' ? LOCAL_PAUSE_SECONDS : PAUSE_SECONDS;
  await transaction(pool, async (tx) => {
    const { rowCount } = await tx.query({
      name: 'reserve-request',
      text: `INSERT INTO reserve_requests AS r (environment, requested_at, requested_by)
             SELECT $1::"Environment", $2::timestamptz, $3
             WHERE NOT EXISTS (SELECT FROM reserve_proofs WHERE environment = $1::"Environment"
               AND made_at > $2::timestamptz - $4::int * interval '1 second')
             ON CONFLICT (environment) DO UPDATE SET requested_at = EXCLUDED.requested_at, requested_by = EXCLUDED.requested_by
               WHERE r.requested_at <= $2::timestamptz - $4::int * interval '1 second'`,
      values: [environment, now, by, pause],
    });
    if (rowCount === 0) throw new ServiceError('RATE_LIMITED', { retryAfter: pause });
    await recordAudit(tx, {
      actor: by,
      storeId: null,
      action: 'reserves.prove',
      target: environment,
      details: {},
      address,
      now,
    });
  });
}

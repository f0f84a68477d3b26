// Pauses the sweeps of one network and lets them go on. The worker reads the row before each sweep; what was sent is followed to its end.

import { recordAudit } from '@/lib/merchants/audit/record';
import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';

type Request = {
  readonly environment: string;
  readonly network: string;
  readonly by: string;
  readonly address: string;
};

/** A no-op when already paused. Throws NOT_FOUND for a network that the signer does not sweep. */
export const pauseSweeps = (context: Pick<Context, 'pool' | 'clock'>, request: Request): Promise<void> =>
  change(context, request, true);

/** A no-op when not paused. Throws NOT_FOUND. */
export const resumeSweeps = (context: Pick<Context, 'pool' | 'clock'>, request: Request): Promise<void> =>
  change(context, request, false);

async function change(
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  { environment, network, by, address }: Request,
  isPaused: boolean,
): Promise<void> {
  const now = clock.now();
  await transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ was_paused: boolean }>({
      name: 'sweeps-pause',
      text: `WITH known AS (SELECT environment, network, paused_at IS NOT NULL AS was_paused FROM sweep_states
               WHERE environment::text = $1 AND network = $2 FOR UPDATE),
             changed AS (UPDATE sweep_states s SET paused_at = CASE WHEN $3 THEN $4::timestamptz END, paused_by = CASE WHEN $3 THEN $5 END
               FROM known k WHERE (s.environment, s.network) = (k.environment, k.network) AND k.was_paused <> $3)
             SELECT was_paused FROM known`,
      values: [environment, network, isPaused, now, by],
    });
    const [known] = rows;
    if (!known) throw new ServiceError('NOT_FOUND');
    if (known.was_paused === isPaused) return;
    const action = isPaused ? 'sweeps.pause' : 'sweeps.resume';
    const details = { environment, network };
    await recordAudit(tx, {
      actor: by,
      storeId: null,
      action,
      target: `sweeps/${environment}/${network}`,
      details,
      address,
      now,
    });
  });
}

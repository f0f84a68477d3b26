// Pauses and resumes the refunds, the payouts or the cold transfers of one network. The worker reads the row before each signature request
// (lib/refunds/sending/draft/pause). It follows payments that were signed before to their end.

import { recordAudit } from '@/lib/merchants/audit/record';
import { offers } from '@/lib/networks/registry';
import type { Context } from '@/lib/platform/context';
import { transaction, type Db, type Tx } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { Environment } from '@/lib/platform/ids';

export const PAUSED_KINDS = ['refunds', 'payouts', 'cold_transfers'] as const;
export type PausedKind = (typeof PAUSED_KINDS)[number];

type Request = {
  readonly environment: string;
  readonly network: string;
  readonly kind: string;
  readonly by: string;
  readonly address: string;
};
type Deps = Pick<Context, 'pool' | 'clock' | 'config'>;

/** A no-op when already paused. Throws NOT_FOUND for an unknown network or kind. */
export const pausePayments = (deps: Deps, request: Request): Promise<void> =>
  change(deps, request, {
    action: 'payments.pause',
    write: (tx, now) =>
      tx.query({
        name: 'payments-pause',
        text: `INSERT INTO payment_pauses (environment, network, kind, paused_at, paused_by)
               VALUES ($1::"Environment", $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
        values: [request.environment, request.network, request.kind, now, request.by],
      }),
  });

/** A no-op when not paused. Throws NOT_FOUND. */
export const resumePayments = (deps: Deps, request: Request): Promise<void> =>
  change(deps, request, {
    action: 'payments.resume',
    write: (tx) =>
      tx.query({
        name: 'payments-resume',
        text: 'DELETE FROM payment_pauses WHERE environment::text = $1 AND network = $2 AND kind = $3',
        values: [request.environment, request.network, request.kind],
      }),
  });

type Change = {
  readonly action: string;
  readonly write: (tx: Tx, now: Date) => Promise<{ readonly rowCount: number | null }>;
};

async function change(
  { pool, clock, config }: Deps,
  { environment, network, kind, by, address }: Request,
  { action, write }: Change,
): Promise<void> {
  const isKnown = offers(config).some(({ spec }) => spec.environment === environment && spec.network === network);
  if (!isKnown || !PAUSED_KINDS.some((one) => one === kind)) throw new ServiceError('NOT_FOUND');
  const now = clock.now();
  await transaction(pool, async (tx) => {
    const { rowCount } = await write(tx, now);
    if (rowCount === 0) return;
    const target = `${kind}/${environment}/${network}`;
    const details = { environment, network, kind };
    await recordAudit(tx, { actor: by, storeId: null, action, target, details, address, now });
  });
}

export type Pause = {
  readonly network: string;
  readonly kind: PausedKind;
  readonly pausedAt: Date;
  /** The name of the operator; null when the account is gone. */
  readonly pausedBy: string | null;
};

export async function readPauses(db: Db, environment: Environment): Promise<readonly Pause[]> {
  const { rows } = await db.query<Pause>({
    name: 'payments-pauses',
    text: `SELECT p.network, p.kind, p.paused_at AS "pausedAt",
             (SELECT coalesce(nullif(u.name, ''), u.email) FROM users u WHERE 'user:' || u.id = p.paused_by) AS "pausedBy"
           FROM payment_pauses p WHERE p.environment = $1::"Environment"`,
    values: [environment],
  });
  return rows;
}

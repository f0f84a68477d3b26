// The open and the last transfers from cold wallets, as `npm run cold -- status` shows them.

import { NETWORKS, type NetworkSpec } from '@/lib/networks/networks';
import type { Context } from '@/lib/platform/context';
import { shortOf } from './shown';

const MAX_SHOWN = 20;

export type ShownReturn = {
  readonly id: string;
  /** `requested`, `expired` (no signature came in time), `signed`, or how it ended. */
  readonly state: string;
  readonly environment: string;
  readonly network: string;
  readonly currency: string;
  /** Base units. */
  readonly amount: string;
  readonly sender: string;
  readonly recipient: string;
  readonly createdAt: Date;
  readonly transactionHash: string | null;
  readonly text: string;
};

/** Open ones first, then the newest. */
export async function readStatus({ pool, clock }: Pick<Context, 'pool' | 'clock'>): Promise<readonly ShownReturn[]> {
  const { rows } = await pool.query<Omit<ShownReturn, 'text'>>({
    name: 'cold-returns-shown',
    text: `SELECT id, CASE WHEN outcome IS NOT NULL THEN outcome WHEN signed_at IS NOT NULL THEN 'signed'
               WHEN expires_at <= $1 THEN 'expired' ELSE 'requested' END AS state,
             environment::text AS environment, network, currency, amount::text AS amount, sender, recipient,
             created_at AS "createdAt", coalesce(landed_hash, transaction_hash) AS "transactionHash"
           FROM cold_returns ORDER BY ended_at IS NOT NULL, created_at DESC, position LIMIT ${MAX_SHOWN}`,
    values: [clock.now()],
  });
  return rows.map((row) => ({ ...row, text: lineOf(row) }));
}

function lineOf({
  id,
  state,
  network,
  currency,
  amount,
  environment,
  createdAt,
  transactionHash,
}: Omit<ShownReturn, 'text'>): string {
  // A test network may lack a token that its local chain has; where both have it, its decimals are the same.
  const isOf = (row: NetworkSpec): boolean =>
    row.network === network && row.environment === environment && Object.hasOwn(row.tokens, currency);
  const spec = NETWORKS.find(isOf) ?? { tokens: {} };
  const what = shortOf(spec, currency, BigInt(amount));
  return `${id}  ${state}  ${what} on ${network} (${environment}), requested ${createdAt.toISOString()}${transactionHash ? `, ${transactionHash}` : ''}`;
}

// A store's payout addresses for display: which one is in use, which one waits, and the former ones. The web process has no EVIDENCE_KEY,
// so this trusts the rows; payments do not (payable.ts).

import type { Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';

/**
 * `announcing`: the worker has not mailed the owners yet. `waiting`: until `payAfter`. `current`: payouts go there. `former`: a newer one
 * replaced it; it is used again if the newer one is stopped. `stopped`: never used again.
 */
export type PayoutAddressState = 'announcing' | 'waiting' | 'current' | 'former' | 'stopped';

export type PayoutAddress = {
  readonly id: string;
  readonly network: string;
  /** In stored form. */
  readonly address: string;
  readonly state: PayoutAddressState;
  readonly isContract: boolean;
  readonly isSigned: boolean;
  readonly createdAt: Date;
  /** The e-mail address of the user who added it; null if that user does not exist. */
  readonly creator: string | null;
  readonly payAfter: Date | null;
  readonly stoppedAt: Date | null;
};

type StoreAddresses = { readonly storeId: string; readonly environment: Environment; readonly now: Date };

/** A page shows no more. */
const MAX_LISTED = 200;

/** The addresses of all networks, newest first. */
export async function listPayoutAddresses(
  db: Db,
  { storeId, environment, now }: StoreAddresses,
): Promise<PayoutAddress[]> {
  const { rows } = await db.query<Omit<PayoutAddress, 'state'>>({
    name: 'payout-addresses',
    text: `SELECT p.id, p.network, p.address, p.is_contract AS "isContract", p.is_signed AS "isSigned",
             p.created_at AS "createdAt", u.email AS creator, p.pay_after AS "payAfter", p.stopped_at AS "stoppedAt"
           FROM payout_addresses p LEFT JOIN users u ON u.id = p.created_by
           WHERE p.store_id = $1 AND p.environment = $2::"Environment"
           ORDER BY p.pay_after DESC NULLS FIRST, p.created_at DESC, p.id DESC LIMIT ${MAX_LISTED}`,
    values: [storeId, environment],
  });
  return withStates(rows, now);
}

type Dated = Pick<PayoutAddress, 'network' | 'payAfter' | 'stoppedAt'>;

/** `rows`: newest first. Pure. */
export function withStates<Row extends Dated>(
  rows: readonly Row[],
  now: Date,
): (Row & { state: PayoutAddressState })[] {
  const inUse = new Set<string>();
  return rows.map((row) => {
    const state = stateOf(row, now, inUse.has(row.network));
    if (state === 'current') inUse.add(row.network);
    return { ...row, state };
  });
}

function stateOf({ payAfter, stoppedAt }: Dated, now: Date, isReplaced: boolean): PayoutAddressState {
  if (stoppedAt !== null) return 'stopped';
  if (payAfter === null) return 'announcing';
  if (payAfter > now) return 'waiting';
  return isReplaced ? 'former' : 'current';
}

// The part of a store's balance that payouts wait for: what it was credited for its sessions recently, and for sessions with a sender whose
// screening has no answer yet, less what it has refunded of them. Under the lock of the store's balances no payment is missing.

import type { Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { isSender } from '@/lib/screening/sender-sql';
import { quarantinedAccount, storeAccount, type AssetAmount } from './postings';

/**
 * The worker requests the answer about a sender within seconds, and its alarms report a step that fails. Older transfers without a request
 * are from before screening was switched on.
 */
const REQUESTED_MILLISECONDS = 3_600_000;

export type HeldScope = {
  readonly storeId: string;
  readonly environment: Environment;
  readonly now: Date;
  /** Payments that were credited after it are too young; null where the store's payouts wait for none. */
  readonly since: Date | null;
  /** The networks whose senders are screened (lib/screening/policy). */
  readonly screened: readonly string[];
};

/** Base units. `unchecked`: the part that waits for the screening, whatever its age. */
export type Held = AssetAmount & { readonly unchecked: bigint };

/** By token and network. A refund of an older session takes nothing from it, nor does the quarantine of one add to it when it ends. */
export async function readHeld(db: Db, of: HeldScope): Promise<readonly Held[]> {
  const unchecked = of.screened.length === 0 ? [] : await readUnchecked(db, of);
  const young = of.since === null ? [] : await readYoung(db, of, unchecked);
  const held = new Map<string, Held>();
  const add = ({ network, currency, amount }: AssetAmount, part: bigint): void => {
    const asset = `${network} ${currency}`;
    const former = held.get(asset) ?? { amount: 0n, unchecked: 0n };
    held.set(asset, { network, currency, amount: former.amount + amount, unchecked: former.unchecked + part });
  };
  for (const one of young) add(one, 0n);
  for (const one of unchecked) add(one, one.amount);
  return [...held.values()];
}

type Unchecked = AssetAmount & { readonly sessionId: string };

/**
 * What sessions have left on a network where one of their senders waits for an answer. OFFSET 0 as in frozen.ts. Transfers without a request
 * are looked up by the store's own entries, because other stores' are many.
 */
async function readUnchecked(
  db: Db,
  { storeId, environment, screened, now }: HeldScope,
): Promise<readonly Unchecked[]> {
  const { rows } = await db.query<Omit<Unchecked, 'amount'> & { readonly amount: string }>({
    name: 'ledger-unchecked',
    text: `WITH open AS (
             SELECT t.session_id, t.network FROM screenings x
               JOIN chains c ON c.environment = x.environment AND c.network = x.network AND c.retired_at IS NULL
               CROSS JOIN LATERAL (SELECT t.session_id, t.network FROM transfers t
                 WHERE t.chain_id = c.id AND ${isSender({ screening: 'x', transfer: 't', environment: '$2::"Environment"' })} OFFSET 0) AS t
             WHERE x.environment = $2::"Environment" AND x.network = ANY($4) AND x.next_at IS NOT NULL AND x.role = 'sender'
               AND x.verdict = 'unknown'
             UNION
             SELECT t.session_id, t.network FROM ledger_entries e JOIN transfers t ON t.session_id = e.session_id AND t.created_at >= $5
               JOIN chains c ON c.id = t.chain_id AND c.retired_at IS NULL
             WHERE e.store_id = $1 AND e.environment = $2::"Environment" AND e.created_at >= $5 AND t.network = ANY($4)
               AND NOT EXISTS (SELECT FROM screenings x
                 WHERE ${isSender({ screening: 'x', transfer: 't', environment: '$2::"Environment"' })}))
           SELECT o.session_id AS "sessionId", p.network, p.currency, (-sum(p.amount))::text AS amount
           FROM open o JOIN ledger_entries e ON e.session_id = o.session_id AND e.store_id = $1 AND e.environment = $2::"Environment"
             JOIN ledger_postings p ON p.entry_id = e.id AND p.account = $3 AND p.network = o.network
           GROUP BY 1, 2, 3 HAVING sum(p.amount) < 0 ORDER BY 1, 2, 3`,
    values: [
      ...[storeId, environment, storeAccount(storeId), screened],
      new Date(now.getTime() - REQUESTED_MILLISECONDS),
    ],
  });
  return rows.map((row) => ({ ...row, amount: BigInt(row.amount) }));
}

/** Without the sessions that are counted already. */
async function readYoung(
  db: Db,
  { storeId, environment, since }: HeldScope,
  counted: readonly Unchecked[],
): Promise<readonly AssetAmount[]> {
  const { rows } = await db.query<{ network: string; currency: string; amount: string }>({
    name: 'ledger-held',
    text: `SELECT network, currency, sum(net)::text AS amount FROM (
             SELECT p.network, p.currency,
               greatest(0, least(-sum(p.amount), -coalesce(sum(p.amount) FILTER (WHERE p.account = $3), 0))) AS net FROM ledger_entries e
             JOIN ledger_postings p ON p.entry_id = e.id AND p.account IN ($3, $7)
             WHERE e.store_id = $1 AND e.environment = $2::"Environment" AND e.created_at > $4 AND e.session_id IS NOT NULL
               AND (e.session_id, p.network) NOT IN (SELECT * FROM unnest($5::text[], $6::text[]))
             GROUP BY e.session_id, 1, 2) AS session
           GROUP BY 1, 2 HAVING sum(net) > 0 ORDER BY 1, 2`,
    values: [
      ...[storeId, environment, storeAccount(storeId), since],
      ...[counted.map(({ sessionId }) => sessionId), counted.map(({ network }) => network)],
      quarantinedAccount(storeId),
    ],
  });
  return rows.map((row) => ({ ...row, amount: BigInt(row.amount) }));
}

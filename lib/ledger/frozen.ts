// The money of a store that hits of the screening freeze. A deposit address with a hit that is not released is frozen whole, so all that its
// session has left on that network is. It follows from the hits and the postings alone, so an entry that was missed is noticed.

import type { Db, Tx } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { isSender } from '@/lib/screening/sender-sql';
import { lockStoreBalances } from './post-entry';
import { isSameAsset, quarantinedAccount, storeAccount, type AssetAmount } from './postings';

export type StoreScope = { readonly storeId: string; readonly environment: Environment };

/** A session's money in one asset. `wanted`: base units that belong in quarantine; `posted`: those that are there. */
export type FrozenFunds = {
  readonly sessionId: string;
  readonly network: string;
  readonly currency: string;
  readonly wanted: bigint;
  readonly posted: bigint;
};

/**
 * Conditions on sessions `s` and on balances `b`. OFFSET 0 makes PostgreSQL look up each hit, balance and session by an index: transfers and
 * postings are many. What the session's refunds cost was taken from its money too, although those entries have no session.
 */
const fundsSql = (of: { readonly session: string; readonly balance: string }): string => `
  frozen AS (SELECT DISTINCT s.store_id, s.environment, t.session_id, t.network
    FROM screenings h JOIN chains c ON c.environment = h.environment AND c.network = h.network
      CROSS JOIN LATERAL (SELECT t.session_id, t.network FROM transfers t
        WHERE t.chain_id = c.id AND ${isSender({ screening: 'h', transfer: 't', environment: 'h.environment' })} OFFSET 0) AS t
      JOIN sessions s ON s.id = t.session_id AND s.environment = h.environment
    WHERE h.verdict = 'hit' AND h.released_at IS NULL AND h.role = 'sender' AND ${of.session}),
  known AS (SELECT store_id, environment, session_id FROM frozen
    UNION SELECT e.store_id, e.environment, e.session_id
    FROM ledger_balances b
      CROSS JOIN LATERAL (SELECT p.entry_id FROM ledger_postings p
        WHERE p.account = b.account AND p.network = b.network AND p.currency = b.currency OFFSET 0) AS p
      CROSS JOIN LATERAL (SELECT e.store_id, e.environment, e.session_id FROM ledger_entries e
        WHERE e.id = p.entry_id AND e.environment = b.environment OFFSET 0) AS e
    WHERE b.account LIKE 'quarantined:%' AND b.amount <> 0 AND ${of.balance}),
  funds AS (SELECT k.store_id, k.environment, k.session_id, p.network, p.currency,
      CASE WHEN EXISTS (SELECT FROM frozen f WHERE f.session_id = k.session_id AND f.network = p.network)
        THEN greatest(0, -sum(p.amount)) ELSE 0 END AS wanted,
      coalesce(-sum(p.amount) FILTER (WHERE p.account LIKE 'quarantined:%'), 0) AS posted
    FROM known k CROSS JOIN LATERAL (SELECT p.account, p.network, p.currency, p.amount
        FROM ledger_entries e JOIN ledger_postings p ON p.entry_id = e.id
        WHERE e.session_id = k.session_id AND p.account IN ('store:' || k.store_id, 'quarantined:' || k.store_id)
      UNION ALL SELECT p.account, p.network, p.currency, p.amount
        FROM refunds r JOIN ledger_entries e ON e.intent_id = r.id AND e.session_id IS NULL
          JOIN ledger_postings p ON p.entry_id = e.id AND p.account = 'store:' || k.store_id
        WHERE r.session_id = k.session_id OFFSET 0) AS p
    GROUP BY 1, 2, 3, 4, 5)`;

const FUNDS_OF_ALL = fundsSql({ session: 'true', balance: 'true' });

/** Of one store, in the order of its sessions. Exact under the lock of the store's balances. */
export async function readFrozen(db: Db, { storeId, environment }: StoreScope): Promise<readonly FrozenFunds[]> {
  const { rows } = await db.query<Omit<FrozenFunds, 'wanted' | 'posted'> & { wanted: string; posted: string }>({
    name: 'frozen-of-store',
    text: `WITH ${fundsSql({
      session: 's.store_id = $1 AND s.environment = $2::"Environment"',
      balance: 'b.account = $3 AND b.environment = $2::"Environment"',
    })}
      SELECT session_id AS "sessionId", network, currency, wanted::text AS wanted, posted::text AS posted
      FROM funds WHERE wanted <> 0 OR posted <> 0 ORDER BY session_id, network, currency`,
    values: [storeId, environment, quarantinedAccount(storeId)],
  });
  return rows.map((row) => ({ ...row, wanted: BigInt(row.wanted), posted: BigInt(row.posted) }));
}

/** Stores after `after` with postings to be made: money to be released, or money to be quarantined while the store has some. */
export async function storesToQuarantine(
  db: Db,
  { after, limit }: { readonly after: StoreScope | undefined; readonly limit: number },
): Promise<readonly StoreScope[]> {
  const { rows } = await db.query<StoreScope>({
    name: 'frozen-stores',
    text: `WITH ${FUNDS_OF_ALL}
      SELECT DISTINCT f.store_id AS "storeId", f.environment FROM funds f
        LEFT JOIN ledger_balances b ON b.environment = f.environment AND b.account = 'store:' || f.store_id
          AND b.network = f.network AND b.currency = f.currency
      WHERE (f.wanted < f.posted OR (f.wanted > f.posted AND b.amount < 0))
        AND ($2::text IS NULL OR (f.store_id, f.environment) > ($2::text, $3::"Environment")) ORDER BY 1, 2 LIMIT $1`,
    values: [limit, after?.storeId, after?.environment],
  });
  return rows;
}

/** Frozen money of a store that it no longer had when the hit was found. */
export type QuarantineShortfall = StoreScope & AssetAmount;

export async function readShortfalls(db: Db, limit: number): Promise<readonly QuarantineShortfall[]> {
  const { rows } = await db.query<Omit<QuarantineShortfall, 'amount'> & { readonly amount: string }>({
    name: 'frozen-shortfalls',
    text: `WITH ${FUNDS_OF_ALL},
      missing AS (SELECT store_id, environment, network, currency, sum(wanted - posted) AS amount FROM funds GROUP BY 1, 2, 3, 4)
      SELECT m.store_id AS "storeId", m.environment, m.network, m.currency, (m.amount + coalesce(b.amount, 0))::text AS amount
      FROM missing m LEFT JOIN ledger_balances b ON b.environment = m.environment AND b.account = 'store:' || m.store_id
        AND b.network = m.network AND b.currency = m.currency
      WHERE m.amount + coalesce(b.amount, 0) > 0 ORDER BY 1, 2, 3, 4 LIMIT $1`,
    values: [limit],
  });
  return rows.map((row) => ({ ...row, amount: BigInt(row.amount) }));
}

/** Whether hits freeze more of a token than the store has. What it still has to pay out is then partly frozen money. */
export async function isShort(db: Db, of: StoreScope, asset: Omit<AssetAmount, 'amount'>): Promise<boolean> {
  const missing = (await readFrozen(db, of))
    .filter((one) => isSameAsset(one, asset))
    .reduce((sum, { wanted, posted }) => sum + wanted - posted, 0n);
  if (missing <= 0n) return false;
  const { rows } = await db.query<{ available: string }>({
    name: 'frozen-available',
    text: `SELECT (-amount)::text AS available FROM ledger_balances
           WHERE environment = $1::"Environment" AND account = $2 AND network = $3 AND currency = $4`,
    values: [of.environment, storeAccount(of.storeId), asset.network, asset.currency],
  });
  return missing > BigInt(rows[0]?.available ?? 0);
}

/** `amount`: what can be taken of the store's balance. `quarantined`: what the session of the refund has in quarantine. */
export type Spendable = AssetAmount & { readonly quarantined: bigint };

type Spending = StoreScope & {
  /** Of a refund. It may take the frozen money of its own session, because it is held until the hit is released. */
  readonly sessionId?: string;
  /** The payment was signed before, so no hit can stop it (unfreezeFor). */
  readonly isSigned?: boolean;
};

/**
 * Locks a store's balances and returns what a payout or a refund may take. What hits freeze is left out, also before it is posted to the
 * quarantine.
 */
export async function lockSpendable(
  tx: Tx,
  { sessionId, isSigned = false, ...of }: Spending,
): Promise<readonly Spendable[]> {
  const balances = await lockStoreBalances(tx, of);
  // Read under the lock, so that it includes what another transaction has posted.
  const frozen = await readFrozen(tx, of);
  return balances.map((held) => {
    const ofAsset = frozen.filter((one) => isSameAsset(one, held));
    const own = ofAsset.find((one) => one.sessionId === sessionId);
    return {
      ...held,
      amount: ofAsset
        .filter((one) => one !== own && one.wanted > one.posted && !isSigned)
        .reduce((left, { wanted, posted }) => left - (wanted - posted), held.amount),
      quarantined: own?.posted ?? 0n,
    };
  });
}

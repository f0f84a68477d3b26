// What deposit addresses of closed sessions hold by the stored transfers: the list from which an operator sweeps. The addresses are read
// page by page, so that the list of a large installation needs little memory.

import { FAMILIES } from '@/lib/networks/families/family';
import { saltOf } from '@/lib/networks/families/tron/sweeping/forwarders';
import type { NetworkFamily } from '@/lib/networks/chain';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { Db } from '@/lib/platform/database/db';

export type Holding = {
  /** Derivation index of the address. */
  readonly index: number;
  /** The derivation path of its key, or the contract and the salt of a forwarder. */
  readonly path: string;
  /** As wallets write it. */
  readonly address: string;
  readonly currency: string;
  /** Base units, greater than zero. */
  readonly amount: bigint;
  readonly decimals: number;
  readonly sessionId: string;
  readonly closedAt: Date;
};

/** Sessions read at once. */
const PAGE = 10_000;

/** As in lib/treasury/wallets/derivation. */
const PATHS: Readonly<Record<NetworkFamily, (index: number) => string>> = {
  evm: (index) => `m/44'/60'/0'/0/${index}`,
  tron: (index) => `m/44'/195'/0'/0/${index}`,
  solana: (index) => `m/44'/501'/${index}'/0'`,
};

export type HoldingsQuery = {
  readonly spec: NetworkSpec;
  /** Only sessions that closed at this time or earlier. Customers of later ones may still pay. */
  readonly closedBefore: Date;
};

/**
 * The holdings in the order of their indexes. Leaves out addresses with an open discrepancy: what they hold is in doubt.
 */
export async function* holdingsOf(db: Db, { spec, closedBefore }: HoldingsQuery): AsyncGenerator<Holding> {
  const { addressColumn, shownAddress } = FAMILIES[spec.family];
  for (let after = -1; ;) {
    const { rows } = await db.query<Row>({
      ...pageQuery(addressColumn),
      values: [spec.environment, spec.network, after, closedBefore],
    });
    for (const row of rows) {
      if (row.currency === null) continue;
      const { index, address, amount, evm, factory, session_id: sessionId, closed_at: closedAt, ...rest } = row;
      const held = { ...rest, index, sessionId, closedAt, currency: row.currency, amount: BigInt(amount) };
      const isForwarder = spec.family === 'tron' && factory !== null;
      const path = isForwarder ? `forwarder ${factory} 0x${saltOf(evm)}` : PATHS[spec.family](index);
      yield { ...held, path, address: shownAddress(address) };
    }
    const last = rows.at(-1);
    if (!last) return;
    after = last.index;
  }
}

/** The last row of a page names its last session, without a token. */
type Row = {
  readonly index: number;
  readonly address: string;
  readonly evm: string;
  readonly factory: string | null;
  readonly amount: string;
  readonly decimals: number;
  readonly session_id: string;
  readonly closed_at: Date;
  readonly currency: string | null;
};

const pageQuery = (column: string) => ({
  name: `holdings_${column}`,
  text: `WITH page AS MATERIALIZED (SELECT id, address_index, ${column} AS address, evm_address AS evm, tron_factory AS factory, status, closed_at FROM sessions
             WHERE environment = $1::"Environment" AND address_index > $3 ORDER BY address_index LIMIT ${PAGE}),
           chain AS (SELECT id FROM chains WHERE environment = $1::"Environment" AND network = $2 AND retired_at IS NULL),
           arrived AS (SELECT p.id, t.currency, t.decimals, sum(t.amount) AS amount FROM page p, transfers t, chain
             WHERE t.session_id = p.id AND t.chain_id = chain.id AND t.recipient = p.address GROUP BY 1, 2, 3)
         SELECT p.address_index AS index, p.address, p.evm, p.factory, held.amount::text AS amount, arrived.decimals, p.id AS session_id, p.closed_at,
           arrived.currency
         FROM page p JOIN arrived ON arrived.id = p.id CROSS JOIN chain
           CROSS JOIN LATERAL (SELECT arrived.amount - COALESCE(sum(o.amount), 0) AS amount FROM outgoing_transfers o
             WHERE o.payer = p.address AND o.chain_id = chain.id AND o.currency = arrived.currency) AS held
         WHERE p.status <> 'pending' AND p.closed_at <= $4 AND held.amount > 0
           AND NOT EXISTS (SELECT FROM discrepancies d WHERE d.chain_id = chain.id AND d.address = p.address AND d.ended_at IS NULL)
         UNION ALL SELECT max(address_index), '', '', NULL, '0', 0, '', $4, NULL FROM page HAVING count(*) > 0
         ORDER BY index, currency NULLS LAST`,
});

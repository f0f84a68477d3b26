// Sweeps of all networks of one environment, newest first, by one statement a page; and one of them with its addresses.

import { coinOf, networkSpec } from '@/lib/networks/networks';
import { displayAddress, explorerUrl } from '@/lib/networks/payment-uri';
import { minorUnitsToText } from '@/lib/money/amounts';
import type { Context } from '@/lib/platform/context';
import type { Environment } from '@/lib/platform/ids';
import type { SweepStatus } from '@/lib/sweeps/rows';
import { keyset, pageOf, type Page, type PageRequest } from './keyset';

export const SWEEP_STATES = ['open', 'final', 'failed'] as const;
export type SweepFilters = {
  readonly network?: string | null;
  readonly state?: (typeof SWEEP_STATES)[number] | null;
};

export type SweepKind = 'deploy' | 'batch' | 'activate' | 'top_up' | 'delegate' | 'undelegate' | 'flush' | 'transfer';

/** `url`: its page in the network's explorer; null where there is none. */
type Transaction = { readonly hash: string; readonly url: string | null };

export type SweepRow = {
  readonly id: string;
  readonly network: string;
  readonly kind: SweepKind;
  readonly status: SweepStatus;
  /** Null for the deployment of the contract. */
  readonly currency: string | null;
  readonly addresses: number;
  /** Null until it has ended. */
  readonly movedAddresses: number | null;
  /** Decimal text: what it moved, or is to move while it is open. Null where it moves no tokens. */
  readonly amount: string | null;
  /** Decimal text in the network's coin; null until it is final. */
  readonly fee: string | null;
  readonly coin: string;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
  /** Null until it is signed. */
  readonly transaction: Transaction | null;
};

type Row = Omit<SweepRow, 'amount' | 'coin' | 'transaction'> & {
  readonly amount: string | null;
  readonly decimals: number | null;
  readonly hash: string | null;
};

type Deps = { readonly pool: Pick<Context['pool'], 'query'>; readonly config: Pick<Context['config'], 'TEST_CHAINS'> };

/** One page. */
export async function listSweeps(
  { pool, config }: Deps,
  environment: Environment,
  filters: SweepFilters,
  pageRequest: PageRequest,
): Promise<Page<SweepRow>> {
  const { rows } = await pool.query<Row>(sweepsStatement(environment, filters, pageRequest));
  return pageOf(
    rows.map((row) => sweepOf(row, environment, config.TEST_CHAINS)),
    pageRequest,
    (row) => row,
  );
}

const CONDITIONS: Readonly<Record<(typeof SWEEP_STATES)[number], string>> = {
  open: 's.ended_at IS NULL',
  final: `s.status = 'final'`,
  failed: `s.status IN ('reverted', 'lapsed', 'canceled')`,
};

/** Of several signed variants any may be in a block: the one that moved tokens, else the newest. */
const LANDED = `SELECT o.transaction_hash FROM sweep_items i JOIN outgoing_transfers o ON o.payer = i.address AND o.chain_id = i.chain_id
    AND o.currency = i.currency AND o.transaction_hash = ANY (p.hashes) WHERE i.sweep_id = p.id AND cardinality(p.hashes) > 1 LIMIT 1`;

const COLUMNS = `p.id::text AS id, p.network, p.kind, p.status, p.currency, p.fee::text AS fee, p.created_at AS "createdAt",
    p.ended_at AS "endedAt", t.addresses, t.decimals, CASE WHEN p.ended_at IS NOT NULL THEN t.moved END AS "movedAddresses",
    CASE WHEN p.kind IN ('batch', 'transfer') THEN t.amount::text END AS amount,
    coalesce((${LANDED}), p.hashes[cardinality(p.hashes)]) AS hash`;

const TOTALS = `CROSS JOIN LATERAL (SELECT count(*)::int AS addresses, min(i.decimals) AS decimals, (count(*) FILTER (WHERE i.moved > 0))::int AS moved,
      coalesce(sum(CASE WHEN p.ended_at IS NULL THEN i.amount ELSE i.moved END), 0) AS amount
    FROM sweep_items i WHERE i.sweep_id = p.id) t`;

/** Not named: it contains only the requested conditions, and PostgreSQL plans it with their values. */
export function sweepsStatement(
  environment: Environment,
  filters: SweepFilters,
  pageRequest: PageRequest,
): { text: string; values: unknown[] } {
  const values: unknown[] = [environment];
  const given = (value: unknown): string => `$${values.push(value)}`;
  const conditions = ['s.environment = $1::"Environment"'];
  if (filters.network) conditions.push(`s.network = ${given(filters.network)}`);
  if (filters.state) conditions.push(CONDITIONS[filters.state]);
  const { condition, order } = keyset(pageRequest, ['s.created_at', 's.id'], given);
  const text = `WITH page AS (SELECT s.* FROM sweeps s WHERE ${conditions.join(' AND ')}${condition} ${order})
    SELECT ${COLUMNS} FROM page p ${TOTALS} ${order.replaceAll('s.', 'p.').replace(/ LIMIT .*$/, '')}`;
  return { text, values };
}

function sweepOf(
  { decimals, hash, ...row }: Row,
  environment: Environment,
  testChains: Deps['config']['TEST_CHAINS'],
): SweepRow {
  const spec = networkSpec(environment, row.network, testChains);
  const coin = coinOf(row.network);
  return {
    ...row,
    amount: row.amount === null ? null : minorUnitsToText(BigInt(row.amount), decimals ?? 0),
    fee: row.fee === null ? null : minorUnitsToText(BigInt(row.fee), coin?.decimals ?? 0),
    coin: coin?.symbol ?? '',
    transaction: hash === null ? null : { hash, url: spec && explorerUrl(spec, hash) },
  };
}

export type SweepItem = {
  readonly address: string;
  /** Decimal texts. `moved`: null until the sweep has ended. */
  readonly amount: string;
  readonly moved: string | null;
  readonly currency: string;
  /** Why it was not moved (lib/sweeps/reasons.ts); null if it was. */
  readonly reason: string | null;
  readonly storeId: string;
  readonly sessionId: string;
};

export type SweepView = SweepRow & {
  readonly environment: Environment;
  readonly sender: string;
  /** Null on networks that have none. */
  readonly nonce: string | null;
  readonly signedAt: Date | null;
  readonly message: string | null;
  /** Of all variants with its account nonce, oldest first. At most one of them can be in a block. */
  readonly transactions: readonly Transaction[];
  readonly items: readonly SweepItem[];
};

type ViewRow = Row & {
  readonly environment: Environment;
  readonly sender: string;
  readonly nonce: string | null;
  readonly signedAt: Date | null;
  readonly message: string | null;
  readonly hashes: readonly string[];
  readonly items: readonly (SweepItem & { readonly decimals: number })[] | null;
};

/** Null for an unknown one. `id`: the number of a row. */
export async function readSweep({ pool, config }: Deps, id: string): Promise<SweepView | null> {
  const { rows } = await pool.query<ViewRow>({
    name: 'operator-sweep',
    text: `SELECT ${COLUMNS}, p.environment, p.sender, p.terms->>'nonce' AS nonce, p.signed_at AS "signedAt", p.message, p.hashes,
             (SELECT json_agg(json_build_object('address', i.address, 'amount', i.amount::text, 'moved', i.moved::text,
                'currency', i.currency, 'decimals', i.decimals, 'reason', i.reason, 'storeId', o.store_id, 'sessionId', i.session_id)
                ORDER BY i.address_index)
              FROM sweep_items i JOIN sessions o ON o.id = i.session_id WHERE i.sweep_id = p.id) AS items
           FROM sweeps p ${TOTALS} WHERE p.id = $1`,
    values: [id],
  });
  const [row] = rows;
  if (!row) return null;
  const { hashes, items, ...rest } = row;
  const spec = networkSpec(row.environment, row.network, config.TEST_CHAINS);
  const shown = (address: string): string => (spec ? displayAddress(spec.family, address) : address);
  return {
    ...rest,
    ...sweepOf(rest, row.environment, config.TEST_CHAINS),
    sender: shown(row.sender),
    transactions: hashes.map((hash) => ({ hash, url: spec && explorerUrl(spec, hash) })),
    items: (items ?? []).map(({ decimals, ...item }) => ({
      ...item,
      address: shown(item.address),
      amount: minorUnitsToText(BigInt(item.amount), decimals),
      moved: item.moved === null ? null : minorUnitsToText(BigInt(item.moved), decimals),
    })),
  };
}

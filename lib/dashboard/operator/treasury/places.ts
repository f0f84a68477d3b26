// Where the page Treasury shows the tokens of a network beside its deposit addresses: in the refund, treasury and cold wallet as the chain
// reports them, what the screening has frozen, and how many rows are in quarantine.

import { readReserveRows, unreadPlaces, type ReserveRow } from '@/lib/dashboard/operator/reserves';
import { minorUnitsToText } from '@/lib/money/amounts';
import { offers } from '@/lib/networks/registry';
import type { Context } from '@/lib/platform/context';
import type { Environment } from '@/lib/platform/ids';
import { isSweepBarred } from '@/lib/screening/sender-sql';

export type PlaceRow = Pick<ReserveRow, 'currency' | 'refundWallet' | 'treasury' | 'cold'> & {
  /** At deposit addresses that a hit freezes; decimal text. */
  readonly frozen: string;
  readonly frozenAddresses: number;
};

export type NetworkPlaces = {
  readonly network: string;
  readonly tokens: readonly PlaceRow[];
  /** Rows that a step of the worker failed on. */
  readonly quarantined: number;
};

/** Of each network that is offered. */
export async function readPlaces(
  context: Pick<Context, 'pool' | 'config'>,
  environment: Environment,
): Promise<readonly NetworkPlaces[]> {
  const { pool, config } = context;
  const specs = offers(config)
    .map(({ spec }) => spec)
    .filter((spec) => spec.environment === environment);
  const [reserves, frozen, counts] = await Promise.all([
    readReserveRows(context, environment),
    readFrozen(pool, environment),
    readQuarantined(pool, environment),
  ]);
  const unread = unreadPlaces(config, environment);
  return specs.map(({ network, tokens }) => ({
    network,
    tokens: Object.entries(tokens).map(([currency, { decimals }]): PlaceRow => {
      const isOwn = (row: { readonly network: string; readonly currency: string }): boolean =>
        row.network === network && row.currency === currency;
      const held = reserves.find(isOwn) ?? { refundWallet: null, ...unread(network) };
      const barred = frozen.find(isOwn);
      return {
        currency,
        refundWallet: held.refundWallet,
        treasury: held.treasury,
        cold: held.cold,
        frozen: minorUnitsToText(BigInt(barred?.amount ?? 0), decimals),
        frozenAddresses: barred?.addresses ?? 0,
      };
    }),
    quarantined: counts.find((one) => one.network === network)?.count ?? 0,
  }));
}

type Frozen = {
  readonly network: string;
  readonly currency: string;
  readonly amount: string;
  readonly addresses: number;
};

async function readFrozen(pool: Context['pool'], environment: Environment): Promise<readonly Frozen[]> {
  const barred = isSweepBarred({
    sessionId: 'd.session_id',
    chainId: 'd.chain_id',
    address: 'd.address',
    environment: 'c.environment',
    isScreened: 'false',
  });
  const { rows } = await pool.query<Frozen>({
    name: 'operator-frozen-deposits',
    text: `SELECT c.network, d.currency, sum(d.amount)::text AS amount, count(*)::int AS addresses
           FROM chains c JOIN deposit_balances d ON d.chain_id = c.id AND d.amount > 0
           WHERE c.environment = $1::"Environment" AND c.retired_at IS NULL AND ${barred} GROUP BY 1, 2`,
    values: [environment],
  });
  return rows;
}

type Quarantined = { readonly network: string | null; readonly count: number };

async function readQuarantined(pool: Context['pool'], environment: Environment): Promise<readonly Quarantined[]> {
  const { rows } = await pool.query<Quarantined>({
    name: 'operator-quarantine-counts',
    text: `SELECT network, count(*)::int AS count FROM quarantine
           WHERE resolved_at IS NULL AND environment = $1::"Environment" AND network IS NOT NULL GROUP BY 1`,
    values: [environment],
  });
  return rows;
}

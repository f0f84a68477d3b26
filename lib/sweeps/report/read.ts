// What operators learn about the sweeps of each network: what is at deposit addresses, in open sweeps, and swept within a day, what that
// cost, and how long the sponsor's coin lasts. Two round trips. Their cost grows with addresses that hold money and with the sweeps of
// a week, never with all sweeps.

import { coinOf, type NetworkSpec } from '@/lib/networks/networks';
import type { Context } from '@/lib/platform/context';
import { parseDecimal } from '@/lib/money/amounts';
import { leastWorth, rulesOf } from '@/lib/sweeps/rules';
import { centsOf, type Costs } from '@/lib/sweeps/costs';
import type { EnergyReading } from '@/lib/sweeps/context';
import type { SweepStatus } from '@/lib/sweeps/rows';
import { readHeld, type Held, type WorthLimits } from './held';
import { coinPerDay } from './sponsor';

/** Base units. */
type Amount = { readonly currency: string; readonly amount: bigint; readonly addresses: number };

export type SweepState = {
  readonly treasury: string;
  readonly sponsor: string;
  /** In the coin's smallest unit, as all fees here; null until it was read. */
  readonly coin: bigint | null;
  /** Null on networks without energy, and until it was read. */
  readonly energy: EnergyReading | null;
  readonly feesPerHour: bigint;
  readonly feesLastHour: bigint;
  /** A code of lib/sweeps/reasons.ts; null while sweeps go out. */
  readonly hold: string | null;
  /** When the worker last read the sponsor's coin. */
  readonly readAt: Date;
  readonly pausedAt: Date | null;
  /** The name or address of the operator. */
  readonly pausedBy: string | null;
};

export type SweepReport = {
  readonly spec: NetworkSpec;
  /** Null until the worker has followed the network. */
  readonly chainId: number | null;
  /** Null while the signer sweeps nothing here. */
  readonly state: SweepState | null;
  readonly held: readonly Held[];
  /** What these limits leave out is not worth a sweep yet. */
  readonly limits: WorthLimits;
  readonly inFlight: readonly Amount[];
  /**
   * Of sweeps that ended within 24 hours, and of the energy that was rented within them. `fee` and `rented` in the coin's smallest unit;
   * `fee` includes what was rented.
   */
  readonly day: {
    readonly swept: readonly Amount[];
    readonly fee: bigint;
    readonly rented: { readonly orders: number; readonly cost: bigint };
  };
  /** Of the network's coin. */
  readonly costs: Costs;
  /** What the sponsor used a day, by the last 7 days; null when it used none. */
  readonly coinPerDay: bigint | null;
  /** Open sweeps, and those that ended within 24 hours. */
  readonly statuses: readonly { readonly status: SweepStatus; readonly count: number }[];
};

type Deps = Pick<Context, 'pool' | 'clock'>;

/** An older price or fee says nothing about now. */
const PRICE_SECONDS = 86_400;
const FEE_SECONDS = 3600;
const [DAY_SECONDS, WEEK_SECONDS] = [86_400, 7 * 86_400];

/** Of these networks, in their order. */
export async function readSweepReports(deps: Deps, specs: readonly NetworkSpec[]): Promise<readonly SweepReport[]> {
  const now = deps.clock.now();
  const rows = await readRows(deps, specs, now);
  const reports = specs.map((spec) => {
    const row = rows.find(({ environment, network }) => environment === spec.environment && network === spec.network);
    const costs = { price: row?.price ? parseDecimal(row.price) : null, decimals: spec.coin.decimals };
    const cost = row?.fee ? centsOf(costs, BigInt(row.fee)) : null;
    const limits = { ...limitsOf(spec, cost, now), currencies: Object.keys(spec.tokens) };
    return { ...partOf(row, now), spec, chainId: row?.chain_id ?? null, costs, limits };
  });
  const held = await readHeld(deps.pool, reports);
  return reports.map((one) => ({ ...one, held: held.filter(({ chainId }) => chainId === one.chainId) }));
}

/** While the cost of a sweep is unknown, old dust stays dust: the worker may know that it is not worth its fee. */
function limitsOf(spec: NetworkSpec, cost: bigint | null, now: Date): ReturnType<typeof leastWorth> {
  const limits = leastWorth(rulesOf(spec), cost ?? 0n, now);
  return cost === null ? { ...limits, oldest: { ...limits.oldest, cents: limits.late.cents } } : limits;
}

type Sums = readonly { readonly currency: string; readonly amount: string; readonly addresses: number }[] | null;

type Row = {
  readonly environment: string;
  readonly network: string;
  readonly chain_id: number | null;
  readonly treasury: string | null;
  readonly sponsor: string | null;
  readonly coin: string | null;
  readonly energy: string | null;
  readonly energy_read_at: Date | null;
  readonly fees_per_hour: string | null;
  readonly fees_last_hour: string | null;
  readonly hold: string | null;
  readonly read_at: Date | null;
  readonly paused_at: Date | null;
  readonly paused_by: string | null;
  readonly price: string | null;
  readonly fee: string | null;
  readonly in_flight: Sums;
  readonly swept: Sums;
  readonly day_fee: string;
  readonly day_orders: number | null;
  readonly day_rent: string | null;
  readonly week_use: string;
  readonly first_at: Date | null;
  readonly statuses: SweepReport['statuses'] | null;
};

function partOf(row: Row | undefined, now: Date) {
  return {
    state: row ? stateOf(row) : null,
    inFlight: amountsOf(row?.in_flight ?? null),
    day: {
      swept: amountsOf(row?.swept ?? null),
      fee: BigInt(row?.day_fee ?? 0) + BigInt(row?.day_rent ?? 0),
      rented: { orders: row?.day_orders ?? 0, cost: BigInt(row?.day_rent ?? 0) },
    },
    coinPerDay: coinPerDay({ used: BigInt(row?.week_use ?? 0), firstAt: row?.first_at ?? null, now }),
    statuses: row?.statuses ?? [],
  };
}

const amountsOf = (sums: Sums): readonly Amount[] =>
  (sums ?? []).map(({ amount, ...one }) => ({ ...one, amount: BigInt(amount) }));

const stateOf = (row: Row): SweepState | null =>
  row.treasury === null || row.sponsor === null || row.read_at === null
    ? null
    : {
        treasury: row.treasury,
        sponsor: row.sponsor,
        coin: row.coin === null ? null : BigInt(row.coin),
        energy:
          row.energy === null || row.energy_read_at === null
            ? null
            : { left: BigInt(row.energy), readAt: row.energy_read_at },
        feesPerHour: BigInt(row.fees_per_hour ?? 0),
        feesLastHour: BigInt(row.fees_last_hour ?? 0),
        hold: row.hold,
        readAt: row.read_at,
        pausedAt: row.paused_at,
        pausedBy: row.paused_by,
      };

/** The addresses of each sweep are summed by themselves, so that PostgreSQL never reads those of all sweeps. */
const totals = (amount: string, ofSweeps: string, ofItems: string): string => `(SELECT json_agg(json_build_object(
    'currency', currency, 'amount', amount::text, 'addresses', addresses) ORDER BY currency) FROM (
      SELECT x.currency, sum(x.amount) AS amount, sum(x.addresses)::int AS addresses FROM sweeps o CROSS JOIN LATERAL (
        SELECT i.currency, sum(${amount}) AS amount, count(*) AS addresses FROM sweep_items i
        WHERE i.sweep_id = o.id AND ${ofItems} GROUP BY i.currency) x
      WHERE o.chain_id = c.id AND ${ofSweeps} GROUP BY x.currency) AS summed)`;

/** `$4`: now; `$5`: a day ago; `$6`: a week ago. A top-up takes its amount from the sponsor beside the fee. */
const TEXT = `SELECT w.environment, w.network, c.id AS chain_id, s.treasury, s.sponsor, s.coin::text AS coin, s.energy::text AS energy, s.energy_read_at,
    s.fees_per_hour::text AS fees_per_hour, s.fees_last_hour::text AS fees_last_hour, s.hold, s.read_at, s.paused_at,
    (SELECT coalesce(nullif(u.name, ''), u.email) FROM users u WHERE 'user:' || u.id = s.paused_by) AS paused_by,
    (SELECT p.price::text FROM coin_prices p WHERE p.coin = w.coin
      AND p.agreed_at >= $4::timestamptz - interval '${PRICE_SECONDS} seconds') AS price,
    (SELECT f.amount::text FROM network_fees f WHERE f.environment = w.environment AND f.network = w.network
      AND f.read_at >= $4::timestamptz - interval '${FEE_SECONDS} seconds') AS fee,
    ${totals('i.amount', 'o.ended_at IS NULL', 'i.ended_at IS NULL')} AS in_flight,
    ${totals('i.moved', 'o.ended_at > $5', 'i.moved > 0')} AS swept,
    (SELECT coalesce(sum(o.fee), 0)::text FROM sweeps o WHERE o.chain_id = c.id AND o.ended_at > $5) AS day_fee,
    rented.orders AS day_orders, rented.cost::text AS day_rent,
    (SELECT coalesce(sum(coalesce(o.fee, 0) + CASE WHEN o.kind = 'top_up' AND o.status = 'final'
        THEN (o.request->>'amount')::numeric ELSE 0 END), 0)::text
      FROM sweeps o WHERE o.chain_id = c.id AND o.ended_at > $6 AND o.sender = s.sponsor) AS week_use,
    (SELECT o.ended_at FROM sweeps o WHERE o.chain_id = c.id AND o.ended_at IS NOT NULL ORDER BY o.ended_at LIMIT 1) AS first_at,
    (SELECT json_agg(json_build_object('status', status, 'count', count)) FROM (
      SELECT o.status, count(*)::int AS count FROM sweeps o
      WHERE o.chain_id = c.id AND (o.ended_at IS NULL OR o.ended_at > $5) GROUP BY o.status) AS counted) AS statuses
  FROM unnest($1::"Environment"[], $2::text[], $3::text[]) AS w (environment, network, coin)
  LEFT JOIN chains c ON c.environment = w.environment AND c.network = w.network AND c.retired_at IS NULL
  LEFT JOIN sweep_states s ON s.environment = w.environment AND s.network = w.network
  LEFT JOIN LATERAL (SELECT count(*)::int AS orders, coalesce(sum(r.cost), 0) AS cost FROM energy_rentals r
    WHERE r.chain_id = c.id AND r.ordered_at > $5 AND r.outcome IS DISTINCT FROM 'refused') AS rented ON true`;

async function readRows({ pool }: Deps, specs: readonly NetworkSpec[], now: Date): Promise<readonly Row[]> {
  const before = (seconds: number): Date => new Date(now.getTime() - seconds * 1000);
  const { rows } = await pool.query<Row>({
    name: 'sweep-reports',
    text: TEXT,
    values: [
      specs.map(({ environment }) => environment),
      specs.map(({ network }) => network),
      specs.map(({ network }) => coinOf(network)?.symbol ?? ''),
      now,
      before(DAY_SECONDS),
      before(WEEK_SECONDS),
    ],
  });
  return rows;
}

// The public status: how far every configured network is scanned and how its endpoints work, without an address, a key or an
// internal text. One query, at most once a second for any number of readers.

import type { EndpointState } from '@/lib/networks/endpoints/health';
import { offers, type Offer, type Withheld } from '@/lib/networks/registry';
import { unixSeconds } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import type { Pool } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import {
  judgeNetwork,
  overallState,
  type ChainFacts,
  type EndpointCounts,
  type NetworkState,
  type PublicTrouble,
} from './network-state';

/** Times are Unix seconds. */
export type NetworkStatus = {
  readonly environment: Environment;
  readonly network: string;
  readonly state: NetworkState;
  readonly trouble: PublicTrouble | null;
  /** The last scanned block and the time of the final one; null before the first. */
  readonly tip_block: number | null;
  readonly final_block: number | null;
  readonly final_block_time: number | null;
  /** Seconds since everything up to the newest block was scanned without trouble. */
  readonly lag_seconds: number | null;
  /** Every block since then was scanned without a gap. */
  readonly scanned_without_gap_since: number | null;
  readonly endpoints: { readonly configured: number } & EndpointCounts;
  readonly not_offered: readonly { readonly currency: string; readonly reason: Withheld }[];
};

export type Status = {
  readonly state: 'ok' | 'degraded' | 'down';
  readonly read_at: number;
  readonly networks: readonly NetworkStatus[];
};

type Deps = Pick<Context, 'pool' | 'clock' | 'config'>;

const KEPT_MS = 1000;
const kept = new WeakMap<Pool, { readonly at: number; readonly status: Promise<Status> }>();

/** The status, at most one second old. */
export function readStatus(deps: Deps): Promise<Status> {
  const now = deps.clock.now().getTime();
  const known = kept.get(deps.pool);
  if (known && Math.abs(now - known.at) < KEPT_MS) return known.status;
  const status = read(deps);
  kept.set(deps.pool, { at: now, status });
  // A failure goes to its reader and is not cached.
  status.catch(() => kept.delete(deps.pool));
  return status;
}

async function read({ pool, clock, config }: Deps): Promise<Status> {
  const offered = offers(config);
  const rows = await readRows(pool, offered, clock.now());
  const now = unixSeconds(clock.now());
  const networks = offered.map((offer, n) => statusOf(offer, rows[n] ?? null, now));
  return { state: overallState(networks.map(({ state }) => state)), read_at: now, networks };
}

type Row = {
  readonly chain: (ChainFacts & { readonly created_at: number }) | null;
  readonly endpoints: readonly { readonly state: EndpointState; readonly height: number | null }[] | null;
};

/**
 * How long an endpoint's record counts. An older record means that no worker checks the endpoint
 * (lib/installation/status/record-endpoints.ts).
 */
const REPORTED_WITHIN_SECONDS = 90;

/** One row per offer, in their order. */
async function readRows(pool: Pool, offered: readonly Offer[], now: Date): Promise<Row[]> {
  const text = `SELECT
      CASE WHEN c.id IS NULL THEN NULL ELSE jsonb_build_object('tip', c.tip_number, 'final', c.final_number,
        'final_time', floor(extract(epoch FROM c.final_time)), 'final_lag', c.final_lag,
        'scanned_at', floor(extract(epoch FROM c.scanned_at)), 'trouble', c.trouble, 'idle', c.is_idle,
        'created_at', floor(extract(epoch FROM c.created_at))) END AS chain,
      (SELECT jsonb_agg(jsonb_build_object('height', e.height, 'state',
          CASE WHEN e.checked_at > $3::timestamptz - interval '${REPORTED_WITHIN_SECONDS} seconds' THEN e.state ELSE 'unknown' END))
        FROM endpoints e WHERE e.environment = wanted.environment AND e.network = wanted.network) AS endpoints
    FROM unnest($1::"Environment"[], $2::text[]) WITH ORDINALITY AS wanted (environment, network, place)
    LEFT JOIN chains c ON c.environment = wanted.environment AND c.network = wanted.network AND c.retired_at IS NULL
    ORDER BY wanted.place`;
  const values = [offered.map(({ spec }) => spec.environment), offered.map(({ spec }) => spec.network), now];
  const { rows } = await pool.query<Row>({ name: 'status_read', text, values });
  return rows;
}

function statusOf({ spec, withheld, endpoints: configured }: Offer, row: Row | null, now: number): NetworkStatus {
  const chain = row?.chain ?? null;
  const seen = (row?.endpoints ?? []).slice(0, configured);
  const height = seen.reduce<number | null>((best, one) => Math.max(best ?? 0, one.height ?? 0) || null, null);
  const counts = { ok: 0, lagging: 0, throttled: 0, failing: 0, refused: 0, unknown: configured - seen.length };
  for (const { state } of seen) counts[state] += 1;
  return {
    environment: spec.environment,
    network: spec.network,
    ...judgeNetwork(chain, height, now),
    tip_block: chain?.tip ?? null,
    final_block: chain?.final ?? null,
    final_block_time: chain?.final_time ?? null,
    lag_seconds: chain ? Math.max(0, now - chain.scanned_at) : null,
    scanned_without_gap_since: chain?.created_at ?? null,
    endpoints: { configured, ...counts },
    not_offered: withheld,
  };
}

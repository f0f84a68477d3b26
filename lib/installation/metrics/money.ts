// Numbers of money: payments that wait for a decision, what the chains hold beside what is owed, and how long the coins that pay fees
// last. For operators only; the status page shows none of it.

import { heldTotal, readReserves } from '@/lib/ledger/proofs/reserves';
import { networkSpec } from '@/lib/networks/networks';
import { offers } from '@/lib/networks/registry';
import type { Context } from '@/lib/platform/context';
import type { Pool } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { wholes, type Numbers, type Sample } from './numbers';

type Deps = Pick<Context, 'pool' | 'clock' | 'config'>;

/** Amounts are whole tokens. */
export async function moneyNumbers(deps: Deps): Promise<Numbers[]> {
  const unmatched = await readUnmatched(deps);
  const reserves = await recentReserves(deps);
  const runway = await readRunway(deps);
  return [
    {
      name: 'unmatched_money',
      help: 'Payments that wait for a decision of the merchant, in whole tokens.',
      samples: unmatched,
    },
    ...reserves,
    {
      name: 'refund_wallet_coin_runway_seconds',
      help: 'How long the coin of the refund wallet pays fees, by what it paid within 7 days. Absent while it paid none.',
      samples: runway,
    },
  ];
}

type UnmatchedRow = {
  readonly environment: string;
  readonly network: string;
  readonly currency: string;
  readonly amount: number;
};

async function readUnmatched({ pool }: Deps): Promise<Sample[]> {
  const { rows } = await pool.query<UnmatchedRow>({
    name: 'metrics-unmatched',
    text: `SELECT e.environment, t.network, t.currency, sum((e.amount - e.counted) / 10::numeric ^ t.decimals)::float8 AS amount
           FROM payment_exceptions e JOIN transfers t ON t.id = e.transfer_id WHERE e.state = 'open' GROUP BY 1, 2, 3`,
    values: [],
  });
  return rows.map(({ amount, ...labels }) => ({ labels, value: amount }));
}

/**
 * The reserves sum over the balances of all stores, so scrapes share them for a while. They share a failure too: a query that is
 * too slow would otherwise run at each scrape.
 */
const KEPT_MS = 60_000;
const kept = new WeakMap<Pool, { readonly at: number; readonly numbers: Promise<Numbers[]> }>();

function recentReserves(deps: Deps): Promise<Numbers[]> {
  const now = deps.clock.now().getTime();
  const known = kept.get(deps.pool);
  if (known && Math.abs(now - known.at) < KEPT_MS) return known.numbers;
  const numbers = reserveNumbers(deps);
  kept.set(deps.pool, { at: now, numbers });
  return numbers;
}

async function reserveNumbers({ pool, config }: Deps): Promise<Numbers[]> {
  const environments = [...new Set(offers(config).map(({ spec }) => spec.environment))];
  const assets = await Promise.all(
    environments.map(async (environment) =>
      (await readReserves(pool, environment, config)).flatMap((reserve) => {
        const { network, currency, owed } = reserve;
        const decimals = networkSpec(environment, network, config.TEST_CHAINS)?.tokens[currency]?.decimals;
        if (decimals === undefined) return [];
        const labels = { environment, network, currency };
        return [{ labels, held: wholes(heldTotal(reserve), decimals), owed: wholes(owed, decimals) }];
      }),
    ),
  );
  const samples = (value: 'held' | 'owed'): Sample[] =>
    assets.flat().map((one) => ({ labels: one.labels, value: one[value] }));
  return [
    {
      name: 'reserves_held',
      help: 'What the wallets of the installation hold, in whole tokens.',
      samples: samples('held'),
    },
    { name: 'reserves_owed', help: 'What is owed to stores and customers, in whole tokens.', samples: samples('owed') },
  ];
}

const RUNWAY_DAYS = 7;
const DAY_SECONDS = 86_400;

type RunwayRow = {
  readonly environment: Environment;
  readonly network: string;
  /** In the smallest unit. */
  readonly balance: string;
  readonly spent: string;
  /** Seconds since the first fee of the last 7 days, at least a day. */
  readonly seconds: number;
};

/** The postings of fees of the last week are found by the entries of no store. */
async function readRunway({ pool, clock }: Deps): Promise<Sample[]> {
  const { rows } = await pool.query<RunwayRow>({
    name: 'metrics-runway',
    text: `WITH spent AS (
        SELECT e.environment, p.network, -sum(p.amount) AS amount, min(e.created_at) AS first_at
        FROM ledger_entries e JOIN ledger_postings p ON p.entry_id = e.id
        WHERE e.store_id IS NULL AND e.environment IN ('live', 'test') AND e.created_at > $1::timestamptz - interval '${RUNWAY_DAYS} days'
          AND e.kind IN ('coin_payment', 'coin_allowance') AND p.account LIKE 'fee\\_coin:%' AND p.amount < 0 GROUP BY 1, 2)
      SELECT c.environment, c.network, w.amount::text AS balance, spent.amount::text AS spent,
        GREATEST(${DAY_SECONDS}, extract(epoch FROM $1::timestamptz - spent.first_at))::float8 AS seconds
      FROM spent JOIN chains c ON c.environment = spent.environment AND c.network = spent.network AND c.retired_at IS NULL
      CROSS JOIN LATERAL (SELECT amount FROM wallet_balances
        WHERE chain_id = c.id AND asset = 'fee' ORDER BY read_at DESC LIMIT 1) AS w`,
    values: [clock.now()],
  });
  return rows.map(({ environment, network, balance, spent, seconds }) => ({
    labels: { environment, network },
    value: (Number(balance) / Number(spent)) * seconds,
  }));
}

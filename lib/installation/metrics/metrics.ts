// Metrics for Prometheus: what this process counts, and the database's numbers of networks, sessions, money, deliveries, addresses and
// cases. No query scans a whole table: each uses an index of open rows or a bounded range. A source that fails leaves out its own numbers
// only, and without the database the process's own are shown.

import { Registry } from 'prom-client';
import type { Context } from '@/lib/platform/context';
import { countsThisHour } from '@/lib/platform/security/events';
import { balanceNumbers } from './balances';
import { moneyNumbers } from './money';
import { numbersOf, textOf, type NamedRow, type Numbers, type Sample } from './numbers';
import { operationNumbers } from './operations';
import { processText } from './process';
import { screeningNumbers } from './screening';
import { sweepNumbers } from './sweeps';
import { readStatus, type Status } from '@/lib/installation/status/read';
import { readUsage, type EndpointUsage } from '@/lib/installation/status/read-usage';

export const METRICS_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

type Deps = Pick<Context, 'pool' | 'clock' | 'config' | 'log'>;

/** The parts of the database's numbers. One that fails is named by its own metric. */
const SOURCES: Readonly<Record<string, (deps: Deps) => Promise<readonly Numbers[]>>> = {
  status: async (deps) => networkGauges(await readStatus(deps)),
  usage: async (deps) => usageGauges(await readUsage(deps)),
  counts: async (deps) => numbersOf(COUNTS, await readCounts(deps)),
  operations: operationNumbers,
  money: moneyNumbers,
  balances: balanceNumbers,
  sweeps: sweepNumbers,
  screening: screeningNumbers,
  security: async (deps) => [securityGauge(await countsThisHour(deps))],
};

/** All metrics of a web process as text. */
export async function readMetrics(deps: Deps): Promise<string> {
  const own = await processText(deps);
  return own.isDatabaseUp ? `${own.text}\n${await textOf(await readNumbers(deps))}` : own.text;
}

const inProgress = new WeakMap<Deps['pool'], Promise<readonly Numbers[]>>();

/** The database's numbers, with those that have no sample now. Readers at the same time share one reading. */
export function readNumbers(deps: Deps): Promise<readonly Numbers[]> {
  const known = inProgress.get(deps.pool);
  if (known) return known;
  const reading = readSources(deps).finally(() => inProgress.delete(deps.pool));
  inProgress.set(deps.pool, reading);
  return reading;
}

/** One after another: the connections are for requests. */
async function readSources(deps: Deps): Promise<readonly Numbers[]> {
  const read: Numbers[] = [];
  const failed: Sample[] = [];
  for (const [source, numbers] of Object.entries(SOURCES)) {
    try {
      read.push(...(await numbers(deps)));
    } catch (error) {
      deps.log.warn({ err: error, source }, 'a source of metrics could not be read');
      failed.push({ labels: { source }, value: 1 });
    }
  }
  const trouble = {
    name: 'metrics_source_failed',
    help: '1 for a source of metrics that could not be read at this scrape.',
    samples: failed,
  };
  return [...read, trouble];
}

const securityGauge = (counts: Awaited<ReturnType<typeof countsThisHour>>): Numbers => ({
  name: 'security_events_this_hour',
  help: 'Security events of the current UTC hour, by kind.',
  samples: counts.map(({ kind, count }) => ({ labels: { kind }, value: count })),
});

function networkGauges({ networks }: Status): Numbers[] {
  const each = (name: string, help: string, value: (one: Status['networks'][number]) => number | null): Numbers => ({
    name,
    help,
    samples: networks.flatMap((one) => {
      const found = value(one);
      return found === null ? [] : [{ labels: { environment: one.environment, network: one.network }, value: found }];
    }),
  });
  const endpoints = networks.flatMap(({ environment, network, endpoints: { configured: _, ...states } }) =>
    Object.entries(states).map(([state, value]) => ({ labels: { environment, network, state }, value })),
  );
  return [
    each('chain_tip_block', 'Newest block scanned.', (one) => one.tip_block),
    each('chain_final_block', 'Last final block scanned.', (one) => one.final_block),
    each('chain_final_block_time_seconds', 'Unix time of that block.', (one) => one.final_block_time),
    each('chain_lag_seconds', 'Seconds since everything was scanned without trouble.', (one) => one.lag_seconds),
    each('chain_trouble', '1 while the network is not read as it should.', (one) => (one.state === 'ok' ? 0 : 1)),
    { name: 'chain_endpoints', help: 'Endpoints by how they fare.', samples: endpoints },
  ];
}

function usageGauges(usage: readonly EndpointUsage[]): Numbers[] {
  const each = (name: string, help: string, value: (one: EndpointUsage) => number | null): Numbers => ({
    name: `endpoint_${name}`,
    help,
    samples: usage.flatMap((one) => {
      const { environment, network, position } = one;
      const found = value(one);
      return found === null ? [] : [{ labels: { environment, network, position: String(position) }, value: found }];
    }),
  });
  return [
    each('calls_today', 'Calls made to an endpoint on this UTC day.', (one) => one.calls),
    each('units_today', 'The same in the units of its plan.', (one) => one.units),
    each('units_forecast', 'Units at the end of the day if it goes on like this.', (one) => one.forecast),
    each('units_per_day', 'Units that its plan allows a day.', (one) => one.unitsPerDay),
  ];
}

/** The meaning of each count, in output order. */
const COUNTS = {
  sessions_pending: 'Sessions that await payment.',
  sessions_closed_last_hour: 'Sessions closed within the last hour, by their status.',
  deliveries_pending: 'Webhook deliveries that await an attempt.',
  deliveries_oldest_pending_seconds: 'Age of the oldest of them.',
  deliveries_failed_of_newest: 'Failed ones among the newest 10,000 webhook deliveries.',
  address_pool: 'Deposit addresses that no session has taken yet.',
  signer_journal_bytes: 'Size of the signer’s journal.',
  signer_journal_records: 'Records of the signer’s journal.',
  signer_disk_free_bytes: 'Free space on the disk of the journal; alarm below 1 GiB.',
  signer_journal_trouble: '1 while the journal cannot be written as it should be.',
  cases_open: 'Payment exceptions that wait for a decision.',
  quarantine_open: 'Rows that the worker failed on and goes on without, by what they are.',
  quarantine_oldest_seconds: 'Age of the oldest of them.',
  refunds_open: 'Refunds that have not ended, by why they wait; `frozen` needs the operator.',
} as const;

/** One round trip. Counts of environments without data are zero, so that alarms can distinguish zero from unknown. Ages are absent. */
async function readCounts({ pool, clock }: Pick<Deps, 'pool' | 'clock'>): Promise<NamedRow[]> {
  const text = `WITH environments AS (SELECT unnest(enum_range(NULL::"Environment")) AS environment),
      pending AS (SELECT environment, count(*) AS n FROM sessions WHERE status = 'pending' GROUP BY environment),
      pool AS (SELECT environment, count(*) AS n FROM address_pool WHERE incarnation = (SELECT pool_incarnation()) AND xmin = written_by GROUP BY environment),
      cases AS (SELECT environment, count(*) AS n FROM payment_exceptions WHERE state = 'open' GROUP BY environment),
      failed AS (SELECT kind, first_at FROM quarantine WHERE resolved_at IS NULL AND attempts > 0),
      waiting AS (SELECT count(*) AS n, min(created_at) AS oldest FROM deliveries WHERE status = 'pending')
    SELECT name, labels, value::float8 FROM (
      SELECT 'sessions_pending' AS name, jsonb_build_object('environment', environment) AS labels,
        COALESCE(n, 0)::numeric AS value FROM environments LEFT JOIN pending USING (environment)
      UNION ALL SELECT 'sessions_closed_last_hour', jsonb_build_object('environment', environment, 'status', status), count(*)
        FROM sessions WHERE environment IN ('live', 'test') AND closed_at > $1::timestamptz - interval '1 hour'
        GROUP BY environment, status
      UNION ALL SELECT 'deliveries_pending', '{}', n FROM waiting
      UNION ALL SELECT 'deliveries_oldest_pending_seconds', '{}',
        GREATEST(0, extract(epoch FROM $1::timestamptz - oldest)) FROM waiting WHERE oldest IS NOT NULL
      UNION ALL SELECT 'deliveries_failed_of_newest', '{}', count(*) FILTER (WHERE status = 'failed')
        FROM (SELECT status FROM deliveries ORDER BY id DESC LIMIT 10000) newest
      UNION ALL SELECT 'address_pool', jsonb_build_object('environment', environment), COALESCE(n, 0)
        FROM environments LEFT JOIN pool USING (environment)
      UNION ALL SELECT j.name, '{}', j.value FROM signer_states s, LATERAL (VALUES
        ('signer_journal_bytes', (s.journal->>'bytes')::numeric), ('signer_journal_records', (s.journal->>'records')::numeric),
        ('signer_disk_free_bytes', (s.journal->>'freeBytes')::numeric),
        ('signer_journal_trouble', (s.journal->>'trouble' IS NOT NULL)::int::numeric)) AS j(name, value) WHERE s.journal IS NOT NULL
      UNION ALL SELECT 'cases_open', jsonb_build_object('environment', environment), COALESCE(n, 0)
        FROM environments LEFT JOIN cases USING (environment)
      UNION ALL SELECT 'quarantine_open', jsonb_build_object('kind', kind), count(*) FROM failed GROUP BY kind
      UNION ALL SELECT 'quarantine_oldest_seconds', '{}',
        GREATEST(0, extract(epoch FROM $1::timestamptz - min(first_at))) FROM failed HAVING count(*) > 0
      UNION ALL SELECT 'refunds_open', jsonb_build_object('environment', environment, 'hold', COALESCE(hold, 'none')), count(*)
        FROM refunds WHERE status IN ('pending', 'processing') GROUP BY environment, hold) AS counted`;
  const { rows } = await pool.query<NamedRow>({ name: 'metrics_read', text, values: [clock.now()] });
  return rows;
}

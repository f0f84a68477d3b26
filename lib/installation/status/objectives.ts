// The service objectives with their error budgets over the last 30 days: requests and webhooks by what processes counted, networks and
// services by the days of the status page. docs/operate/metrics.md explains them.

import type { Context } from '@/lib/platform/context';
import type { Environment } from '@/lib/platform/ids';
import type { Objective } from '@/lib/platform/metrics/objectives';
import { daysOf, readHistory } from './history';
import { readStatus } from './read';
import { readServices } from './services';

const OBJECTIVE_DAYS = 30;
/** Shares that must be good. */
const TARGETS = { api: 0.999, webhook: 0.99, network: 0.995, service: 0.995 } as const;

export type ObjectiveState = {
  readonly kind: Objective | 'network' | 'service';
  /** The network or the service (`webhooks`, `refunds`), with its environment; null for the others. */
  readonly subject: { readonly environment: Environment; readonly name: string } | null;
  readonly target: number;
  /** The share that was good; null before anything was measured. */
  readonly measured: number | null;
  /** The share of the error budget that is left. Negative: the objective is missed. Null like `measured`. */
  readonly budgetLeft: number | null;
};

export async function readObjectives(
  deps: Pick<Context, 'pool' | 'clock' | 'config'>,
): Promise<readonly ObjectiveState[]> {
  const [counted, history, { networks }, services] = await Promise.all([
    readCounted(deps),
    readHistory(deps),
    readStatus(deps),
    readServices(deps),
  ]);
  const measuredDays = (kind: 'network' | 'service', environment: Environment, name: string): ObjectiveState => {
    const days = daysOf(history, environment, name).slice(-OBJECTIVE_DAYS);
    const good = days.reduce((sum, day) => sum + day.good, 0);
    const bad = days.reduce((sum, day) => sum + day.impaired + day.down, 0);
    return { kind, subject: { environment, name }, ...budgetOf(TARGETS[kind], { good, bad }) };
  };
  return [
    ...(['api', 'webhook'] as const).map((kind) => ({
      kind,
      subject: null,
      ...budgetOf(TARGETS[kind], counted.get(kind) ?? { good: 0, bad: 0 }),
    })),
    ...services.map(({ environment, service }) => measuredDays('service', environment, service)),
    ...networks.map(({ environment, network }) => measuredDays('network', environment, network)),
  ];
}

/** Pure. `good` and `bad` in any one unit. */
export function budgetOf(
  target: number,
  { good, bad }: { readonly good: number; readonly bad: number },
): Pick<ObjectiveState, 'target' | 'measured' | 'budgetLeft'> {
  const all = good + bad;
  if (all === 0) return { target, measured: null, budgetLeft: null };
  return { target, measured: good / all, budgetLeft: 1 - bad / (all * (1 - target)) };
}

async function readCounted({ pool, clock }: Pick<Context, 'pool' | 'clock'>) {
  const { rows } = await pool.query<{ objective: Objective; good: number; bad: number }>({
    name: 'objectives-read',
    text: `SELECT objective, sum(good)::float8 AS good, sum(bad)::float8 AS bad FROM objective_hours
           WHERE hour > $1::timestamptz - interval '${OBJECTIVE_DAYS} days' GROUP BY objective`,
    values: [clock.now()],
  });
  return new Map(rows.map(({ objective, ...counted }) => [objective, counted]));
}

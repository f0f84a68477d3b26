// The request budgets of the endpoints that this process has opened: one per endpoint, from the settings.

import type { Clock } from '@/lib/platform/clock';
import type { Config } from '@/lib/platform/config/config';
import type { Environment } from '@/lib/platform/ids';
import type { Log } from '@/lib/platform/log';
import { instruments } from '@/lib/platform/metrics/instruments';
import type { NetworkSpec } from '@/lib/networks/networks';
import { openRequestBudget, type RequestBudget } from './request-budget';
import type { RequestLimits } from './request-limits';

/** A budget and its endpoint. */
export type EndpointBudget = {
  readonly environment: Environment;
  readonly network: string;
  /** 1 for the operator's first endpoint. */
  readonly position: number;
  readonly budget: RequestBudget;
};

/** One budget per endpoint and process, so that all clients of the endpoint share it. */
const opened = new WeakMap<Config, EndpointBudget[]>();

/** The budgets of every endpoint that this process has opened. */
export const openedBudgets = (config: Config): readonly EndpointBudget[] => opened.get(config) ?? [];

/** The budgets of a network's endpoints, in the order of `limits`. */
export function budgetsOf(
  config: Config,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  {
    environment,
    spec: { network },
    limits,
  }: {
    readonly environment: Environment;
    readonly spec: NetworkSpec;
    readonly limits: readonly RequestLimits[];
  },
): readonly RequestBudget[] {
  const all = opened.get(config) ?? [];
  opened.set(config, all);
  const known = all.filter((one) => one.environment === environment && one.network === network);
  if (known.length > 0) return known.map(({ budget }) => budget);
  const named = log.child({ network, environment });
  const made = limits.map((plan, index): EndpointBudget => {
    const labels = { environment, network, position: String(index + 1) };
    const onCalls = (calls: number) => instruments().rpcCalls.inc(labels, calls);
    const budget = openRequestBudget({ name: `endpoint ${index + 1}`, limits: plan, clock, log: named, onCalls });
    return { environment, network, position: index + 1, budget };
  });
  all.push(...made);
  return made.map(({ budget }) => budget);
}

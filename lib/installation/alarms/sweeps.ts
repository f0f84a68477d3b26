// What needs an operator about sweeps: little coin for their fees, addresses that wait too long or were not moved, and deposit addresses
// that run foreign code. Only of networks that the signer sweeps.

import { offers } from '@/lib/networks/registry';
import type { Context } from '@/lib/platform/context';
import type { Environment } from '@/lib/platform/ids';
import { readOverdue } from '@/lib/sweeps/report/held';
import { readSweepReports, type SweepReport } from '@/lib/sweeps/report/read';
import { isCoinLow } from '@/lib/sweeps/report/sponsor';
import { leastDelay, rulesOf } from '@/lib/sweeps/rules';

type Deps = Pick<Context, 'pool' | 'clock' | 'config'>;

export type SweepFact = {
  readonly kind: 'sweep_coin_low' | 'sweeps_late' | 'foreign_code' | 'sweeps_skipped';
  readonly environment: Environment;
  readonly network: string;
  readonly count: number;
};

/** An address is overdue at this many times the age at which its sweep may cost most. */
const DEADLINES = 2;
/** Skipped addresses are a matter for an operator from this number on, if they are more than this part of all. */
const [MANY_SKIPPED, SKIPPED_PART] = [5, 100];

export async function readSweepFacts(deps: Deps): Promise<readonly SweepFact[]> {
  const specs = offers(deps.config).map(({ spec }) => spec);
  const reports = (await readSweepReports(deps, specs)).filter(({ state }) => state !== null);
  if (reports.length === 0) return [];
  const overdue = await readOverdue(
    deps.pool,
    reports.map((one) => ({ ...one, overdueBefore: overdueBefore(deps, one) })),
  );
  return reports.flatMap((report) => {
    const { environment, network } = report.spec;
    const about = (kind: SweepFact['kind'], count: number): SweepFact[] =>
      count > 0 ? [{ kind, environment, network, count }] : [];
    const isLate = report.chainId !== null && overdue.has(report.chainId);
    return [
      ...about('sweep_coin_low', isLow(report) ? 1 : 0),
      ...about('sweeps_late', isLate ? 1 : 0),
      ...about('foreign_code', sumOf(report, 'foreign')),
      ...about('sweeps_skipped', manySkipped(report)),
    ];
  });
}

function overdueBefore({ clock, config }: Deps, { spec }: SweepReport): Date {
  const delaySeconds = Math.max(config.SWEEP_DELAY_SECONDS, leastDelay(spec));
  return new Date(clock.now().getTime() - DEADLINES * rulesOf(spec).deadline - delaySeconds * 1000);
}

const isLow = ({ spec, state, coinPerDay: perDay }: SweepReport): boolean =>
  state !== null && state.coin !== null && isCoinLow(spec, { coin: state.coin, perDay });

const sumOf = ({ held }: SweepReport, of: 'foreign' | 'skipped' | 'addresses'): number =>
  held.reduce((sum, one) => sum + one[of], 0);

/** Zero when they are few. */
function manySkipped(report: SweepReport): number {
  const skipped = sumOf(report, 'skipped');
  return skipped >= MANY_SKIPPED && skipped * SKIPPED_PART > sumOf(report, 'addresses') ? skipped : 0;
}

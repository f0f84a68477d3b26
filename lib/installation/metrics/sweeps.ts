// Metrics of sweeps for Prometheus: money at deposit addresses and in open sweeps, its age, the sponsor's coin, and sweeps with their fees.

import { offers } from '@/lib/networks/registry';
import type { Context } from '@/lib/platform/context';
import { readSweepReports, type SweepReport } from '@/lib/sweeps/report/read';
import { wholes, type Numbers } from './numbers';

const DAY_SECONDS = 86_400;

/** Amounts are whole tokens or coins. A network that was never followed has no sample. */
export async function sweepNumbers(deps: Pick<Context, 'pool' | 'clock' | 'config'>): Promise<Numbers[]> {
  const specs = offers(deps.config).map(({ spec }) => spec);
  const reports = (await readSweepReports(deps, specs)).filter(({ chainId }) => chainId !== null);
  const now = deps.clock.now().getTime();
  return [
    perToken(reports, {
      name: 'unswept',
      help: 'Money at deposit addresses.',
      value: ({ held }, currency) => held.find((one) => one.currency === currency)?.amount ?? 0n,
    }),
    each(reports, 'unswept_addresses', 'Deposit addresses that hold money.', ({ held }) =>
      held.reduce((sum, { addresses }) => sum + addresses, 0),
    ),
    each(
      reports,
      'unswept_oldest_seconds',
      'Age of the oldest payment at a deposit address that is worth a sweep.',
      (one) => oldestSeconds(one, now),
    ),
    perToken(reports, {
      name: 'sweeps_in_flight',
      help: 'Money in sweeps that have not ended.',
      value: ({ inFlight }, currency) => inFlight.find((one) => one.currency === currency)?.amount ?? 0n,
    }),
    each(reports, 'sweep_sponsor_coin', 'Coin that pays the fees of sweeps.', ({ spec, state }) =>
      state === null || state.coin === null ? null : wholes(state.coin, spec.coin.decimals),
    ),
    each(reports, 'sweep_sponsor_runway_seconds', 'How long that coin lasts, by what was used within 7 days.', (one) =>
      one.state === null || one.state.coin === null || one.coinPerDay === null
        ? null
        : (Number(one.state.coin) / Number(one.coinPerDay)) * DAY_SECONDS,
    ),
    each(reports, 'sweep_fees_last_day', 'Fees of the sweeps that ended within 24 hours.', ({ spec, day }) =>
      wholes(day.fee, spec.coin.decimals),
    ),
    {
      name: 'sweeps',
      help: 'Open sweeps, and sweeps that ended within 24 hours, by status.',
      samples: reports.flatMap((one) =>
        one.statuses.map(({ status, count }) => ({ labels: { ...labelsOf(one), status }, value: count })),
      ),
    },
  ];
}

/** Null while deposit addresses hold nothing but dust. */
function oldestSeconds({ held }: SweepReport, now: number): number | null {
  const times = held.flatMap(({ oldestWorthAt }) => (oldestWorthAt === null ? [] : [oldestWorthAt.getTime()]));
  return times.length === 0 ? null : Math.max(0, now - Math.min(...times)) / 1000;
}

const labelsOf = ({ spec: { environment, network } }: SweepReport) => ({ environment, network });

const each = (
  reports: readonly SweepReport[],
  name: string,
  help: string,
  value: (report: SweepReport) => number | null,
): Numbers => ({
  name,
  help,
  samples: reports.flatMap((report) => {
    const found = value(report);
    return found === null ? [] : [{ labels: labelsOf(report), value: found }];
  }),
});

/** `value`: base units. */
const perToken = (
  reports: readonly SweepReport[],
  of: {
    readonly name: string;
    readonly help: string;
    readonly value: (report: SweepReport, currency: string) => bigint;
  },
): Numbers => ({
  name: of.name,
  help: of.help,
  samples: reports.flatMap((report) =>
    Object.entries(report.spec.tokens).map(([currency, { decimals }]) => ({
      labels: { ...labelsOf(report), currency },
      value: wholes(of.value(report, currency), decimals),
    })),
  ),
});

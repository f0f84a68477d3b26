// A store's payout schedules and its refund reserve as its page shows them, and the tokens that it can set one for.

import { centsToText } from '@/lib/money/amounts';
import { networkSpec } from '@/lib/networks/networks';
import { presentedNetworks } from '@/lib/networks/registry';
import { readRefundReserves } from '@/lib/payouts/reserve';
import { listSchedules } from '@/lib/payouts/schedules/list';
import type { ScheduleInterval, ScheduleReason } from '@/lib/payouts/schedules/rows';
import { canRunNow } from '@/lib/payouts/schedules/run-now';
import { unixSeconds } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import type { StoreScope } from '@/lib/dashboard/lists/payments';

export type ScheduledAsset = { readonly network: string; readonly currency: string };

export type ReserveView = ScheduledAsset & { readonly amount: string };

/** Amounts as decimal text. */
export type PayoutScheduleView = ScheduledAsset & {
  readonly interval: ScheduleInterval;
  readonly least: string;
  readonly keep: string;
  /** Unix seconds. A threshold that waits for its balance has none. */
  readonly nextAt: number | null;
  readonly reason: ScheduleReason | null;
};

type StoreSchedules = {
  readonly schedules: readonly PayoutScheduleView[];
  /** What stays for refunds, also where there is no schedule. Amounts as decimal text. */
  readonly reserves: readonly ReserveView[];
  /** What a schedule or a reserve can be set for. */
  readonly assets: readonly ScheduledAsset[];
  /** Whether the worker is about to decide one. */
  readonly isDue: boolean;
  /** Whether the store may run one before its time. */
  readonly canRun: boolean;
};

export async function payoutSchedulesOf({ pool, clock, config }: Context, of: StoreScope): Promise<StoreSchedules> {
  const now = clock.now();
  const [rows, reserves] = await Promise.all([listSchedules(pool, of), readRefundReserves(pool, of)]);
  return {
    schedules: rows.map(({ least, keep, nextRunAt, ...row }) => ({
      ...row,
      least: centsToText(least),
      keep: centsToText(keep),
      nextAt: row.interval === 'threshold' && nextRunAt <= now ? null : unixSeconds(nextRunAt),
    })),
    reserves: reserves.map(({ cents, ...asset }) => ({ ...asset, amount: centsToText(cents) })),
    assets: presentedNetworks(config).flatMap((network) =>
      Object.keys(networkSpec(of.environment, network, config.TEST_CHAINS)?.tokens ?? {}).map((currency) => ({
        network,
        currency,
      })),
    ),
    isDue: rows.some(({ interval, nextRunAt }) => interval !== 'threshold' && nextRunAt <= now),
    canRun: canRunNow(config, of.environment),
  };
}

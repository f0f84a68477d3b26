// What the refund, treasury and cold wallet of each token held over time, for the charts of the page Treasury, as exact decimal texts.

import { minorUnitsToText } from '@/lib/money/amounts';
import { readWalletHistory, type HistoryPoint, type HistoryWallet } from '@/lib/ledger/wallet-history/read';
import { offers } from '@/lib/networks/registry';
import { walletLevels } from '@/lib/networks/wallet-levels';
import { walletMarks } from '@/lib/networks/wallet-marks';
import type { Context } from '@/lib/platform/context';
import type { Environment } from '@/lib/platform/ids';

/** How far back the charts go. */
export const SPANS = ['week', 'quarter', 'year'] as const;
export type Span = (typeof SPANS)[number];

export type WalletLine = {
  readonly wallet: HistoryWallet;
  /** The last reading within each period; null: nothing was read. */
  readonly amounts: readonly (string | null)[];
  /** Water marks of the refund wallet, or of a treasury wallet of its own. */
  readonly marks: { readonly low: string; readonly high: string } | null;
};

/** A token with a reading. */
export type TokenHistory = {
  readonly network: string;
  readonly currency: string;
  /** Wallets with a reading. */
  readonly lines: readonly WalletLine[];
};

export type WalletHistory = {
  /** The beginning of each period, in Unix seconds. */
  readonly periods: readonly number[];
  readonly tokens: readonly TokenHistory[];
};

const HOUR = 3600;
const DAY = 24 * HOUR;
/** Few enough periods for a table: a week by 3 hours, a quarter by the day, a year by the week. */
const PERIODS: Readonly<Record<Span, { readonly seconds: number; readonly count: number }>> = {
  week: { seconds: 3 * HOUR, count: 56 },
  quarter: { seconds: DAY, count: 90 },
  year: { seconds: 7 * DAY, count: 53 },
};
const WALLETS: readonly HistoryWallet[] = ['refund', 'treasury', 'cold'];

type Deps = Pick<Context, 'pool' | 'clock' | 'config'>;

/** The last period is the present one. */
export async function readHistory(deps: Deps, environment: Environment, span: Span): Promise<WalletHistory> {
  const { seconds, count } = PERIODS[span];
  const now = Math.floor(deps.clock.now().getTime() / 1000);
  const first = (Math.floor(now / seconds) - count + 1) * seconds;
  const from = new Date(first * 1000);
  const points = await readWalletHistory(deps.pool, environment, { from, periodSeconds: seconds });
  const levels = walletLevels(deps.config.REFUND_WALLET_LEVELS).map((one) => ({
    ...one,
    wallet: 'refund',
    asset: one.currency,
  }));
  const marks = [...levels, ...walletMarks(deps.config)];
  const tokens = offers(deps.config)
    .filter(({ spec }) => spec.environment === environment)
    .flatMap(({ spec }) =>
      Object.entries(spec.tokens).map(([currency, { decimals }]): TokenHistory => {
        const text = (units: bigint): string => minorUnitsToText(units, decimals);
        const own = points.filter((one) => one.network === spec.network && one.currency === currency);
        const lines = WALLETS.filter((wallet) => own.some((one) => one.wallet === wallet)).map((wallet) => {
          const of = marks.find((one) => one.wallet === wallet && one.spec === spec && one.asset === currency);
          return {
            wallet,
            amounts: amountsOf(
              own.filter((one) => one.wallet === wallet),
              count,
              text,
            ),
            marks: of ? { low: text(of.low), high: text(of.high) } : null,
          };
        });
        return { network: spec.network, currency, lines };
      }),
    );
  return {
    periods: Array.from({ length: count }, (_, period) => first + period * seconds),
    tokens: tokens.filter(({ lines }) => lines.length > 0),
  };
}

function amountsOf(
  points: readonly HistoryPoint[],
  count: number,
  text: (units: bigint) => string,
): readonly (string | null)[] {
  const byPeriod = new Map(points.map(({ period, amount }) => [period, text(amount)]));
  return Array.from({ length: count }, (_, period) => byPeriod.get(period) ?? null);
}

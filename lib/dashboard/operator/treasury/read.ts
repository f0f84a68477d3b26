// What the page Treasury shows of each network of one environment, as exact decimal texts: what is at deposit addresses, in open sweeps
// and swept within a day, the sponsor's coin, why nothing is swept now, and the addresses that were skipped.

import { offers } from '@/lib/networks/registry';
import { displayAddress } from '@/lib/networks/payment-uri';
import { minorUnitsToText } from '@/lib/money/amounts';
import type { Context } from '@/lib/platform/context';
import type { Environment } from '@/lib/platform/ids';
import { readCoinChecks, type CoinCheck } from '@/lib/ledger/coin/checks';
import { readStakes, type StakeReading } from '@/lib/ledger/coin/stakes';
import type { EnergyReading } from '@/lib/sweeps/context';
import { dayCost, type DayCost } from '@/lib/sweeps/report/cost';
import type { Held } from '@/lib/sweeps/report/held';
import { readSweepReports, type SweepReport, type SweepState } from '@/lib/sweeps/report/read';
import { daysLeft, isCoinLow } from '@/lib/sweeps/report/sponsor';
import type { MarkedWallet } from '@/lib/networks/wallet-marks';
import { readMarks, type MarkReading } from '@/lib/treasury/wallet-marks';
import { readWalletWarnings, type WalletWarning } from '@/lib/treasury/own-wallets/report';
import { readPauses, type Pause } from './pause-payments';
import { readSkipped, type SkippedAddress } from './skipped';
import { totalsOf, type TreasuryTotals } from './totals';

/** Decimal texts. */
export type TokenRow = {
  readonly currency: string;
  readonly unswept: string;
  readonly addresses: number;
  /** Not worth its fee yet. */
  readonly dust: string;
  readonly dustAddresses: number;
  readonly inFlight: string;
  readonly inFlightAddresses: number;
  /** Within 24 hours. */
  readonly swept: string;
};

/**
 * `off`: the signer has no treasury wallet of the network. `silent`: the worker has not read it for a while. `waiting`: a hold of lib/sweeps/reasons.ts.
 */
export type TreasuryStatus = 'sweeping' | 'paused' | 'waiting' | 'silent' | 'off';

export type NetworkTreasury = {
  readonly environment: Environment;
  readonly network: string;
  readonly coin: string;
  readonly status: TreasuryStatus;
  /** Why it waits; null unless it does. */
  readonly hold: string | null;
  readonly pausedAt: Date | null;
  readonly pausedBy: string | null;
  /** Payments that are paused. */
  readonly pauses: readonly Pause[];
  readonly tokens: readonly TokenRow[];
  readonly oldestAt: Date | null;
  readonly cost: DayCost | null;
  /** Energy that was rented within 24 hours. */
  readonly rented: { readonly orders: number; readonly coin: string } | null;
  readonly wallets: Wallets | null;
  /** What the sponsor and the refund wallet have staked. */
  readonly stakes: readonly StakedCoin[];
  /** The sponsor and the refund wallet, where coin came or left without a transaction of the service. */
  readonly unexplained: readonly UnexplainedCoin[];
  /** The most important ones, and the number of all. */
  readonly skipped: readonly SkippedAddress[];
  readonly skippedCount: number;
  /** Of the treasury wallet and of the sponsor, where the settings have marks. */
  readonly marks: readonly MarkRow[];
  /** Own wallets that an issuer blocks, or whose permissions changed. */
  readonly warnings: readonly WalletWarning[];
};

/** Decimal texts. `amount`: null without a recent reading. */
export type MarkRow = {
  readonly wallet: MarkedWallet;
  readonly asset: string;
  readonly amount: string | null;
  readonly low: string;
  readonly high: string;
  readonly outside: 'low' | 'high' | null;
};

/** Decimal texts in whole coins; null for nothing. */
type StakedCoin = {
  readonly address: string;
  readonly staked: string | null;
  readonly unstaking: { readonly coin: string; readonly withdrawableAt: Date | null } | null;
};

/** Decimal texts in whole coins. */
type UnexplainedCoin = {
  readonly address: string;
  readonly came: string;
  readonly went: string;
  readonly since: Date;
};

type Wallets = {
  readonly treasury: string;
  readonly sponsor: string;
  /** Decimal texts in whole coins. */
  readonly coin: string | null;
  readonly isCoinLow: boolean;
  /** Days that the coin lasts; null while no use is known. */
  readonly days: number | null;
  /** What is left of it today; null: not read yet. 'none': the network has no energy. */
  readonly energy: EnergyReading | 'none' | null;
  readonly feesPerHour: string;
  readonly feesLastHour: string;
  readonly readAt: Date;
};

/** The worker reads the sponsor's coin every minute. */
const SILENT_SECONDS = 900;

export type Treasury = { readonly totals: TreasuryTotals; readonly networks: readonly NetworkTreasury[] };

type Deps = Pick<Context, 'pool' | 'clock' | 'config'>;

export async function readTreasury(deps: Deps, environment: Environment): Promise<Treasury> {
  const specs = offers(deps.config)
    .map(({ spec }) => spec)
    .filter((spec) => spec.environment === environment);
  const [reports, warnings, checks, stakes, pauses, marks] = await Promise.all([
    readSweepReports(deps, specs),
    readWalletWarnings(deps.pool, specs),
    readCoinChecks(deps.pool),
    readStakes(deps.pool, deps.clock.now()),
    readPauses(deps.pool, environment),
    readMarks(deps),
  ]);
  const skipped = await readSkipped(
    deps,
    reports.filter(({ held }) => held.some((one) => one.skipped > 0)),
  );
  const networks = reports.map((report): NetworkTreasury => {
    const { spec, state, held, chainId } = report;
    const status = statusOf(report, deps.clock.now());
    return {
      environment: spec.environment,
      network: spec.network,
      coin: spec.coin.symbol,
      status,
      hold: status === 'waiting' ? (state?.hold ?? null) : null,
      pausedAt: state?.pausedAt ?? null,
      pausedBy: state?.pausedBy ?? null,
      pauses: pauses.filter(({ network }) => network === spec.network),
      tokens: Object.keys(spec.tokens).map((currency) => tokenRow(report, currency)),
      oldestAt: oldestOf(held),
      cost: state ? dayCost(report) : null,
      rented: rentedOf(report),
      wallets: state ? walletsOf(report, state) : null,
      stakes: stakesOf(report, stakes),
      unexplained: unexplainedOf(report, checks),
      skipped: skipped.filter((one) => one.chainId === chainId),
      skippedCount: held.reduce((sum, one) => sum + one.skipped, 0),
      marks: marks.filter((one) => one.spec === spec).map(markRow),
      warnings: warnings
        .filter(({ network }) => network === spec.network)
        .map((one) => ({ ...one, address: displayAddress(spec.family, one.address) })),
    };
  });
  return { totals: totalsOf(reports), networks };
}

function statusOf({ state }: SweepReport, now: Date): TreasuryStatus {
  if (state === null) return 'off';
  if (state.pausedAt !== null) return 'paused';
  if (now.getTime() - state.readAt.getTime() > SILENT_SECONDS * 1000) return 'silent';
  // The worker's next run ends a hold that an operator has ended.
  return state.hold === null || state.hold === 'paused' ? 'sweeping' : 'waiting';
}

const oldestOf = (held: readonly Held[]): Date | null =>
  held.reduce<Date | null>((first, { oldestAt }) => (first && first < oldestAt ? first : oldestAt), null);

function tokenRow({ spec, held, inFlight, day }: SweepReport, currency: string): TokenRow {
  const of = <One extends { readonly currency: string }>(all: readonly One[]): One | undefined =>
    all.find((one) => one.currency === currency);
  const text = (units = 0n): string => minorUnitsToText(units, spec.tokens[currency]?.decimals ?? 0);
  const [own, moving] = [of(held), of(inFlight)];
  return {
    currency,
    unswept: text(own?.amount),
    addresses: own?.addresses ?? 0,
    dust: text(own?.dust),
    dustAddresses: own?.dustAddresses ?? 0,
    inFlight: text(moving?.amount),
    inFlightAddresses: moving?.addresses ?? 0,
    swept: text(of(day.swept)?.amount),
  };
}

/** Whole coins. Null where no energy was rented within 24 hours. */
const rentedOf = ({ day: { rented }, spec }: SweepReport): NetworkTreasury['rented'] =>
  rented.orders === 0 ? null : { orders: rented.orders, coin: minorUnitsToText(rented.cost, spec.coin.decimals) };

const stakesOf = (
  { spec, chainId }: SweepReport,
  stakes: readonly Pick<StakeReading, 'chainId' | 'address' | 'stake'>[],
): readonly StakedCoin[] =>
  stakes
    .filter((one) => one.chainId === chainId)
    .map(({ address, stake: { staked, unstaking, withdrawableAt } }) => {
      const text = (units: bigint) => (units === 0n ? null : minorUnitsToText(units, spec.coin.decimals));
      const coin = text(unstaking);
      return {
        address: displayAddress(spec.family, address),
        staked: text(staked),
        unstaking: coin === null ? null : { coin, withdrawableAt },
      };
    });

const unexplainedOf = ({ spec, chainId }: SweepReport, checks: readonly CoinCheck[]): readonly UnexplainedCoin[] =>
  checks
    .filter((one) => one.chainId === chainId && (one.came > 0n || one.went > 0n))
    .map(({ address, came, went, since }) => ({
      address: displayAddress(spec.family, address),
      came: minorUnitsToText(came, spec.coin.decimals),
      went: minorUnitsToText(went, spec.coin.decimals),
      since,
    }));

function markRow({ wallet, asset, decimals, amount, low, high, outside }: MarkReading): MarkRow {
  const text = (units: bigint): string => minorUnitsToText(units, decimals);
  return { wallet, asset, amount: amount === null ? null : text(amount), low: text(low), high: text(high), outside };
}

function walletsOf({ spec, coinPerDay }: SweepReport, state: SweepState): Wallets {
  const text = (wei: bigint): string => minorUnitsToText(wei, spec.coin.decimals);
  const { coin, energy, treasury, sponsor, readAt } = state;
  const days = coin === null ? null : daysLeft(coin, coinPerDay);
  return {
    treasury: displayAddress(spec.family, treasury),
    sponsor: displayAddress(spec.family, sponsor),
    coin: coin === null ? null : text(coin),
    isCoinLow: coin !== null && isCoinLow(spec, { coin, perDay: coinPerDay }),
    days: days === null ? null : Number(days),
    energy: spec.family === 'tron' ? energy : 'none',
    feesPerHour: text(state.feesPerHour),
    feesLastHour: text(state.feesLastHour),
    readAt,
  };
}

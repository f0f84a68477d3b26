// Balances of the refund wallets and the amounts owed, network by network. It warns about low fee coins, tokens that do not
// cover pending refunds, and old readings. Amounts are exact decimal texts.

import { networkSpec, type NetworkSpec } from '@/lib/networks/networks';
import { offers } from '@/lib/networks/registry';
import type { Context } from '@/lib/platform/context';
import type { Environment } from '@/lib/platform/ids';
import { readWalletBalances, type WalletBalance } from '@/lib/ledger/balances';
import { minorUnitsToText } from '@/lib/money/amounts';
import { readDiscrepancies, type Discrepancy } from '@/lib/ledger/reconciliation/discrepancies';
import { formerWallets } from '@/lib/ledger/reconciliation/former-wallets';

/**
 * `fee_empty` and `fee_low`: of the network's own coin. `short`: less of a token than pending refunds need. `empty`: none of
 * it.
 */
export type WalletWarning = 'fee_empty' | 'fee_low' | 'short' | 'empty' | 'stale' | 'unread';

export type AssetRow = {
  /** USDT, USDC, or the network's own coin. */
  readonly asset: string;
  readonly isFeeCoin: boolean;
  /** The wallet's last reading; null before the first. */
  readonly held: string | null;
  /** At customers' deposit addresses, owed to stores, reserved for refunds, and recovered network costs; null for fee coins. */
  readonly received: string | null;
  /** Swept to the treasury wallet. */
  readonly treasury: string | null;
  /** Sent to the cold wallet. */
  readonly cold: string | null;
  readonly owed: string | null;
  readonly reserved: string | null;
  readonly recovered: string | null;
  readonly warning: WalletWarning | null;
};

export type NetworkWallet = {
  readonly environment: Environment;
  readonly network: string;
  /** The refund wallet; null before the first reading. */
  readonly address: string | null;
  readonly readAt: Date | null;
  readonly assets: readonly AssetRow[];
  /** What former refund wallets still hold; it counts until it was moved. */
  readonly former: readonly { readonly address: string; readonly asset: string; readonly held: string }[];
};

export type ShownDiscrepancy = Omit<Discrepancy, 'expected' | 'found'> & {
  readonly expected: string;
  readonly found: string;
};

export type Wallets = { readonly wallets: readonly NetworkWallet[]; readonly differences: readonly ShownDiscrepancy[] };

const STALE_SECONDS = 3600;
/** The latest closed discrepancies, shown below the open ones. */
const ENDED_SHOWN = 10;

type Deps = Pick<Context, 'pool' | 'clock' | 'config'>;

export async function readWallets(deps: Deps): Promise<Wallets> {
  const specs = offers(deps.config).map(({ spec }) => spec);
  const environments = [...new Set(specs.map(({ environment }) => environment))];
  const decimalsOf = decimalsBy(deps.config);
  const [readings, open, latest, ...books] = await Promise.all([
    readReadings(deps),
    readDiscrepancies(deps, { isOpenOnly: true }),
    readDiscrepancies(deps, { isOpenOnly: false }),
    ...environments.map((environment) => readWalletBalances(deps.pool, environment, decimalsOf(environment))),
  ]);
  const wallets = specs.map((spec): NetworkWallet => {
    const all = readings.filter(
      ({ environment, network }) => environment === spec.environment && network === spec.network,
    );
    const own = all.filter(({ asset }, at) => all.findIndex((one) => one.asset === asset) === at);
    const book = books[environments.indexOf(spec.environment)] ?? [];
    const readAt = own.reduce<Date | null>((first, { read_at: at }) => (first && first < at ? first : at), null);
    const isStale = readAt !== null && deps.clock.now().getTime() - readAt.getTime() > STALE_SECONDS * 1000;
    return {
      environment: spec.environment,
      network: spec.network,
      address: own[0]?.address ?? null,
      readAt,
      assets: [...tokenRows(spec, own, book, isStale), coinRow(spec, own, isStale)],
      former: formerRows(deps, spec, all),
    };
  });
  const ended = latest.filter(({ endedAt }) => endedAt !== null).slice(0, ENDED_SHOWN);
  const shown = [...open, ...ended].map((one): ShownDiscrepancy => {
    const decimals =
      networkSpec(one.environment, one.network, deps.config.TEST_CHAINS)?.tokens[one.currency]?.decimals ?? 0;
    return { ...one, expected: minorUnitsToText(one.expected, decimals), found: minorUnitsToText(one.found, decimals) };
  });
  return { wallets, differences: shown };
}

const decimalsBy =
  ({ TEST_CHAINS }: Deps['config']) =>
  (environment: Environment) =>
  ({ network, currency }: { network: string; currency: string }): number =>
    networkSpec(environment, network, TEST_CHAINS)?.tokens[currency]?.decimals ?? 6;

type Reading = {
  readonly environment: Environment;
  readonly network: string;
  readonly address: string;
  readonly asset: string;
  readonly amount: string;
  readonly read_at: Date;
};

/** The newest of each token is of the present wallet. */
async function readReadings({ pool }: Deps): Promise<readonly Reading[]> {
  const { rows } = await pool.query<Reading>({
    name: 'operator-wallets',
    text: `SELECT c.environment, c.network, w.address, w.asset, w.amount::text AS amount, w.read_at
           FROM wallet_balances w JOIN chains c ON c.id = w.chain_id AND c.retired_at IS NULL
           ORDER BY c.id, w.asset, w.read_at DESC`,
    values: [],
  });
  return rows;
}

const formerRows = ({ config }: Deps, spec: NetworkSpec, readings: readonly Reading[]): NetworkWallet['former'] =>
  Object.entries(spec.tokens).flatMap(([currency, { decimals }]) => {
    const [present, ...others] = readings.filter(({ asset }) => asset === currency);
    return formerWallets(others, present?.address ?? '', { config, spec }).map(({ address, asset, amount }) => {
      return { address, asset, held: minorUnitsToText(BigInt(amount), decimals) };
    });
  });

function tokenRows(
  { tokens, network }: NetworkSpec,
  readings: readonly Reading[],
  books: readonly WalletBalance[],
  isStale: boolean,
): AssetRow[] {
  return Object.entries(tokens).map(([currency, { decimals }]): AssetRow => {
    const reading = readings.find(({ asset }) => asset === currency);
    const book = books.find((one) => one.network === network && one.currency === currency);
    const text = (units: bigint | undefined): string => minorUnitsToText(units ?? 0n, decimals);
    const reserved = book?.reserved.baseUnits ?? 0n;
    const isShort = reading !== undefined && BigInt(reading.amount) < reserved;
    return {
      asset: currency,
      isFeeCoin: false,
      held: reading ? text(BigInt(reading.amount)) : null,
      received: text(book?.received.baseUnits),
      treasury: text(book?.treasury.baseUnits),
      cold: text(book?.cold.baseUnits),
      owed: text(book && book.available.baseUnits + book.quarantined.baseUnits),
      reserved: text(reserved),
      recovered: text(book?.costRecovery.baseUnits),
      warning: isShort ? 'short' : (staleness(reading, isStale) ?? (reading?.amount === '0' ? 'empty' : null)),
    };
  });
}

function coinRow({ coin, lowCoin }: NetworkSpec, readings: readonly Reading[], isStale: boolean): AssetRow {
  const reading = readings.find(({ asset }) => asset === 'fee');
  const amount = reading ? BigInt(reading.amount) : null;
  const isLow = amount !== null && amount < lowCoin;
  return {
    asset: coin.symbol,
    isFeeCoin: true,
    held: amount === null ? null : minorUnitsToText(amount, coin.decimals),
    received: null,
    treasury: null,
    cold: null,
    owed: null,
    reserved: null,
    recovered: null,
    warning: amount === 0n ? 'fee_empty' : isLow ? 'fee_low' : staleness(reading, isStale),
  };
}

const staleness = (reading: Reading | undefined, isStale: boolean): WalletWarning | null =>
  reading === undefined ? 'unread' : isStale ? 'stale' : null;

// TREASURY_LEVELS: how much of each token a treasury wallet that is not the refund wallet should hold. SPONSOR_LEVELS: how much coin the
// sponsor of sweeps should have. Their owner moves this money, so operators are shown what is outside, and nothing moves by itself.

import { parseDecimal } from '@/lib/money/amounts';
import type { Config } from '@/lib/platform/config/config';
import { NETWORKS, type NetworkSpec } from './networks';
import { REFUND_WALLET_NAME } from './refund-wallet-name';
import { presentTreasuries, treasuryWallets } from './treasury-wallets';
import { isSameChain } from './wallet-levels';

export type MarkedWallet = 'treasury' | 'sponsor';

/** Smallest units. `asset`: a token's currency or the symbol of the coin. `low` < `high`. */
export type Marks = {
  readonly wallet: MarkedWallet;
  readonly spec: NetworkSpec;
  readonly asset: string;
  readonly decimals: number;
  readonly low: bigint;
  readonly high: bigint;
};

type Settings = Pick<Config, 'TREASURY_WALLETS' | 'TREASURY_LEVELS' | 'SPONSOR_LEVELS'>;

/** Parses entries such as `tron@mainnet/USDT=1000:5000` and `ethereum@mainnet/ETH=0.05:0.5`. Throws an Error for anything else. */
export function walletMarks(settings: Settings, table: readonly NetworkSpec[] = NETWORKS): readonly Marks[] {
  const treasuries = presentTreasuries(treasuryWallets(settings.TREASURY_WALLETS, table));
  const own = treasuries.filter(({ address }) => address !== REFUND_WALLET_NAME);
  const ofTreasury = marksIn(settings.TREASURY_LEVELS, 'treasury', table);
  const stray = ofTreasury.find(({ spec }) => !own.some((one) => isSameChain(one.spec, spec)));
  if (stray) throw new Error(`TREASURY_LEVELS: ${stray.spec.network} has no treasury wallet of its own`);
  return [...ofTreasury, ...marksIn(settings.SPONSOR_LEVELS, 'sponsor', table)];
}

const NAMES = { treasury: 'TREASURY_LEVELS', sponsor: 'SPONSOR_LEVELS' } as const;
const EXAMPLES = { treasury: 'tron@mainnet/USDT=1000:5000', sponsor: 'ethereum@mainnet/ETH=0.05:0.5' } as const;

function marksIn(entries: readonly string[], wallet: MarkedWallet, table: readonly NetworkSpec[]): readonly Marks[] {
  const marks = entries.map((entry) => marksOf(entry, wallet, table));
  const assets = marks.map(({ spec, asset }) => `${spec.network}@${spec.chain}/${asset}`);
  if (new Set(assets).size !== assets.length) throw new Error(`${NAMES[wallet]} names one asset twice`);
  return marks;
}

const SHAPE = /^([a-z0-9-]+@[a-z]+)\/([A-Z]+)=([0-9.]{1,31}):([0-9.]{1,31})$/;

function marksOf(entry: string, wallet: MarkedWallet, table: readonly NetworkSpec[]): Marks {
  const [, name = '', asset = '', lowText = '', highText = ''] = SHAPE.exec(entry) ?? [];
  const spec = table.find((row) => `${row.network}@${row.chain}` === name);
  const decimals = spec ? decimalsOf(spec, wallet, asset) : null;
  const low = decimals === null ? null : unitsOf(lowText, decimals);
  const high = decimals === null ? null : unitsOf(highText, decimals);
  if (!spec || decimals === null || low === null || high === null)
    throw new Error(`${NAMES[wallet]} needs entries like ${EXAMPLES[wallet]}, and has "${entry}"`);
  if (low >= high) throw new Error(`${NAMES[wallet]}: the marks of ${name}/${asset} must rise from low to high`);
  return { wallet, spec, asset, decimals, low, high };
}

/** Null for an asset that the wallet has no marks of. */
function decimalsOf({ coin, tokens }: NetworkSpec, wallet: MarkedWallet, asset: string): number | null {
  if (wallet === 'sponsor') return coin.symbol === asset ? coin.decimals : null;
  return (Object.hasOwn(tokens, asset) && tokens[asset]?.decimals) || null;
}

/** Null for a text that is no decimal, or has more digits than the asset. */
function unitsOf(text: string, decimals: number): bigint | null {
  const parsed = parseDecimal(text);
  return parsed && parsed.digits <= decimals ? parsed.units * 10n ** BigInt(decimals - parsed.digits) : null;
}

// COLD_WALLETS: the operator's cold wallet of each network. REFUND_WALLET_LEVELS: how much of each token the refund wallet should
// hold. Above the high-water mark the excess over the target goes to the cold wallet; below the low-water mark operators get an
// alarm (lib/cold-storage). The signer has pinned the cold wallets in its own settings.

import { DRAFT_FAMILIES } from './families/drafts';
import { FAMILIES } from './families/family';
import { NETWORKS, tokenOf, type NetworkSpec } from './networks';

export type ColdWallet = { readonly spec: NetworkSpec; readonly address: string };

/** Base units. `low` < `target` < `high`. */
export type Levels = {
  readonly spec: NetworkSpec;
  readonly currency: string;
  readonly low: bigint;
  readonly target: bigint;
  readonly high: bigint;
};

/** Whether both are the same network and chain. */
export const isSameChain = (one: ChainName, other: ChainName): boolean =>
  one.network === other.network && one.chain === other.chain;
type ChainName = Pick<NetworkSpec, 'network' | 'chain'>;

/** Parses entries such as `ethereum@mainnet=0x…`. Throws an Error for an unknown network, a second wallet, or an unusable address. */
export function coldWallets(
  entries: readonly string[],
  table: readonly NetworkSpec[] = NETWORKS,
): readonly ColdWallet[] {
  const wallets = entries.map((entry) => {
    const [name = '', given = '', ...others] = entry.split('=');
    const spec = others.length === 0 ? specOf(name, table) : undefined;
    if (!spec) throw new Error(`COLD_WALLETS needs entries like ethereum@mainnet=0x…, and has "${entry}"`);
    const address = FAMILIES[spec.family].storedAddress(given);
    if (!DRAFT_FAMILIES[spec.family].isPayable(address) || tokenOf(spec, address) !== null)
      throw new Error(`COLD_WALLETS: "${given}" is not a wallet's address on ${name}`);
    return { spec, address };
  });
  if (new Set(wallets.map(({ spec }) => spec)).size !== wallets.length)
    throw new Error('COLD_WALLETS names two wallets of one network');
  return wallets;
}

/**
 * Parses entries such as `tron@mainnet/USDT=1000:5000`, in whole tokens: the low- and the high-water mark, and between them the
 * target if it is not the middle (`1000:2000:5000`). Throws an Error for anything else.
 */
export function walletLevels(entries: readonly string[], table: readonly NetworkSpec[] = NETWORKS): readonly Levels[] {
  const levels = entries.map((entry) => levelsOf(entry, table));
  const names = levels.map(({ spec, currency }) => `${spec.network}@${spec.chain}/${currency}`);
  if (new Set(names).size !== names.length) throw new Error('REFUND_WALLET_LEVELS names one token twice');
  return levels;
}

const SHAPE = /^([a-z0-9-]+@[a-z]+)\/([A-Z]+)=(\d{1,12})(?::(\d{1,12}))?:(\d{1,12})$/;

function levelsOf(entry: string, table: readonly NetworkSpec[]): Levels {
  const [, name = '', currency = '', first = '', middle, last = ''] = SHAPE.exec(entry) ?? [];
  const spec = specOf(name, table);
  const token = spec && Object.hasOwn(spec.tokens, currency) ? spec.tokens[currency] : undefined;
  if (!spec || !token)
    throw new Error(`REFUND_WALLET_LEVELS needs entries like tron@mainnet/USDT=1000:5000, and has "${entry}"`);
  const unit = 10n ** BigInt(token.decimals);
  const [low, high] = [BigInt(first) * unit, BigInt(last) * unit];
  // Rounded down to the base unit.
  const target = middle === undefined ? (low + high) / 2n : BigInt(middle) * unit;
  if (!(low < target && target < high))
    throw new Error(`REFUND_WALLET_LEVELS: the marks of ${name}/${currency} must rise from low over target to high`);
  return { spec, currency, low, target, high };
}

const specOf = (name: string, table: readonly NetworkSpec[]): NetworkSpec | undefined =>
  table.find((row) => `${row.network}@${row.chain}` === name);

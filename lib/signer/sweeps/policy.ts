// Where the signer may sweep to and what sweeps may cost, from its own settings. Pure. Without a treasury wallet it signs
// no sweep.

import { DRAFT_FAMILIES } from '@/lib/networks/families/drafts';
import { NETWORKS, tokenOf, type EvmSpec, type NetworkSpec } from '@/lib/networks/networks';
import { REFUND_WALLET_NAME } from '@/lib/networks/refund-wallet-name';
import type { Environment } from '@/lib/platform/ids';
import { checksumAddress } from '@/lib/treasury/wallets/derivation';
import type { Sponsor } from '@/lib/treasury/wallets/derivation-sweep';

/** A network with the operator's treasury wallet on it. */
type Treasury = { readonly spec: NetworkSpec; readonly treasury: string };
/** `feesPerHour` in the smallest unit of the coin. */
export type SweepChain = Treasury & { readonly feesPerHour: bigint };
export type EvmSweepChain = SweepChain & { readonly spec: EvmSpec };

export type SweepPolicy = {
  /** At most one chain per environment and network. */
  readonly chains: readonly SweepChain[];
  /** The sponsor that signs. */
  readonly sponsor: Sponsor;
};

/** Sweeps of an hour may cost this many times the fee cap of one payment, unless a setting says otherwise. */
const FEE_CAPS_PER_HOUR = 25n;

export const nameOf = ({ network, chain }: Pick<NetworkSpec, 'network' | 'chain'>): string => `${network}@${chain}`;

/**
 * Parses a setting such as `ethereum@mainnet=0x…` or `ethereum@mainnet=refund-wallet`, in which the first wallet of a network counts. Throws an Error without
 * any value.
 */
export function treasuriesOf(setting: string, table: readonly NetworkSpec[] = NETWORKS): readonly Treasury[] {
  const named = entriesOf(setting, table).map(({ spec, value }) => ({ spec, treasury: walletOf(value, spec) }));
  const treasuries = named.filter(({ spec }, at) => named.findIndex((one) => one.spec === spec) === at);
  const slots = new Set(treasuries.map(({ spec }) => `${spec.environment} ${spec.network}`));
  if (slots.size !== treasuries.length) throw new Error('names two chains of one network for one environment');
  return treasuries;
}

/** Parses a setting such as `ethereum@mainnet=0x…`, with one wallet for each network. Throws an Error without any value. */
export function coldWalletsOf(
  setting: string,
  table: readonly NetworkSpec[] = NETWORKS,
): readonly { readonly spec: NetworkSpec; readonly address: string }[] {
  const wallets = entriesOf(setting, table).map(({ spec, value }) => ({ spec, address: ownWalletOf(value, spec) }));
  const slots = new Set(wallets.map(({ spec }) => `${spec.environment} ${spec.network}`));
  if (slots.size !== wallets.length) throw new Error('names two wallets of one network for one environment');
  return wallets;
}

/**
 * Parses a setting such as `ethereum@mainnet=0.05`, in whole coins, to the coin's smallest unit by network. Throws an Error
 * without any value.
 */
export function feeBudgetsOf(setting: string, table: readonly NetworkSpec[] = NETWORKS): ReadonlyMap<string, bigint> {
  const entries = entriesOf(setting, table);
  if (new Set(entries.map(({ spec }) => spec)).size !== entries.length) throw new Error('names a network twice');
  return new Map(entries.map(({ spec, value }) => [nameOf(spec), weiOf(value, spec)]));
}

/** The treasuries with their fee budgets. */
export const withBudgets = (
  treasuries: readonly Treasury[],
  budgets: ReadonlyMap<string, bigint>,
): readonly SweepChain[] =>
  treasuries.map(({ spec, treasury }) => ({
    spec,
    treasury,
    feesPerHour: budgets.get(nameOf(spec)) ?? FEE_CAPS_PER_HOUR * spec.feeCap,
  }));

function entriesOf(
  text: string,
  table: readonly NetworkSpec[],
): readonly { readonly spec: NetworkSpec; readonly value: string }[] {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '');
  return entries.map((entry) => {
    const [name = '', value = '', ...others] = entry.split('=');
    const spec = table.find((row) => nameOf(row) === name);
    if (!spec || value === '' || others.length > 0) throw new Error('needs entries such as ethereum@mainnet=…');
    return { spec, value };
  });
}

/** The signer's refund wallets of one family. A treasury may be that of its own environment, and never the other one. */
export type RefundWalletsOf = Readonly<Partial<Record<Environment, string>>>;

/** The refund wallet that no treasury of this environment may be. */
export const otherRefundWallet = (wallets: RefundWalletsOf, environment: Environment): string | undefined =>
  wallets[environment === 'live' ? 'test' : 'live'];

/** The treasury with its address, where the setting has the name of the refund wallet. */
export const withRefundWallet = <C extends Treasury>(chain: C, addressOf: (spec: NetworkSpec) => string): C =>
  chain.treasury === REFUND_WALLET_NAME ? { ...chain, treasury: addressOf(chain.spec) } : chain;

const walletOf = (text: string, spec: NetworkSpec): string =>
  text === REFUND_WALLET_NAME ? text : ownWalletOf(text, spec);

function ownWalletOf(text: string, spec: NetworkSpec): string {
  if (spec.family === 'evm') return evmWalletOf(text, spec);
  if (!DRAFT_FAMILIES[spec.family].isPayable(text) || tokenOf(spec, text) !== null)
    throw new Error(`has no wallet's address for ${nameOf(spec)}`);
  return text;
}

/** In lower case. Mixed case must be the address's checksum (EIP-55). */
function evmWalletOf(text: string, spec: EvmSpec): string {
  const address = text.toLowerCase();
  const isAddress = /^0x[0-9a-f]{40}$/.test(address) && !/^0x0+$/.test(address) && tokenOf(spec, address) === null;
  const isTyped = text === address || (isAddress && checksumAddress(address) === text);
  if (!isAddress || !isTyped) throw new Error(`has no wallet's address for ${nameOf(spec)}`);
  return address;
}

function weiOf(text: string, { coin, ...spec }: NetworkSpec): bigint {
  const [, whole, fraction = ''] = /^([0-9]{1,9})(?:\.([0-9]+))?$/.exec(text) ?? [];
  if (whole === undefined || fraction.length > coin.decimals)
    throw new Error(`has no amount of ${coin.symbol} for ${nameOf(spec)}`);
  return BigInt(whole + fraction.padEnd(coin.decimals, '0'));
}

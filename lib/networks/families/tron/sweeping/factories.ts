// The settings that name contracts of forwarders, such as `tron@mainnet=T…`. The first of a network gives new deposit addresses; the
// others still have some. Pure.

import { DRAFT_FAMILIES } from '@/lib/networks/families/drafts';
import { NETWORKS, tokenOf, type NetworkSpec } from '@/lib/networks/networks';

/** `factory`: the contract, in base58check. */
export type ForwarderFactory = { readonly spec: NetworkSpec; readonly factory: string };

/** Throws an Error, without any value, for an unknown network, an address that is none, or a contract that is named twice. */
export function forwarderFactories(
  entries: readonly string[],
  table: readonly NetworkSpec[] = NETWORKS,
): readonly ForwarderFactory[] {
  const factories = entries.map((entry) => factoryOf(entry, table));
  // Their addresses are told apart by the contract alone, so that of one network is never taken for that of another.
  if (new Set(factories.map(({ factory }) => factory)).size !== factories.length)
    throw new Error('names one contract twice');
  return factories;
}

function factoryOf(entry: string, table: readonly NetworkSpec[]): ForwarderFactory {
  const [name, factory = '', ...others] = entry.split('=');
  const spec = table.find((row) => row.family === 'tron' && `${row.network}@${row.chain}` === name);
  const isAddress = spec && DRAFT_FAMILIES.tron.isPayable(factory) && tokenOf(spec, factory) === null;
  if (!isAddress || others.length > 0) throw new Error('needs entries such as tron@mainnet=T…');
  return { spec, factory };
}

/** The contracts of one network, the one for new addresses first. */
export const factoriesOn = (
  factories: readonly ForwarderFactory[],
  { network, chain }: Pick<NetworkSpec, 'network' | 'chain'>,
): readonly string[] =>
  factories.filter(({ spec }) => spec.network === network && spec.chain === chain).map(({ factory }) => factory);

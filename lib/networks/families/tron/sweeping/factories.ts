// The settings that name contracts of forwarders, such as `tron@mainnet=T…`. The first entry of a network gives new deposit addresses; the
// others still have some. `tron@mainnet=keys` in front of them gives addresses of keys. Pure.

import { DRAFT_FAMILIES } from '@/lib/networks/families/drafts';
import { NETWORKS, tokenOf, type NetworkSpec } from '@/lib/networks/networks';

/** `factory`: the contract, in base58check; null for addresses of keys. */
export type ForwarderFactory = { readonly spec: NetworkSpec; readonly factory: string | null };
type Place = Pick<NetworkSpec, 'network' | 'chain'>;

const KEYS = 'keys';

/** Throws an Error, without any value, for an unknown network, an address that is none, or a contract that is named twice. */
export function forwarderFactories(
  entries: readonly string[],
  table: readonly NetworkSpec[] = NETWORKS,
): readonly ForwarderFactory[] {
  const factories = entries.map((entry) => factoryOf(entry, table));
  // Their addresses are told apart by the contract alone, so that of one network is never taken for that of another.
  const contracts = allFactories(factories);
  if (new Set(contracts).size !== contracts.length) throw new Error('names one contract twice');
  return factories;
}

function factoryOf(entry: string, table: readonly NetworkSpec[]): ForwarderFactory {
  const [name, factory = '', ...others] = entry.split('=');
  const spec = table.find((row) => row.family === 'tron' && `${row.network}@${row.chain}` === name);
  const isAddress = spec && DRAFT_FAMILIES.tron.isPayable(factory) && tokenOf(spec, factory) === null;
  if (!spec || (!isAddress && factory !== KEYS) || others.length > 0)
    throw new Error('needs entries such as tron@mainnet=T…');
  return { spec, factory: factory === KEYS ? null : factory };
}

/** The contracts of all networks. */
export const allFactories = (factories: readonly ForwarderFactory[]): readonly string[] =>
  factories.flatMap(({ factory }) => factory ?? []);

/** The contracts of one network, in the order of the setting. */
export const factoriesOn = (factories: readonly ForwarderFactory[], place: Place): readonly string[] =>
  allFactories(factories.filter(isOn(place)));

/** The contract of new deposit addresses on a network; null for addresses of keys. */
export const newFactoryOn = (factories: readonly ForwarderFactory[], place: Place): string | null =>
  factories.find(isOn(place))?.factory ?? null;

const isOn =
  ({ network, chain }: Place) =>
  ({ spec }: ForwarderFactory): boolean =>
    spec.network === network && spec.chain === chain;

// Which chains this installation follows: every network of every environment that has endpoints in the settings, with the
// adapter of its family. A setting that cannot be honoured is refused when the process starts, in a sentence that names
// the setting and repeats none of its value.

import type { Clock } from '@/lib/clock';
import type { Config } from '@/lib/config';
import type { Environment } from '@/lib/ids';
import type { Log } from '@/lib/log';
import type { ChainAdapter, NetworkFamily } from './chain';
import { openEvmAdapter } from './evm/adapter';
import { networkSpec, type NetworkSpec } from './networks';

export type FollowedChain = {
  readonly environment: Environment;
  readonly network: string;
  readonly spec: NetworkSpec;
  readonly adapter: ChainAdapter;
};

export type ChainDeps = { readonly clock: Clock; readonly log: Log };

const ENVIRONMENTS = ['live', 'test'] as const;
const NETWORK_NAMES = ['ethereum', 'bsc', 'tron', 'solana'] as const;

type Opener = (options: { spec: NetworkSpec; urls: readonly string[] } & ChainDeps) => ChainAdapter;
/** Null: this version has no adapter of the family. */
const adapters: Record<NetworkFamily, Opener | null> = { evm: openEvmAdapter, tron: null, solana: null };

/** Opens every configured chain. Throws an Error with one sentence per fault. Nothing is asked of any endpoint yet. */
export function openChains(config: Config, deps: ChainDeps): FollowedChain[] {
  const faults: string[] = [];
  const chains = configured(config).flatMap(({ environment, network, setting, urls }): FollowedChain[] => {
    const spec = networkSpec(environment, network, config.TEST_CHAINS);
    const open = spec && adapters[spec.family];
    const bad = urls.findIndex((url) => !isHttpAddress(url));
    if (bad !== -1) faults.push(`${setting}: entry ${bad + 1} is not an http or https address`);
    if (!open) faults.push(`${setting}: this version cannot follow ${network}; remove the setting`);
    return spec && open && bad === -1 ? [{ environment, network, spec, adapter: open({ spec, urls, ...deps }) }] : [];
  });
  if (faults.length > 0) throw new Error(`These chains cannot be followed:\n  ${faults.join('\n  ')}`);
  return chains;
}

/** The networks that have endpoints, with the row that describes them; what sessions may offer. */
export function configuredNetworks(config: Config): NetworkSpec[] {
  return configured(config).flatMap(({ environment, network }) => {
    const spec = networkSpec(environment, network, config.TEST_CHAINS);
    return spec && adapters[spec.family] ? [spec] : [];
  });
}

function configured(config: Config) {
  return ENVIRONMENTS.flatMap((environment) =>
    NETWORK_NAMES.map((network) => {
      const setting = `${upper(environment)}_${upper(network)}_URLS` as const;
      return { environment, network, setting, urls: config[setting] };
    }),
  ).filter(({ urls }) => urls.length > 0);
}

const upper = <T extends string>(text: T): Uppercase<T> => text.toUpperCase() as Uppercase<T>;

const isHttpAddress = (text: string): boolean =>
  URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);

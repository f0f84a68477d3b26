// Which sources screen an address, by the settings alone. Without sources nothing is screened, and nothing changes.

import type { NetworkSpec } from '@/lib/networks/networks';
import { configuredNetworks } from '@/lib/networks/registry';
import type { Config } from '@/lib/platform/config/config';
import type { Environment } from '@/lib/platform/ids';

/** `sender`: paid to a deposit address. `payee`: receives a refund or payout. */
export const ROLES = ['sender', 'payee'] as const;
export type Role = (typeof ROLES)[number];

/** `list`: the operator's sanctions file. `oracle`: the Chainalysis contract. `hook`: the operator's HTTP endpoint. */
export type Source = 'list' | 'oracle' | 'hook';

/** The contract of Chainalysis on public chains (docs/network-facts.md, "The sanctions oracle"): one address on all but Base. */
const CHAINALYSIS = '0x40c57923924b5c5c5455c48d93317139addac8fb';
const ORACLES: ReadonlyMap<string, string> = new Map([
  ['ethereum', CHAINALYSIS],
  ['bsc', CHAINALYSIS],
  ['polygon', CHAINALYSIS],
  ['arbitrum', CHAINALYSIS],
  ['base', '0x3a91a31cb3dc49b4db9ce721f50a9d076c8d739b'],
]);

export type ScreeningConfig = Pick<
  Config,
  'SCREENED_ROLES' | 'SCREENING_LIST_KEY' | 'SCREENING_ORACLE' | 'SCREENING_ORACLE_LOCAL' | 'SCREENING_HOOK_URL'
>;

/** The sources of a network for a role; empty when it is not screened. */
export function sourcesOf(config: ScreeningConfig, spec: NetworkSpec, role: Role): readonly Source[] {
  if (!config.SCREENED_ROLES.includes(role)) return [];
  return [
    ...(config.SCREENING_LIST_KEY ? (['list'] as const) : []),
    ...(oracleOf(config, spec) ? (['oracle'] as const) : []),
    ...(config.SCREENING_HOOK_URL === undefined ? [] : (['hook'] as const)),
  ];
}

/** The contract that is asked on a chain; null where there is none. */
export function oracleOf(config: ScreeningConfig, { family, network, chain }: NetworkSpec): string | null {
  if (family !== 'evm') return null;
  if (chain === 'local') return config.SCREENING_ORACLE_LOCAL ?? null;
  return chain === 'mainnet' && config.SCREENING_ORACLE ? (ORACLES.get(network) ?? null) : null;
}

/** The followed networks of an environment whose addresses are screened in this role: others have no step that asks. */
export const screenedNetworks = (config: Config, environment: Environment, role: Role): readonly string[] =>
  configuredNetworks(config)
    .filter((spec) => spec.environment === environment && sourcesOf(config, spec, role).length > 0)
    .map(({ network }) => network);

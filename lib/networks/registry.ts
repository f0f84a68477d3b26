// The chains that this installation follows: every network that has endpoints in the settings, in each environment, with its
// family's adapter. The networks table alone determines which networks and settings exist. An unusable setting is refused at
// start-up, with a sentence that names the setting but never shows its value.

import type { Clock } from '@/lib/platform/clock';
import type { BudgetSetting, Config, EndpointSetting } from '@/lib/platform/config/config';
import type { Environment } from '@/lib/platform/ids';
import type { Log } from '@/lib/platform/log';
import type { Trust } from './endpoints/agreement';
import type { ChainAdapter, NetworkFamily } from './chain';
import type { EndpointControl } from './endpoints/endpoints';
import { budgetsOf } from './endpoints/budgets';
import { openEvmAdapter } from './families/evm/adapter';
import { networkSpec, NETWORKS, STANDARD_NETWORKS, type NetworkSpec } from './networks';
import type { Purpose, RequestBudget } from './endpoints/request-budget';
import { NO_LIMITS, readLimits, TRONGRID_LIMITS, type RequestLimits } from './endpoints/request-limits';
import type { SendOptions } from './sending/endpoints';
import { headsOf, type HeadStore, type SharedHead } from './endpoints/shared-head';
import { openSolanaAdapter } from './families/solana/adapter';
import { openTronAdapter } from './families/tron/adapter';
import { isTronGrid } from './families/tron/http';

export type FollowedChain = {
  readonly environment: Environment;
  readonly network: string;
  readonly spec: NetworkSpec;
  readonly adapter: ChainAdapter;
  /** Budgets of its endpoints; absent if nothing is limited. */
  readonly budgets?: readonly RequestBudget[];
};

/** A followed chain together with its endpoint health. */
export type OpenedChain = FollowedChain & { readonly endpoints: EndpointControl };

export type ChainDeps = {
  readonly clock: Clock;
  readonly log: Log;
  /** Shares endpoint heads with other processes. Absent: this process reads them itself. */
  readonly heads?: HeadStore | undefined;
};

/** A network with endpoints in the settings. */
type Configured = {
  readonly environment: Environment;
  readonly setting: EndpointSetting;
  readonly spec: NetworkSpec;
  /** Entries of the setting; `default` is replaced by the table's public endpoints. */
  readonly urls: readonly string[];
  /** The request limits of those endpoints, in the same order. */
  readonly limits: readonly RequestLimits[];
};

type Opening = Omit<ChainDeps, 'heads'> & {
  readonly spec: NetworkSpec;
  readonly urls: readonly string[];
  readonly apiKey: string | undefined;
  readonly trust: Trust;
  readonly budgets: readonly RequestBudget[];
  readonly heads: readonly SharedHead[] | undefined;
};
type Opener = (options: Opening) => ChainAdapter & { readonly endpoints: EndpointControl };

const adapters: Record<NetworkFamily, Opener> = {
  evm: openEvmAdapter,
  tron: openTronAdapter,
  solana: openSolanaAdapter,
};

const ENVIRONMENTS = ['live', 'test'] as const;
/** Setting value for the table's public endpoints, alone or among others. */
const DEFAULT = 'default';

/** Opens every configured chain without sending any request. Throws an Error with one sentence per fault. */
export function openChains(config: Config, deps: ChainDeps, table: readonly NetworkSpec[] = NETWORKS): OpenedChain[] {
  const { found, faults } = configured(config, table);
  const trust = {
    above: BigInt(config.AGREEMENT_ABOVE),
    abovePerHour: BigInt(config.AGREEMENT_ABOVE_PER_HOUR),
    endpoints: config.AGREEMENT_ENDPOINTS,
  };
  const chains = found.flatMap((one): OpenedChain[] => {
    const { environment, setting, spec, urls } = one;
    const open = adapters[spec.family];
    const bad = urls.findIndex((url) => !isHttpAddress(url));
    if (urls.length === 0) faults.push(`${setting}: there are no public endpoints of ${spec.network} for \`default\``);
    if (bad !== -1) faults.push(`${setting}: entry ${bad + 1} is not an http or https address`);
    if (bad !== -1 || urls.length === 0) return [];
    const apiKey = spec.family === 'tron' ? config[`${upper(environment)}_TRON_API_KEY`] : undefined;
    const budgets = budgetsOf(config, deps, one);
    const { clock, log } = deps;
    const adapter = open({ spec, urls, apiKey, trust, budgets, heads: headsOf(deps.heads, one), clock, log });
    return [{ environment, network: spec.network, spec, adapter, budgets, endpoints: adapter.endpoints }];
  });
  if (faults.length > 0) throw new Error(`These chains cannot be followed:\n  ${faults.join('\n  ')}`);
  return chains;
}

/** Options that open a network's sender or balance reader (senders.ts, balances.ts). `apiKey` is TronGrid's. */
export type SendingOptions = SendOptions & { readonly apiKey?: string | undefined };

/** The same options for a followed chain. Payouts need agreement from as many endpoints as crediting large payments does. */
export function sendingOptions(
  config: Config,
  deps: ChainDeps,
  { environment, spec }: FollowedChain,
  purpose: Purpose = 'service',
): SendingOptions {
  const found = configured(config, NETWORKS).found.find((one) => one.spec === spec);
  const apiKey = spec.family === 'tron' ? config[`${upper(environment)}_TRON_API_KEY`] : undefined;
  const budgets = found && budgetsOf(config, deps, found).map((budget) => budget.shareOf(purpose));
  const heads = found && headsOf(deps.heads, found);
  const { clock, log } = deps;
  return { spec, urls: found?.urls ?? [], needed: config.AGREEMENT_ENDPOINTS, apiKey, budgets, heads, clock, log };
}

/** Opens each endpoint of a network alone. Its reports are not compared with others, and its faults do not affect the adapter of the watcher. */
export const openEach = (options: SendingOptions): readonly ChainAdapter[] =>
  options.urls.map((url, at) => {
    const { spec, apiKey, budgets, clock, log } = options;
    const trust = { above: 0n, abovePerHour: 0n, endpoints: 1 };
    const own = { urls: [url], budgets: budgets?.slice(at, at + 1) ?? [], heads: undefined };
    return adapters[spec.family]({ spec, apiKey, trust, clock, log: log.child({ position: at + 1 }), ...own });
  });

/** The networks with endpoints in the settings, as rows of the networks table. */
export function configuredNetworks(config: Config): NetworkSpec[] {
  return configured(config, NETWORKS).found.map(({ spec }) => spec);
}

/**
 * The networks that pages and forms name, in the table's order: those of every installation, and those whose endpoints the settings
 * name in either environment. All others do not exist here.
 */
export function presentedNetworks(config: Config): readonly string[] {
  const named = new Set([...STANDARD_NETWORKS, ...configured(config, NETWORKS).found.map(({ spec }) => spec.network)]);
  return [...new Set(NETWORKS.map(({ network }) => network))].filter((network) => named.has(network));
}

/** The endpoints of a configured network for requests that page visitors cause; null if none is usable. */
export function endpointsOf(
  config: Config,
  deps: ChainDeps,
  { environment, network }: { readonly environment: Environment; readonly network: string },
): {
  readonly spec: NetworkSpec;
  readonly urls: readonly string[];
  readonly apiKey: string | undefined;
  readonly budgets: readonly RequestBudget[];
} | null {
  const isIt = (one: Configured): boolean => one.environment === environment && one.spec.network === network;
  const found = configured(config, NETWORKS).found.find(isIt);
  if (!found || found.urls.length === 0 || !found.urls.every(isHttpAddress)) return null;
  const apiKey = found.spec.family === 'tron' ? config[`${upper(environment)}_TRON_API_KEY`] : undefined;
  return {
    spec: found.spec,
    urls: found.urls,
    apiKey,
    budgets: budgetsOf(config, deps, found).map((budget) => budget.shareOf('anonymous')),
  };
}

/** Why a token of a configured network is watched but not offered. */
export type Withheld = 'discontinued';

/** What sessions may offer on one network, and which of its tokens are withheld. */
export type Offer = {
  readonly spec: NetworkSpec;
  /** Number of endpoints. */
  readonly endpoints: number;
  readonly currencies: readonly string[];
  readonly withheld: readonly { readonly currency: string; readonly reason: Withheld }[];
};

/** Settings do not change while a process runs, and every request reads the offers, so they are cached. */
const known = new WeakMap<Config, readonly Offer[]>();

/** What sessions may offer: the tokens of the configured networks, without those that the operator disabled (`OFFER_…`). */
export function offers(config: Config): readonly Offer[] {
  const found = known.get(config) ?? readOffers(config);
  known.set(config, found);
  return found;
}

function readOffers(config: Config): Offer[] {
  const { found } = configured(config, NETWORKS);
  return found.map(({ spec, urls }) => ({ spec, endpoints: urls.length, ...offeredTokens(config, spec) }));
}

/** The tokens of a network that the operator offers, and those that are withheld. */
function offeredTokens(config: Config, spec: NetworkSpec): Pick<Offer, 'currencies' | 'withheld'> {
  const switches: Readonly<Record<string, unknown>> = config;
  const withheld = Object.entries(spec.tokens).flatMap(([currency, { offByDefault: reason }]) => {
    const isOn = switches[`OFFER_${upper(spec.network)}_${currency}`] === true;
    return reason === undefined || isOn ? [] : [{ currency, reason }];
  });
  const off = new Set(withheld.map(({ currency }) => currency));
  return { currencies: Object.keys(spec.tokens).filter((currency) => !off.has(currency)), withheld };
}

function configured(config: Config, table: readonly NetworkSpec[]): { found: Configured[]; faults: string[] } {
  const left = new Map(config.endpoints);
  const faults: string[] = [];
  const names = [...new Set(table.map(({ network }) => network))];
  const found = ENVIRONMENTS.flatMap((environment) =>
    names.flatMap((network): Configured[] => {
      const setting: EndpointSetting = `${upper(environment)}_${upper(network)}_URLS`;
      const entries = left.get(setting);
      left.delete(setting);
      if (!entries) return [];
      const spec = networkSpec(environment, network, config.TEST_CHAINS, table);
      if (!spec) faults.push(`${setting}: there is no ${network} in this environment; remove the setting`);
      if (!spec) return [];
      const urls = entries.flatMap((entry) => (entry === DEFAULT ? spec.endpoints : [entry]));
      const limits = limitsOf(config, { setting, urls }, faults);
      return [{ environment, setting, spec, urls, limits }];
    }),
  );
  for (const setting of left.keys()) faults.push(`${setting}: there is no network of this name`);
  for (const setting of config.budgets.keys()) {
    const urls: EndpointSetting = `${setting.slice(0, -'BUDGETS'.length)}URLS` as EndpointSetting;
    if (!config.endpoints.has(urls)) faults.push(`${setting}: ${urls} names no endpoints`);
  }
  return { found, faults };
}

/** The request limits of each endpoint: from the settings, otherwise those known for its provider. */
function limitsOf(
  config: Config,
  { setting, urls }: { readonly setting: EndpointSetting; readonly urls: readonly string[] },
  faults: string[],
): RequestLimits[] {
  const budgets = setting.replace(/URLS$/, 'BUDGETS') as BudgetSetting;
  const entries = config.budgets.get(budgets) ?? [];
  if (entries.length > urls.length) faults.push(`${budgets}: it has more entries than ${setting} has endpoints`);
  return urls.map((url, index) => {
    const entry = entries[index];
    const usual = URL.canParse(url) && isTronGrid(new URL(url)) ? TRONGRID_LIMITS : NO_LIMITS;
    const limits = entry === undefined ? usual : readLimits(entry);
    if (!limits) faults.push(`${budgets}: entry ${index + 1} is not like second=25;day=100000;batch=3 or -`);
    return limits ?? usual;
  });
}

const upper = <T extends string>(text: T): Uppercase<T> => text.toUpperCase() as Uppercase<T>;

const isHttpAddress = (text: string): boolean =>
  URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);

// The energy market of the settings: ENERGY_MARKET names it and the chain that it is for.

import { openEnergyMarket } from '@/lib/networks/families/tron/sweeping/energy-market';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { Clock } from '@/lib/platform/clock';
import type { Config } from '@/lib/platform/config/config';
import type { Renting } from './run';

const SUN = 1_000_000n;

type Settings = Pick<
  Config,
  | 'ENERGY_MARKET'
  | 'ENERGY_MARKET_KEY'
  | 'ENERGY_MARKET_SECRET'
  | 'ENERGY_MARKET_MAX_PRICE'
  | 'ENERGY_MARKET_TRX_PER_HOUR'
>;

/** Null for a chain on which no energy is rented. */
export function rentingOf(
  settings: Settings,
  { network, chain }: Pick<NetworkSpec, 'network' | 'chain'>,
  clock: Clock,
): Renting | null {
  const { ENERGY_MARKET: market, ENERGY_MARKET_KEY: key, ENERGY_MARKET_SECRET: secret } = settings;
  if (!market || key === undefined || secret === undefined || market.chain !== `${network}@${chain}`) return null;
  return {
    market: openEnergyMarket({ url: market.url, key, secret }, clock),
    maxPrice: BigInt(settings.ENERGY_MARKET_MAX_PRICE),
    perHour: BigInt(settings.ENERGY_MARKET_TRX_PER_HOUR) * SUN,
  };
}

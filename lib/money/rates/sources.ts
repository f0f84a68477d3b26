// The registry of exchange rate sources, and the configured ones. A new source is one file in providers/ and one row here.

import type { Config } from '@/lib/platform/config/config';
import { binance } from './providers/binance';
import { coinbase } from './providers/coinbase';
import { erApi } from './providers/er-api';
import { frankfurter } from './providers/frankfurter';
import { kraken } from './providers/kraken';
import type { Provider, SourceName } from './providers/provider';

export const PROVIDERS: Readonly<Record<SourceName, Provider>> = {
  coinbase,
  kraken,
  binance,
  frankfurter,
  'er-api': erApi,
};

/** A configured source and its URL. */
export type RateSource = { readonly provider: Provider; readonly url: string };

/** The configured sources. Throws an Error that names an unknown source. */
export function rateSources({ RATE_SOURCES }: Pick<Config, 'RATE_SOURCES'>): RateSource[] {
  return RATE_SOURCES.map(({ name, address }) => {
    const provider = Object.values(PROVIDERS).find(({ source }) => source === name);
    if (!provider)
      throw new Error(`RATE_SOURCES: there is no source "${name}", only ${Object.keys(PROVIDERS).join(', ')}`);
    return { provider, url: `${address ?? provider.address}${provider.path}` };
  });
}

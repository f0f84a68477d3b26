// Which chain has an energy market, by the settings.

import { describe, expect, it } from 'vitest';
import { systemClock } from '@/lib/platform/clock';
import { readConfig } from '@/lib/platform/config/config';
import { energyToRent } from './rent';
import { rentingOf } from './renting';

const BASE = {
  DATABASE_URL: 'postgresql://one',
  MASTER_KEYS: `1:${Buffer.from([...Array(32).keys()]).toString('base64')}`,
};
const MARKET = {
  ENERGY_MARKET: 'tron@mainnet=https://market.example',
  ENERGY_MARKET_KEY: 'key',
  ENERGY_MARKET_SECRET: 'a-secret-of-16-characters',
};
const renting = (settings: Record<string, string>, chain: 'mainnet' | 'testnet') =>
  rentingOf(readConfig({ ...BASE, ...settings }), { network: 'tron', chain }, systemClock);

describe('energy', () => {
  it('is rented on the chain of the setting only, within its limits', () => {
    expect(renting(MARKET, 'mainnet')).toMatchObject({ maxPrice: 50n, perHour: 100_000_000n });
    const limits = { ENERGY_MARKET_MAX_PRICE: '30', ENERGY_MARKET_TRX_PER_HOUR: '7' };
    expect(renting({ ...MARKET, ...limits }, 'mainnet')).toMatchObject({ maxPrice: 30n, perHour: 7_000_000n });
    expect(renting(MARKET, 'testnet')).toBe(null);
    expect(renting({}, 'mainnet')).toBe(null);
  });

  it.each([
    [{ ENERGY_MARKET: 'https://market.example' }, 'must be like tron@mainnet='],
    [{ ENERGY_MARKET: 'bsc@mainnet=https://market.example' }, 'must be like tron@mainnet='],
    [{ ENERGY_MARKET: 'tron@mainnet=http://market.example' }, 'must be like tron@mainnet='],
    [{ ENERGY_MARKET_KEY: '' }, 'ENERGY_MARKET, ENERGY_MARKET_KEY, ENERGY_MARKET_SECRET: set all or none'],
    [{ ENERGY_MARKET_SECRET: 'short' }, 'ENERGY_MARKET_SECRET: needs at least 16 characters'],
  ])('is not rented by unusable settings: %o', (change, message) => {
    expect(() => readConfig({ ...BASE, ...MARKET, ...change })).toThrow(message);
  });

  it('is ordered with a reserve for a higher penalty, and at least the least order', () => {
    expect(energyToRent(64_285n)).toBe(67_500n);
    expect(energyToRent(1n)).toBe(32_000n);
  });
});

// A token that the operator has disabled on a network is not offered there, and unchanged on other networks.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IDLE_SCAN_MS } from '@/lib/networks/endpoints/request-limits';
import type { Config } from '@/lib/platform/config/config';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import {
  makeAddresses,
  makeChain,
  makeStore,
  signedRequest,
  TestClock,
  testConfig,
  testContext,
} from '@/testing/fixtures';
import { answer } from '@/lib/api/answer';
import { openServices } from '@/lib/api/services';
import { readCheckout } from '@/lib/payments/checkout/view';

const clock = new TestClock();
let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
  await makeAddresses(database, 20, 'live');
  for (const network of ['tron', 'bsc']) await makeChain(database, network, clock.now().getTime() / 1000, 'live');
});
afterAll(() => database.close());

const settings = { LIVE_TRON_URLS: 'default', LIVE_BSC_URLS: 'default' };

/** The offers on a new session's page. */
async function offeredFor(config: Config, currency: string, shownWith = config): Promise<string[]> {
  const services = openServices(testContext(database, clock, config));
  const store = await makeStore(database, config, 'live');
  const body = JSON.stringify({
    amount: 1234,
    currency,
    order_id: `${currency} ${Math.trunc(performance.now() * 1000)}`,
  });
  const request = signedRequest(store, { path: '/api/v1/checkout/sessions/create', body, now: clock.now() });
  const { id } = JSON.parse((await answer(services, request)).body) as { id: string };
  const view = await readCheckout({ pool: database.pool, clock, config: shownWith }, id);
  return view!.methods.map((method) => `${method.network} ${method.currency}`).toSorted();
}

describe('USDC on TRON', () => {
  it('is not offered by default', async () => {
    expect(await offeredFor(testConfig(settings), 'USD')).toEqual(['bsc USDC', 'bsc USDT', 'tron USDT']);
    expect(await offeredFor(testConfig(settings), 'USDC')).toEqual(['bsc USDC']);
  });

  it('is offered while the operator enables it', async () => {
    const on = testConfig({ ...settings, OFFER_TRON_USDC: 'on' });
    expect(await offeredFor(on, 'USD')).toEqual(['bsc USDC', 'bsc USDT', 'tron USDC', 'tron USDT']);
    expect(await offeredFor(on, 'USDC')).toEqual(['bsc USDC', 'tron USDC']);
    expect(await offeredFor(on, 'USDC', testConfig(settings))).toEqual(['bsc USDC']);
  });
});

describe('a network that cannot be read for a minute', () => {
  const unreadableSince = (seconds: number, ...networks: string[]) =>
    database.pool.query('UPDATE chains SET scanned_at = $1 WHERE network = ANY($2)', [
      new Date(clock.now().getTime() - seconds * 1000),
      networks,
    ]);

  it('is not offered to new sessions, and offered again once it is read', async () => {
    await unreadableSince(60, 'tron');
    expect(await offeredFor(testConfig(settings), 'USD')).toEqual(['bsc USDC', 'bsc USDT']);
    await unreadableSince(59, 'tron');
    expect(await offeredFor(testConfig(settings), 'USD')).toEqual(['bsc USDC', 'bsc USDT', 'tron USDT']);
  });

  it('does not count the pause between two scans of an idle network, but a failed scan at once', async () => {
    const config = testConfig(settings);
    const idle = (trouble: string | null) =>
      database.pool.query(`UPDATE chains SET is_idle = true, trouble = $1 WHERE network = 'tron'`, [trouble]);
    const longest = IDLE_SCAN_MS / 1000 + 20;
    expect(longest).toBeGreaterThan(60);
    await idle(null);
    await unreadableSince(longest - 1, 'tron');
    expect(await offeredFor(config, 'USD')).toContain('tron USDT');
    await idle('unavailable: endpoint 1 could not be reached');
    expect(await offeredFor(config, 'USD')).not.toContain('tron USDT');
    await unreadableSince(59, 'tron');
    expect(await offeredFor(config, 'USD')).toContain('tron USDT');
    await idle(null);
    await unreadableSince(longest, 'tron');
    expect(await offeredFor(config, 'USD')).not.toContain('tron USDT');
    await database.pool.query('UPDATE chains SET is_idle = false');
  });

  it('leads to SERVICE_UNAVAILABLE only when no network is left', async () => {
    await unreadableSince(60, 'bsc', 'tron');
    const config = testConfig(settings);
    const services = openServices(testContext(database, clock, config));
    const store = await makeStore(database, config, 'live');
    const body = JSON.stringify({ amount: 1234, currency: 'USD', order_id: 'unreadable' });
    const create = () =>
      answer(services, signedRequest(store, { path: '/api/v1/checkout/sessions/create', body, now: clock.now() }));
    const refused = await create();
    expect([refused.status, JSON.parse(refused.body).error.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    await unreadableSince(0, 'bsc');
    expect(JSON.parse((await create()).body)).toMatchObject({ status: 'PENDING' });
  });
});

describe('an installation without a live network', () => {
  const create = async (given: Record<string, string>, environment: 'live' | 'test') => {
    const config = testConfig(given);
    const store = await makeStore(database, config, environment);
    const body = JSON.stringify({ amount: 1234, currency: 'USD', order_id: `none ${environment}` });
    const path = '/api/v1/checkout/sessions/create';
    const services = openServices(testContext(database, clock, config));
    const {
      status,
      headers,
      body: text,
    } = await answer(services, signedRequest(store, { path, body, now: clock.now() }));
    const { error } = JSON.parse(text) as { error: { code: string; message: string } };
    return { status, retryAfter: headers['Retry-After'], ...error };
  };
  const always = { status: 503, code: 'SERVICE_UNAVAILABLE', retryAfter: '1' };

  it('answers a live request that the operator has to set one up, without a retry time', async () => {
    const refused = await create({}, 'live');
    expect(refused).toMatchObject(always);
    expect(refused.message).toMatch(/no live network yet.*operator/i);
    expect(refused.message).not.toMatch(/again/i);
  });

  it('does not answer so when live networks are configured but unreadable, or to a test request', async () => {
    await database.pool.query('UPDATE chains SET scanned_at = $1', [new Date(0)]);
    for (const refused of [await create(settings, 'live'), await create({}, 'test')]) {
      expect(refused).toMatchObject(always);
      expect(refused.message).toMatch(/again shortly/);
    }
  });
});

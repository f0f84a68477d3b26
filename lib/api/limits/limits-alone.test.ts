// The limits of one process alone. limits.test.ts has those that web processes share.

import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { ServiceError } from '@/lib/platform/errors/errors';
import { openLog } from '@/lib/platform/log';
import { TestClock, testConfig } from '@/testing/fixtures';
import {
  checkFailures,
  countFailure,
  keepLimitsLocal,
  openLimits,
  RateLimited,
  recordSuccess,
  takeKeyToken,
  takePageToken,
  takeReportToken,
} from './limits';

const SETTINGS = {
  ...{ KEY_RATE: '2', KEY_BURST: '5', PAGE_RATE: '1', PAGE_BURST: '3', FAILURE_RATE: '1', FAILURE_BURST: '4' },
};
const HOME = '2001:db8:1:2::1';
const NEIGHBOUR = '2001:db8:1:2:ffff::9';
const STRANGER = '198.51.100.7';

const clock = new TestClock();
const open = (settings: Readonly<Record<string, string>> = {}) => {
  const config = testConfig({ ...SETTINGS, ...settings });
  return { clock, config, limits: openLimits({ config, log: openLog('test', 'silent') }) };
};
/** Null when it passes; otherwise the seconds to wait. */
const waitOf = async (work: () => unknown): Promise<number | null> => {
  try {
    await work();
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'RATE_LIMITED') return error.retryAfter;
    throw error;
  }
  return null;
};
const times = async (count: number, work: () => unknown): Promise<(number | null)[]> => {
  const waits = [];
  for (let n = 0; n < count; n++) waits.push(await waitOf(work));
  return waits;
};

let services: ReturnType<typeof open>;
beforeEach(() => {
  clock.advance(3600);
  services = open();
});

describe('an API key', () => {
  test('passes a burst and then waits, and its headers state the limit and what is left', async () => {
    expect(await takeKeyToken(services, 7, STRANGER)).toEqual({
      'RateLimit-Policy': '"key";q=5;w=3',
      RateLimit: '"key";r=4;t=1',
    });
    expect(await times(5, () => takeKeyToken(services, 7, STRANGER))).toEqual([null, null, null, null, 1]);
    const refusal = await takeKeyToken(services, 7, STRANGER).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(RateLimited);
    expect(refusal).toMatchObject({ headers: { 'RateLimit-Policy': '"key";q=5;w=3', RateLimit: '"key";r=0;t=3' } });
    clock.advance(1);
    expect(await times(3, () => takeKeyToken(services, 7, STRANGER))).toEqual([null, null, 1]);
  });

  test('has its own limit, whatever others and its address use', async () => {
    await times(6, () => takeKeyToken(services, 7, STRANGER));
    await times(4, () => takePageToken(services, STRANGER));
    expect(await waitOf(() => takeKeyToken(services, 8, STRANGER))).toBeNull();
  });
});

describe('a public page', () => {
  test('counts the addresses of one network together', async () => {
    expect(await times(3, () => takePageToken(services, HOME))).toEqual([null, null, null]);
    expect(await waitOf(() => takePageToken(services, NEIGHBOUR))).toBe(1);
    expect(await waitOf(() => takePageToken(services, STRANGER))).toBeNull();
  });

  test('may report twenty violations at once, which use up no page', async () => {
    expect((await times(21, () => takeReportToken(services, HOME))).filter((wait) => wait === null)).toHaveLength(20);
    expect(await waitOf(() => takeReportToken(services, NEIGHBOUR))).toBe(1);
    expect(await waitOf(() => takePageToken(services, HOME))).toBeNull();
    clock.advance(1);
    expect(await times(2, () => takeReportToken(services, HOME))).toEqual([null, 1]);
  });
});

describe('failed authentications', () => {
  const from = (address: string, authorization = 'Bearer ak_1') => ({ address, authorization });
  const fail = (address: string, authorization?: string) =>
    countFailure(services, from(address, authorization), 'invalid_signature');
  const check = (address: string, authorization?: string) =>
    waitOf(() => checkFailures(services, from(address, authorization)));

  test('block the network that they came from until it has waited, and no other', async () => {
    for (let n = 0; n < 4; n++) {
      expect(await check(HOME)).toBeNull();
      await fail(HOME);
    }
    expect([await check(HOME), await check(NEIGHBOUR), await check(STRANGER)]).toEqual([1, 1, null]);
    // A check uses up nothing.
    expect(await check(HOME)).toBe(1);
    clock.advance(1);
    expect(await check(HOME)).toBeNull();
  });

  test('do not block a key that signed in from there, but every other key', async () => {
    recordSuccess(services, from(HOME));
    for (let n = 0; n < 4; n++) await fail(HOME);
    expect([await check(HOME), await check(NEIGHBOUR)]).toEqual([null, null]);
    expect([await check(HOME, 'Bearer ak_2'), await check(HOME, '')]).toEqual([1, 1]);
    expect(await check('2001:db8:1:3::1')).toBeNull();
  });

  test('of a key that was revoked end its exemption; a wrong signature does not', async () => {
    recordSuccess(services, from(HOME));
    for (let n = 0; n < 4; n++) await fail(HOME);
    await fail(HOME);
    expect(await check(HOME)).toBeNull();
    await countFailure(services, from(HOME), 'invalid_api_key');
    expect(await check(HOME)).toBe(1);
  });

  test('of an unknown address count for no client', async () => {
    for (let n = 0; n < 10; n++) await fail('');
    expect(await check('')).toBeNull();
    const now = clock.now().getTime();
    expect(services.limits.peek('failure', '', now).wait).toBe(0);
    // Nor does a limit of such an address block anyone.
    for (let n = 0; n < 10; n++) await services.limits.take('failure', '', now);
    expect(await check('')).toBeNull();
  });
});

describe('this machine', () => {
  const exhaust = async () => {
    await times(30, () => takeKeyToken(services, 7, '127.0.0.1'));
    await times(30, () => takePageToken(services, '127.0.0.1'));
    await times(30, () => takeReportToken(services, '127.0.0.1'));
    const own = { address: '127.0.0.1', authorization: 'Bearer ak_1' };
    for (let n = 0; n < 30; n++) await countFailure(services, own, 'invalid_signature');
    return [
      await waitOf(() => takeKeyToken(services, 7, '127.0.0.1')),
      await waitOf(() => takePageToken(services, '127.0.0.1')),
      await waitOf(() => takeReportToken(services, '127.0.0.1')),
      await waitOf(() => checkFailures(services, own)),
    ];
  };

  test('is limited like any other, unless the settings exempt it', async () => {
    expect((await exhaust()).map((wait) => wait !== null)).toEqual([true, true, true, true]);
    services = open({ LIMIT_LOOPBACK: 'off' });
    expect(await exhaust()).toEqual([null, null, null, null]);
    const now = clock.now().getTime();
    expect(services.limits.peek('failure', '127.0.0.1', now).wait).toBe(0);
    for (let n = 0; n < 10; n++) await services.limits.take('failure', '127.0.0.1', now);
    expect(await waitOf(() => checkFailures(services, { address: '127.0.0.1', authorization: '' }))).toBeNull();
    expect(await takeKeyToken(services, 7, '127.0.0.1')).toEqual({});
    recordSuccess(services, { address: '127.0.0.1', authorization: 'Bearer ak_1' });
    expect(services.limits.regulars.size).toBe(0);
    // The exemption is for this machine only.
    expect((await times(6, () => takeKeyToken(services, 7, STRANGER))).at(-1)).toBe(1);
  });
});

test('a process whose requests another process counts uses no Valkey', async () => {
  keepLimitsLocal();
  // Other test files run in this process.
  onTestFinished(() => void Reflect.deleteProperty(globalThis, 'stabletillLimitsAreLocal'));
  const log = openLog('test', 'silent');
  const warn = vi.spyOn(log, 'warn');
  const limits = openLimits({ config: testConfig({ ...SETTINGS, VALKEY_URL: 'redis://127.0.0.1:9' }), log });
  await limits.opened();
  expect((await limits.take('key', '7', clock.now().getTime())).remaining).toBe(4);
  expect(warn).not.toHaveBeenCalled();
});

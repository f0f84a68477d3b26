// The budget of an endpoint: one pacer for all clients, a counted day, learned batch sizes, and the format of the setting.

import { describe, expect, it } from 'vitest';
import { readConfig } from '@/lib/platform/config/config';
import { openTestClock, silentLog } from '@/testing/chain-clock';
import { openRequestBudget } from './request-budget';
import { NO_LIMITS, readLimits } from './request-limits';
import { openedBudgets } from './budgets';
import { endpointsOf, openChains, sendingOptions } from '@/lib/networks/registry';

const NOON = Date.UTC(2026, 10, 22, 12) / 1000;
const weights = new Map([['eth_getLogs', 75]]);

describe('a budget', () => {
  it('keeps all clients of an endpoint together within its plan’s limit per second', async () => {
    const clock = openTestClock(NOON);
    const sentAt: number[] = [];
    const budget = openRequestBudget({
      name: 'endpoint 1',
      limits: { ...NO_LIMITS, perSecond: 15 },
      clock,
      wait: async (ms) => clock.advance(ms),
    });
    for (let n = 0; n < 200; n++) {
      await budget.take(['getblock']);
      sentAt.push(clock.now().getTime());
    }
    const most = Math.max(...sentAt.map((at) => sentAt.filter((one) => one >= at && one < at + 1000).length));
    expect(most).toBeLessThanOrEqual(15);
    expect(most).toBeGreaterThan(11);
  });

  it('gives balance comparisons half of each second', async () => {
    const clock = openTestClock(NOON);
    const limits = { ...NO_LIMITS, perSecond: 20 };
    const budget = openRequestBudget({ name: 'endpoint 1', limits, clock, wait: async (ms) => clock.advance(ms) });
    const took = async (share: Pick<typeof budget, 'take'>): Promise<number> => {
      const before = clock.now().getTime();
      for (let n = 0; n < 160; n++) await share.take(['getblock']);
      return (clock.now().getTime() - before) / 1000;
    };
    expect(await took(budget.shareOf('proof'))).toBeGreaterThan(19);
    expect(await took(budget.shareOf('service'))).toBeLessThan(11);
  });

  it('refuses requests beyond the daily limit, names the setting, and resets at midnight UTC', async () => {
    const clock = openTestClock(NOON);
    const budget = openRequestBudget({ name: 'endpoint 2', limits: { ...NO_LIMITS, perDay: 100, weights }, clock });
    await budget.take(['eth_getLogs']);
    await budget.take(['eth_chainId']);
    expect(budget.usedToday()).toBe(76);
    await expect(budget.take(['eth_getLogs'])).rejects.toMatchObject({
      fault: 'unavailable',
      throttled: true,
      retryAfterSeconds: 43_200,
      message: expect.stringMatching(/endpoint 2 .* 100 requests of its day .*BUDGETS/),
    });
    clock.advance(43_200_000);
    await budget.take(['eth_getLogs']);
    expect(budget.usedToday()).toBe(75);
  });

  it('counts usage stored by other processes, and keeps usage that could not be stored', async () => {
    const clock = openTestClock(NOON);
    const budget = openRequestBudget({ name: 'endpoint 1', limits: { ...NO_LIMITS, perDay: 100 }, clock });
    await budget.take(['a', 'b']);
    const usage = budget.takeUnstored();
    expect(usage).toEqual([{ day: '2026-11-22', calls: 2, units: 2 }]);
    budget.returnUsage(usage);
    expect(budget.takeUnstored()).toEqual(usage);
    budget.noteStored('2026-11-22', 99);
    await budget.take(['a']);
    await expect(budget.take(['a'])).rejects.toThrow('has used up');
  });

  it('halves a refused batch, and never grows it after an older refusal', () => {
    const budget = openRequestBudget({ name: 'endpoint 1' });
    expect(budget.batch).toBe(10);
    budget.refusedBatch(10);
    budget.refusedBatch(5);
    budget.refusedBatch(10);
    expect(budget.batch).toBe(2);
    budget.refusedBatch(2);
    expect(budget.batch).toBe(1);
  });
});

describe('the daily reserve for reading payments', () => {
  const MIDNIGHT = Date.UTC(2026, 10, 22) / 1000;
  const opened = (time = MIDNIGHT) => {
    const clock = openTestClock(time);
    const budget = openRequestBudget({ name: 'endpoint 1', limits: { ...NO_LIMITS, perDay: 10_000 }, clock });
    /** Takes single requests until one is refused, and returns their number. */
    const drain = async (share: Pick<typeof budget, 'take'>) => {
      for (let taken = 0; ; taken++) {
        const error: unknown = await share.take(['a']).then(
          () => null,
          (refused: unknown) => refused,
        );
        if (error) return { taken, message: (error as Error).message };
      }
    };
    return { clock, budget, drain };
  };

  it('is three fifths of the day’s remainder, which other requests cannot take', async () => {
    const { clock, budget, drain } = opened();
    const service = budget.shareOf('service');
    expect(await drain(service)).toEqual({
      taken: 4000,
      message: 'endpoint 1 reserves the rest of its day for reading payments',
    });
    await budget.take(Array.from({ length: 10 }, () => 'a'));
    clock.advance(43_200_000);
    // At noon half of the share is free, whichever process used the rest.
    expect((await drain(service)).taken).toBe(2990);
    expect((await drain(budget)).taken).toBe(3000);
  });

  it('includes a fifth more for refunds, which balance comparisons cannot take', async () => {
    const { clock, budget, drain } = opened();
    expect(await drain(budget.shareOf('proof'))).toEqual({
      taken: 2000,
      message: 'endpoint 1 reserves the rest of its day for reading payments and refunds',
    });
    expect((await drain(budget.shareOf('service'))).taken).toBe(2000);
    // Proofs get nothing while refunds use more than the proofs leave to them.
    expect((await drain(budget.shareOf('proof'))).taken).toBe(0);
    clock.advance(43_200_000);
    expect((await drain(budget.shareOf('proof'))).taken).toBe(2000);
    expect((await drain(budget.shareOf('service'))).taken).toBe(1000);
  });

  it('is untouched by visitors, who get a twentieth of a day, spread evenly', async () => {
    const { clock, budget, drain } = opened();
    const anonymous = budget.shareOf('anonymous');
    expect(await drain(anonymous)).toEqual({
      taken: 20,
      message: 'endpoint 1 has no requests left for visitors at present',
    });
    let taken = 0;
    for (let hour = 0; hour < 23; hour++) {
      clock.advance(3_600_000);
      taken += (await drain(budget.shareOf('anonymous'))).taken;
    }
    expect(taken).toBeGreaterThan(450);
    expect(taken).toBeLessThanOrEqual(480);
  });

  it('is empty if the plan has no daily limit', async () => {
    const budget = openRequestBudget({ name: 'endpoint 1', clock: openTestClock(MIDNIGHT) });
    for (let n = 0; n < 1000; n++) await budget.shareOf('anonymous').take(['a']);
    expect(budget.usedToday()).toBe(1000);
  });
});

describe('the setting', () => {
  it('contains limits per second and day, a batch size and method costs, or nothing', () => {
    expect(readLimits('second=25;day=100000;batch=3;eth_getLogs=75')).toEqual({
      perSecond: 25,
      perDay: 100_000,
      batch: 3,
      weights,
    });
    expect(readLimits('-')).toBe(NO_LIMITS);
  });

  it.each(['', 'second', 'second=', 'second=0', 'day=0', 'batch=1.5', 'batch=5000', 'second=1;second=2', 'a=1e3', ';'])(
    'is refused if it is %j',
    (text) => expect(readLimits(text)).toBeNull(),
  );

  const deps = { clock: openTestClock(NOON), log: silentLog() };
  const config = (settings: Record<string, string>) =>
    readConfig({
      DATABASE_URL: 'postgresql://app@127.0.0.1/app',
      MASTER_KEYS: `1:${Buffer.from([...Array(32).keys()]).toString('base64')}`,
      ...settings,
    });

  it('applies to the endpoint at the same position, and TronGrid defaults to its free plan’s limits', async () => {
    const settings = config({
      LIVE_ETHEREUM_URLS: 'https://a.example https://b.example https://c.example',
      LIVE_ETHEREUM_BUDGETS: '- second=10 day=1000',
      LIVE_TRON_URLS: 'default',
    });
    const [ethereum] = openChains(settings, deps);
    const live = (network: string) =>
      openedBudgets(settings).flatMap((one) => (one.network === network ? one.budget : []));
    expect(live('ethereum').map(({ limits }) => limits.perSecond)).toEqual([null, 10, null]);
    expect(live('tron').map(({ limits }) => [limits.perSecond, limits.perDay])).toEqual([[15, 100_000]]);
    // Payouts, balance comparisons and fee reads share the budgets of the watcher.
    await sendingOptions(settings, deps, ethereum!).budgets?.[1]?.take(['a', 'b']);
    const visitors = endpointsOf(settings, deps, ethereum!)?.budgets[2];
    await visitors?.take(['a', 'b']);
    await expect(visitors?.take(['a'])).rejects.toThrow('no requests left for visitors');
    expect(live('ethereum').map((budget) => budget.usedToday())).toEqual([0, 2, 2]);
  });

  it.each([
    [{ LIVE_BSC_BUDGETS: 'second=many' }, /LIVE_BSC_BUDGETS: entry 1 is not like/],
    [{ LIVE_BSC_BUDGETS: 'second=1 second=2' }, /LIVE_BSC_BUDGETS: it has more entries than LIVE_BSC_URLS/],
    [{ TEST_BSC_BUDGETS: 'second=1' }, /TEST_BSC_BUDGETS: TEST_BSC_URLS names no endpoints/],
  ])('is refused with its name if it is unusable: %j', (over, message) => {
    expect(() => openChains(config({ LIVE_BSC_URLS: 'https://a.example', ...over }), deps)).toThrow(message);
  });
});

// What a replica reports about its callers and what it makes of the reports of others, without a database. shared.test.ts has several
// replicas on PostgreSQL.

import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Pool } from '@/lib/platform/database/db';
import { openLog } from '@/lib/platform/log';
import type { SharedUsage } from './replica-shares';
import { openSharedLimits } from './shared';

const LIMIT = { rate: 100, burst: 200 };
/** Four bursts of ten milliseconds a token, and ten exchanges. */
const MOST = 18_000;
const START = 1_800_000_000_000;

type Report = { caller: string; used: number; most: number; requested: number };
/** The replica's own report, by which others count it. */
const ITSELF: Report = { caller: '', used: 0, most: 0, requested: 1 };
let now = START;
beforeEach(() => (now = START));

function open(limit = LIMIT, databaseNow?: () => number) {
  const log = openLog('test', 'silent');
  const warnings = vi.spyOn(log, 'warn');
  const exchanges: { replica: unknown; now: unknown; reports: Report[] }[] = [];
  const texts: string[] = [];
  let answer: () => Promise<readonly SharedUsage[]> = async () => [];
  let deletion = async (): Promise<void> => undefined;
  const query = async (statement: string | { text: string; values: unknown[] }) => {
    if (typeof statement === 'string') {
      texts.push(statement);
      return deletion();
    }
    const [replica, at, callers, used, most, requested] = statement.values as [
      unknown,
      unknown,
      string[],
      ...number[][],
    ];
    const reports = callers.map((caller, n) => ({
      caller,
      ...{ used: used?.[n] ?? NaN, most: most?.[n] ?? NaN, requested: requested?.[n] ?? NaN },
    }));
    exchanges.push({ replica, now: at, reports });
    return { rows: await answer() };
  };
  const pool = { query } as unknown as Pick<Pool, 'query'>;
  const limits = openSharedLimits({ pool, log, ...(databaseNow ? { databaseNow } : {}) }, { key: limit, page: limit });
  const take = (times: number, caller = 'a') =>
    Array.from({ length: times }, () => limits.take('key', caller, now)).filter(({ wait }) => wait === 0).length;
  return {
    ...{ limits, exchanges, texts, warnings, take },
    peek: (caller = 'a') => limits.peek('key', caller, now),
    answering: (given: () => Promise<readonly SharedUsage[]>) => void (answer = given),
    deleting: (given: () => Promise<void>) => void (deletion = given),
    /** Lets time pass and sends requests, the first of which starts an exchange when one is due. */
    async pass(milliseconds: number, times: number, caller?: string) {
      now += milliseconds;
      const passed = take(times, caller);
      await limits.settled();
      return passed;
    },
  };
}
const usage = (caller: string, untilFull: number, ...requested: number[]): SharedUsage => ({
  ...{ caller, untilFull },
  others: Object.fromEntries(requested.map((one, n) => [`r${n}`, [one, START] as const])),
});

describe('a replica reports', () => {
  test('itself with the first request, and a caller once it has a part of the rate worth reporting', async () => {
    const { pass, exchanges } = open();
    await pass(0, 20);
    expect(exchanges.map(({ reports }) => reports)).toEqual([[ITSELF]]);
    await pass(1000, 1);
    // Nineteen requests since the first exchange and this one, but all twenty-one that it let through.
    const report = { caller: 'key:a', used: 210, most: MOST, requested: 20 };
    expect(exchanges[1]?.reports).toEqual([report, ITSELF]);
    expect(exchanges[1]?.replica).toBe(exchanges[0]?.replica);
    expect([exchanges[0]?.now, open(LIMIT, () => 7).exchanges]).toEqual([null, []]);
  });

  test('with the clock that it is given in place of the database’s', async () => {
    const { pass, exchanges } = open(LIMIT, () => 7);
    await pass(0, 1);
    expect(exchanges[0]?.now).toBe(7);
  });

  test('no caller below a twentieth of the rate, and one from there on', async () => {
    for (const [requests, reported] of [
      [4, 1],
      [5, 2],
    ] as const) {
      const { pass, exchanges } = open();
      await pass(0, 1);
      await pass(1000, 0);
      now += 1000;
      await pass(0, 1, 'other');
      await pass(0, requests - 1);
      await pass(1000, 1);
      expect(exchanges.at(-1)?.reports).toHaveLength(reported);
    }
  });

  test('a caller that used up a quarter of the burst, however slowly', async () => {
    const { pass, exchanges } = open({ rate: 1000, burst: 40 });
    await pass(0, 1);
    await pass(1000, 7);
    await pass(1000, 1);
    expect(exchanges.at(-1)?.reports).toEqual([ITSELF]);
    await pass(1000, 1);
    expect(exchanges.at(-1)?.reports).toMatchObject([{ caller: 'key:a', used: 10, requested: 1 }, {}]);
  });

  test('less of a caller the more replicas there are, so that all that is not reported stays as small', async () => {
    const reported = async (limit: { rate: number; burst: number }, replicas: number, requests: number) => {
      const { answering, pass, exchanges } = open(limit);
      answering(async () => [usage('', 0, ...Array.from({ length: replicas - 1 }, () => 1))]);
      await pass(0, 1, 'other');
      await pass(0, requests - 1);
      await pass(1000, 1);
      return exchanges.at(-1)?.reports.some(({ caller }) => caller === 'key:a');
    };
    // Of four replicas, a twentieth of the rate is a quarter of five requests, and a quarter of the burst a quarter of ten.
    const [byRate, byBurst] = [
      { rate: 100, burst: 1000 },
      { rate: 1000, burst: 40 },
    ];
    expect([await reported(byRate, 4, 1), await reported(byRate, 4, 2)]).toEqual([false, true]);
    expect([await reported(byBurst, 4, 2), await reported(byBurst, 4, 3)]).toEqual([false, true]);
    expect([await reported(byRate, 1, 4), await reported(byBurst, 1, 9)]).toEqual([false, false]);
  });

  test('a caller once more when it has become quiet, so that its share ends, and then no longer', async () => {
    const { pass, exchanges } = open();
    await pass(0, 20);
    await pass(1000, 1);
    await pass(1000, 1, 'other');
    expect(exchanges.at(-1)?.reports).toEqual([{ caller: 'key:a', used: 0, most: MOST, requested: 0 }, ITSELF]);
    await pass(1000, 1, 'other');
    expect(exchanges.at(-1)?.reports).toEqual([ITSELF]);
  });

  test('demand smoothed over about a second', async () => {
    const { pass, exchanges } = open();
    await pass(0, 1);
    await pass(1000, 40);
    await pass(1000, 1);
    await pass(1000, 10);
    const requested = exchanges.map(({ reports }) => reports[0]?.requested);
    // After a full second only the new demand counts, and one request a second is not worth a report.
    expect(requested).toEqual([1, 1, 40, 0]);
    await pass(1500, 1);
    expect(exchanges.at(-1)?.reports[0]?.requested).toBeCloseTo(10 / 1.5, 9);
  });

  test('a sooner exchange with the part of the demand that its time allows', async () => {
    const { answering, exchanges, pass } = open();
    answering(async () => [usage('', 0, 1)]);
    await pass(0, 1);
    await pass(1000, 60);
    await pass(1000, 1);
    const passed = await pass(500, 400);
    // The first refused request starts the exchange: half of sixty, and half of twice the requests of half a second.
    expect(exchanges.map(({ reports }) => reports[0]?.requested)).toEqual([1, 1, 60, 30 + passed + 1]);
  });

  test('the thousand busiest callers at most', async () => {
    const { pass, exchanges, take } = open();
    await pass(0, 1);
    for (let n = 0; n < 1_100; n++) take(n < 100 ? 10 : 20, `c${n}`);
    await pass(1000, 1);
    const reports = exchanges.at(-1)?.reports ?? [];
    expect(reports).toHaveLength(1_001);
    expect(reports.filter(({ requested }) => requested === 10)).toEqual([]);
  });
});

describe('a request', () => {
  test('passes with the last token of the burst, and sees what is left after it', () => {
    const { limits } = open({ rate: 1, burst: 2 });
    const [first, last, refused] = [1, 2, 3].map(() => limits.take('key', 'a', now));
    expect([first, last]).toEqual([
      { wait: 0, remaining: 1, reset: 1 },
      { wait: 0, remaining: 0, reset: 2 },
    ]);
    expect(refused).toEqual({ wait: 1, remaining: 0, reset: 2 });
  });
});

describe('an exchange', () => {
  test('runs once a second however many requests there are, and also after the clock was set back', async () => {
    const { pass, exchanges } = open();
    await pass(0, 10);
    await pass(999, 10);
    expect(exchanges).toHaveLength(1);
    await pass(1, 10);
    expect(exchanges).toHaveLength(2);
    await pass(-5000, 1);
    expect(exchanges).toHaveLength(3);
  });

  test('runs one at a time', async () => {
    const { answering, exchanges, limits, take } = open();
    let finish: (rows: readonly SharedUsage[]) => void = () => undefined;
    answering(() => new Promise((resolve) => (finish = resolve)));
    take(1);
    now += 5000;
    take(5);
    expect(exchanges).toHaveLength(1);
    finish([]);
    await limits.settled();
    take(1);
    expect(exchanges).toHaveLength(2);
  });

  test('that hangs makes the replica remember fifty thousand callers at most', async () => {
    const callers = async (count: number) => {
      const { answering, exchanges, limits, pass, take } = open();
      let finish: (rows: readonly SharedUsage[]) => void = () => undefined;
      answering(() => new Promise((resolve) => (finish = resolve)));
      take(1);
      for (let n = 0; n < count; n++) take(1, `c${n}`);
      take(20, 'late');
      finish([]);
      await limits.settled();
      answering(async () => []);
      await pass(1000, 1);
      return exchanges.at(-1)?.reports.map(({ caller }) => caller);
    };
    expect(await callers(49_999)).toEqual(['key:late', '']);
    expect(await callers(50_000)).toEqual(['']);
  });

  test('runs sooner where a caller is refused, but only when other replicas may have room, and ten times a second at most', async () => {
    const alone = open();
    await alone.pass(0, 250);
    await alone.pass(500, 100);
    expect(alone.exchanges).toHaveLength(1);

    const { answering, exchanges, pass } = open();
    answering(async () => [usage('', 0, 1)]);
    await pass(0, 1);
    // Room for two hundred: refused from then on.
    await pass(50, 250);
    await pass(49, 20);
    expect(exchanges).toHaveLength(1);
    await pass(1, 20);
    expect(exchanges).toHaveLength(2);
    await pass(99, 20);
    expect(exchanges).toHaveLength(2);
  });

  test('deletes callers without requests once a minute', async () => {
    const { pass, texts } = open();
    for (let second = 0; second < 60; second++) await pass(second === 0 ? 0 : 1000, 1);
    expect(texts).toHaveLength(1);
    await pass(1000, 1);
    expect(texts).toHaveLength(2);
    expect(texts[0]).toMatch(/^DELETE FROM rate_shares/);
  });
});

describe('of the reports of others', () => {
  /** A replica whose caller `a` has a demand of twenty a second, after an exchange with these answers. */
  async function after(...rows: SharedUsage[]) {
    const opened = open();
    await opened.pass(0, 20);
    opened.answering(async () => rows);
    await opened.pass(1000, 1);
    return opened;
  }

  test('follow the share of the rate and of what is left of the burst', async () => {
    const { peek } = await after(usage('key:a', 500, 40, 20));
    // A quarter of the demand is here: a quarter of 150 tokens of a burst of 50, at 25 a second.
    expect(peek()).toEqual({ wait: 0, remaining: 37, reset: 1 });
    now += 400;
    expect(peek()).toEqual({ wait: 0, remaining: 47, reset: 1 });
    now += 10_000;
    expect(peek()).toEqual({ wait: 0, remaining: 50, reset: 0 });
  });

  test('follows the whole limit where no other replica has requests', async () => {
    const { peek } = await after(usage('key:a', 500));
    expect(peek()).toEqual({ wait: 0, remaining: 150, reset: 1 });
  });

  test('follows no more than the burst for a bucket that has long been full', async () => {
    expect((await after(usage('key:a', -9_000))).peek().remaining).toBe(200);
  });

  test('follows a wait where others used more than there was', async () => {
    const { peek, take } = await after(usage('key:a', 3_000, 20));
    // A hundred too many: half of them are paid back here, at fifty a second.
    expect([take(1), peek()]).toEqual([0, { wait: 2, remaining: 0, reset: 3 }]);
    now += 2_000;
    expect(take(1)).toBe(1);
  });

  test('follows at least a quarter of an equal share, so that a first request finds room', async () => {
    const many = usage('key:a', 0, 10_000);
    expect((await after(many)).peek().remaining).toBe(50);
    // Of four replicas a quarter is a sixteenth.
    expect((await after(usage('', 0, 1, 1, 1), many)).peek().remaining).toBe(12);
  });

  test('requests that passed meanwhile are subtracted', async () => {
    const { answering, limits, pass, peek, take } = open();
    await pass(0, 20);
    let finish: (rows: readonly SharedUsage[]) => void = () => undefined;
    answering(() => new Promise((resolve) => (finish = resolve)));
    now += 1000;
    take(8);
    finish([usage('key:a', 0, 20)]);
    await limits.settled();
    // Half of the burst, less the seven that passed after the report.
    expect(peek().remaining).toBe(93);
  });

  test('new callers begin with an equal share of what all replicas may let through', async () => {
    const { limits } = await after(usage('', 0, 1, 1, 1));
    expect(limits.peek('key', 'new', now).remaining).toBe(50);
    expect(limits.peek('page', 'a', now).remaining).toBe(50);
  });

  test('about unknown callers nothing follows', async () => {
    const { peek, warnings } = await after(usage('key:z', 5_000, 9));
    expect([peek().remaining, warnings.mock.calls]).toEqual([199, []]);
  });

  test('a caller that became quiet everywhere has the whole limit here', async () => {
    const { answering, pass, peek } = await after(usage('key:a', 0, 20));
    expect(peek().remaining).toBe(100);
    answering(async () => [usage('key:a', 0)]);
    await pass(1000, 1, 'other');
    expect(peek().remaining).toBe(200);
  });
});

describe('without the database', () => {
  test('a replica keeps its share, logs it, and later reports by how much its bucket is short', async () => {
    const { answering, exchanges, pass, warnings, peek } = open();
    await pass(0, 200);
    const fault = new Error('the database is away');
    answering(() => Promise.reject(fault));
    await pass(1000, 81);
    expect(warnings).toHaveBeenCalledExactlyOnceWith({ err: fault }, expect.any(String));
    // All were used, 100 came back within the second, and 81 more were used.
    expect(peek().remaining).toBe(19);
    answering(async () => []);
    await pass(1000, 41);
    await pass(1000, 1);
    // Another 100 came back, and one was used when the second report was made.
    expect(exchanges.map(({ reports }) => reports[0]?.used)).toEqual([0, 2010, 820, 410]);
  });

  test('a caller that was quiet meanwhile is charged nothing that its rate has paid back', async () => {
    const { answering, exchanges, pass } = open();
    await pass(0, 120);
    answering(() => Promise.reject(new Error('the database is away')));
    await pass(1000, 1);
    await pass(1000, 1, 'other');
    answering(async () => []);
    await pass(3_600_000, 10);
    await pass(1000, 1);
    // The ten requests of an hour later, and the one that starts the exchange.
    expect(exchanges.at(-1)?.reports[0]).toMatchObject({ caller: 'key:a', used: 110 });
  });

  test('no use is reported twice when only the deletion of old callers fails', async () => {
    const { deleting, exchanges, pass } = open();
    await pass(0, 1);
    await pass(59_000, 200);
    const before = exchanges.length;
    deleting(() => Promise.reject(new Error('the deletion took too long')));
    await pass(1000, 1);
    await pass(1000, 1, 'other');
    const reported = exchanges.slice(before).map(({ reports }) => reports[0]);
    // The two hundred and the two that started an exchange. One of them is still missing, but was reported.
    expect(reported).toMatchObject([{ used: 2020 }, { used: 0 }]);
  });
});

// Limits that web processes share in a real server, which is killed, stopped and started again. Tokens come back so slowly that none does
// during a test.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { openLog } from '@/lib/platform/log';
import { bulk, startFakeValkey } from '@/testing/fake-valkey';
import { startValkey, type ValkeyServer } from '@/testing/valkey';
import { openSharedLimits } from './shared';
import { openTokenBuckets, type Taken } from './token-bucket';

const KEY = { rate: 0.01, burst: 5 };
const POLICIES = { key: KEY, page: { rate: 0.01, burst: 3 } };
const NOW = 1_800_000_000_000;
/** Ten times what one request may wait for Valkey, and a fifth of what fifty requests would wait if each did. */
const SOON_MILLISECONDS = 5000;

let valkey: ValkeyServer;
const closers: (() => void)[] = [];
beforeAll(async () => {
  valkey = await startValkey();
});
afterEach(() => closers.splice(0).forEach((close) => close()));
afterAll(() => valkey.close());

/** A web process. */
function open(valkeyUrl: string | undefined = valkey.url) {
  const log = openLog('test', 'silent');
  const [warn, info] = [vi.spyOn(log, 'warn'), vi.spyOn(log, 'info')];
  const limits = openSharedLimits({ log, valkeyUrl }, POLICIES);
  closers.push(() => limits.close());
  const take = (caller: string) => limits.take('key', caller, NOW);
  const passes = async (caller: string, times: number): Promise<number> => {
    let passed = 0;
    for (let n = 0; n < times; n++) if ((await take(caller)).wait === 0) passed += 1;
    return passed;
  };
  return { limits, warn, info, take, passes };
}
async function opened(valkeyUrl?: string) {
  const one = open(valkeyUrl);
  await one.limits.opened();
  return one;
}
/** A server that answers as `answers` says, or else as a Valkey that is ready and has counted one request. */
async function fakeValkey(answers: (command: string) => string | undefined | Promise<undefined>) {
  const fake = await startFakeValkey(
    async (command) => (await answers(command)) ?? (command === 'info' ? bulk('loading:0') : '*2\r\n:1\r\n:0\r\n'),
  );
  closers.push(() => fake.close());
  return { ...fake, url: `redis://127.0.0.1:${fake.port}` };
}
const newCaller = (): string => `caller ${randomUUID()}`;
const stored = (caller: string): string => `stabletill:limit:key:${caller}`;

/** Moves the time at which Valkey last counted a caller's tokens. */
async function moveTime(caller: string, milliseconds: number): Promise<void> {
  const [left, at] = ((await valkey.client.get(stored(caller))) ?? '').split(' ');
  await valkey.client.set(stored(caller), `${left} ${Number(at) + milliseconds}`, 'KEEPTTL');
}

describe('web processes with Valkey', () => {
  test('share one limit', async () => {
    const [a, b] = [await opened(), await opened()];
    const caller = newCaller();
    const taken: Taken[] = [];
    for (let n = 0; n < 4; n++) taken.push(await a.take(caller), await b.take(caller));
    expect(taken.map(({ wait }) => wait)).toEqual([0, 0, 0, 0, 0, 100, 100, 100]);
    expect(taken.map(({ remaining }) => remaining)).toEqual([4, 3, 2, 1, 0, 0, 0, 0]);
    expect([a.warn, b.warn].flatMap(({ mock }) => mock.calls)).toEqual([]);
  });

  test('let through exactly the burst of requests that come at once', async () => {
    const processes = [await opened(), await opened(), await opened()];
    const caller = newCaller();
    const taken = await Promise.all(Array.from({ length: 30 }, (_, n) => processes[n % 3]!.take(caller)));
    expect(taken.filter(({ wait }) => wait === 0)).toHaveLength(5);
  });

  test('answer as a process alone does', async () => {
    const { take } = await opened();
    const alone = openTokenBuckets(KEY);
    const caller = newCaller();
    for (let n = 0; n < 7; n++) expect(await take(caller)).toEqual(alone.take(caller, NOW));
  });

  test('get tokens back by Valkey’s clock, a burst at most', async () => {
    const { passes } = await opened();
    const caller = newCaller();
    expect(await passes(caller, 7)).toBe(5);
    await moveTime(caller, -200_000);
    expect(await passes(caller, 7)).toBe(2);
    await moveTime(caller, -86_400_000);
    expect(await passes(caller, 7)).toBe(5);
  });

  test('keep what a caller has left when Valkey’s clock is set back', async () => {
    const { passes } = await opened();
    const caller = newCaller();
    expect(await passes(caller, 3)).toBe(3);
    await moveTime(caller, 86_400_000);
    expect(await passes(caller, 4)).toBe(2);
    await moveTime(caller, -100_000);
    expect(await passes(caller, 4)).toBe(1);
  });

  test('count callers and limits separately', async () => {
    const { limits, passes } = await opened();
    const caller = newCaller();
    expect(await passes(caller, 7)).toBe(5);
    expect(await passes(newCaller(), 7)).toBe(5);
    expect((await limits.take('page', caller, NOW)).remaining).toBe(2);
  });

  test('leave nothing in Valkey but keys with a prefix that expire when the bucket is full', async () => {
    const { take, passes } = await opened();
    await valkey.client.flushall();
    const flood = Array.from({ length: 2000 }, newCaller);
    for (let n = 0; n < flood.length; n += 100) await Promise.all(flood.slice(n, n + 100).map(take));
    await passes('heavy', 9);
    const keys = await valkey.client.keys('*');
    expect(keys).toHaveLength(2001);
    expect(keys.filter((key) => !key.startsWith('stabletill:limit:key:'))).toEqual([]);
    const lives = await Promise.all(keys.map((key) => valkey.client.pttl(key)));
    // A token comes back in a hundred seconds, and five in five hundred.
    expect(lives.filter((life) => life <= 0 || life > 500_000)).toEqual([]);
    expect(lives.filter((life) => life > 100_000)).toHaveLength(1);
  });

  test('know from their own requests what a caller has left', async () => {
    const [a, b] = [await opened(), await opened()];
    const caller = newCaller();
    await a.passes(caller, 5);
    expect([a.limits.peek('key', caller, NOW).wait, b.limits.peek('key', caller, NOW).wait]).toEqual([100, 0]);
    await b.take(caller);
    expect(b.limits.peek('key', caller, NOW).wait).toBe(100);
    expect(b.limits.peek('key', caller, NOW + 100_000).wait).toBe(0);
  });
});

describe('without Valkey', () => {
  const UNREACHABLE = 'redis://127.0.0.1:9';

  test('a process has the whole limit for itself, and shares none', async () => {
    const [a, b] = [1, 2].map(() => openSharedLimits({ log: openLog('test', 'silent') }, POLICIES));
    const caller = newCaller();
    for (const { take, opened: ready } of [a!, b!]) {
      await ready();
      const taken = await Promise.all(Array.from({ length: 9 }, () => take('key', caller, NOW)));
      expect(taken.filter(({ wait }) => wait === 0)).toHaveLength(5);
    }
  });

  test('that is away when a process starts, it starts, logs that once and enforces the limits alone', async () => {
    const { passes, warn } = await opened(UNREACHABLE);
    expect(await passes(newCaller(), 9)).toBe(5);
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      { err: expect.objectContaining({ code: 'ECONNREFUSED' }) },
      expect.stringContaining('each web process enforces the rate limits alone'),
    );
  });

  test.each([
    ['is killed', () => valkey.kill(), () => valkey.restart()],
    ['hangs', () => valkey.hang(), () => valkey.wake()],
  ])(
    'that %s in the middle, requests go on at once with what was left, and share again later',
    async (_, end, begin) => {
      const [a, b] = [await opened(), await opened()];
      const caller = newCaller();
      expect([await a.passes(caller, 1), await b.passes(caller, 1), await a.passes(caller, 1)]).toEqual([1, 1, 1]);
      await end();
      const started = performance.now();
      expect(await a.passes(caller, 50)).toBe(2);
      expect(performance.now() - started).toBeLessThan(SOON_MILLISECONDS);
      expect(a.warn).toHaveBeenCalledTimes(1);
      await begin();
      const other = newCaller();
      await vi.waitFor(
        async () => {
          await a.take(other);
          await b.take(other);
          expect([a.info.mock.calls.length, b.info.mock.calls.length + Number(b.warn.mock.calls.length === 0)]).toEqual(
            [1, 1],
          );
        },
        { timeout: 20_000, interval: 50 },
      );
      const later = newCaller();
      expect([await a.passes(later, 3), await b.passes(later, 9)]).toEqual([3, 2]);
      expect(a.warn).toHaveBeenCalledTimes(1);
    },
  );
});

describe('a Valkey that is not ready or fast enough', () => {
  test('delays no request for long although it sends answers all the time, is closed once and used again later', async () => {
    let pause = 0;
    const slow = await fakeValkey(() => sleep(pause, undefined));
    const { take, passes, warn, info } = await opened(slow.url);
    pause = 100;
    const started = performance.now();
    await Promise.all(Array.from({ length: 100 }, () => take(newCaller())));
    // The last answer would come after ten seconds.
    expect(performance.now() - started).toBeLessThan(SOON_MILLISECONDS);
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      { err: expect.objectContaining({ message: 'Command timed out' }) },
      expect.stringContaining('each web process enforces the rate limits alone'),
    );
    const closed = performance.now();
    expect(await passes(newCaller(), 50)).toBe(5);
    expect(performance.now() - closed).toBeLessThan(400);
    pause = 0;
    await vi.waitFor(
      async () => {
        await take(newCaller());
        expect(info).toHaveBeenCalledTimes(1);
      },
      { timeout: 20_000, interval: 50 },
    );
    expect(slow.connections()).toBe(2);
    expect(warn).toHaveBeenCalledTimes(1);
  });

  test('does not hold up the start while it loads its data, and is used afterwards', async () => {
    let loading = 1;
    const { url } = await fakeValkey((command) => (command === 'info' ? bulk(`loading:${loading}`) : undefined));
    const { limits, passes, take, warn, info } = open(url);
    let isOpened = false;
    void limits.opened().then(() => (isOpened = true));
    await vi.waitFor(() => expect(isOpened).toBe(true), { timeout: SOON_MILLISECONDS });
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      { err: expect.objectContaining({ message: expect.stringContaining('not ready within 2000 ms') }) },
      expect.stringContaining('each web process enforces the rate limits alone'),
    );
    expect(await passes(newCaller(), 9)).toBe(5);
    loading = 0;
    await vi.waitFor(
      async () => {
        await take(newCaller());
        expect(info).toHaveBeenCalledTimes(1);
      },
      { timeout: 20_000, interval: 50 },
    );
    expect(await passes(newCaller(), 9)).toBe(9);
  });
});

describe('a Valkey that refuses a process', () => {
  test.each([
    ['its password', () => valkey.refusedUrl, /^VALKEY_URL: Valkey refuses it: WRONGPASS /],
    ['that it has none', () => `redis://127.0.0.1:${valkey.port}`, /^VALKEY_URL: Valkey refuses it: NOAUTH /],
  ])('for %s fails its start with one sentence and no secret', async (_, url, sentence) => {
    const { limits } = open(url());
    const error = await limits.opened().then(
      () => null,
      (thrown: Error) => thrown,
    );
    expect(error?.message).toMatch(sentence);
    expect(error?.message).not.toContain(new URL(url()).password || '127.0.0.1');
  });

  test('because its address has a password that is not percent-encoded fails its start, and logs no part of it', async () => {
    const { limits, warn } = open('redis://:ab/cd@127.0.0.1:6379');
    const error: unknown = await limits.opened().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: 'VALKEY_URL cannot be read. Percent-encode its user and password.' });
    expect(warn).toHaveBeenCalledTimes(1);
    expect(inspect([error, warn.mock.calls], { depth: 9 })).not.toContain('ab/cd');
  });

  test('because it has no AUTH fails its start, and logs no argument of the command', async () => {
    const { port } = await fakeValkey((command) =>
      command === 'auth' ? "-ERR unknown command 'AUTH', with args beginning with: 'a-secret' \r\n" : undefined,
    );
    const { limits, warn } = open(`redis://:a-secret@127.0.0.1:${port}`);
    const error: unknown = await limits.opened().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: "VALKEY_URL: Valkey refuses it: ERR unknown command 'AUTH'" });
    expect(warn).toHaveBeenCalledTimes(1);
    expect(inspect([error, warn.mock.calls], { depth: 9 })).not.toContain('a-secret');
  });

  test('later is logged without the password, and requests go on', async () => {
    await valkey.client.acl('SETUSER', 'changed', 'on', '>a-former-secret', '~*', '+@all');
    const { take, passes, warn } = await opened(valkey.url.replace(/:\/\/[^@]*@/, '://changed:a-former-secret@'));
    await take(newCaller());
    await valkey.client.acl('SETUSER', 'changed', 'resetpass', '>another');
    await valkey.client.client('KILL', 'USER', 'changed');
    await vi.waitFor(
      async () => {
        await take(newCaller());
        expect(inspect(warn.mock.calls, { depth: 9 })).toContain('WRONGPASS');
      },
      { timeout: 20_000, interval: 50 },
    );
    expect(inspect(warn.mock.calls, { depth: 9 })).not.toContain('a-former-secret');
    expect(await passes(newCaller(), 9)).toBe(5);
  });

  test('for the rights of its user fails its start too', async () => {
    await valkey.client.acl('SETUSER', 'reader', 'on', '>secret', '~*', '+@read', '+info');
    const url = valkey.url.replace(/:\/\/[^@]*@/, '://reader:secret@');
    await expect(open(url).limits.opened()).rejects.toThrow(/^VALKEY_URL: Valkey refuses it: NOPERM /);
  });

  test('with the rights that docs/operate.md names lets it share', async () => {
    await valkey.client.acl(
      'SETUSER',
      'limits',
      'on',
      '>secret',
      '~stabletill:limit:*',
      ...'+evalsha +eval +time +get +set +info'.split(' '),
    );
    const { passes, warn } = await opened(valkey.url.replace(/:\/\/[^@]*@/, '://limits:secret@'));
    expect(await passes(newCaller(), 9)).toBe(5);
    expect(warn).not.toHaveBeenCalled();
  });
});

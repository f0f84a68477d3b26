// The public status of the networks from the worker's records: times, counts and codes, and nothing internal.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { EndpointHealth } from '@/lib/networks/endpoints/health';
import type { OpenedChain } from '@/lib/networks/registry';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock, testConfig, testContext } from '@/testing/fixtures';
import { networkSpec } from '@/lib/networks/networks';
import { overallState } from './network-state';
import { readStatus, type NetworkStatus } from './read';
import { recordEndpoints } from './record-endpoints';

const NOW = 1_800_000_000;
let database: TestDatabase;
let clock = new TestClock(NOW);
beforeAll(async () => void (database = await openTestDatabase()));
afterAll(() => database.close());
afterEach(async () => {
  // Each test uses its own second, so that it never reads another's cached status.
  clock = new TestClock(NOW + Math.round((clock.now().getTime() / 1000 - NOW + 10_000) / 10_000) * 10_000);
  await database.pool.query('DELETE FROM chains; DELETE FROM endpoints;');
});

const config = testConfig({
  TEST_ETHEREUM_URLS: 'http://127.0.0.1:1 http://127.0.0.1:2/secret-key http://127.0.0.1:3',
  TEST_BSC_URLS: '',
  LIVE_TRON_URLS: 'http://127.0.0.1:1',
});
const seconds = () => clock.now().getTime() / 1000;
const read = async (): Promise<Record<string, NetworkStatus>> => {
  const { networks } = await readStatus(testContext(database, clock, config));
  return Object.fromEntries(networks.map((one) => [`${one.environment} ${one.network}`, one]));
};

async function chain(over: Record<string, unknown> = {}): Promise<void> {
  await database.prisma.chain.create({
    data: {
      environment: 'test',
      network: 'ethereum',
      genesis: `0x${seconds()}`,
      tipNumber: 120,
      tipHash: '0xt',
      finalNumber: 100,
      finalHash: '0xf',
      finalTime: new Date((seconds() - 300) * 1000),
      finalLag: 20,
      scannedAt: new Date((seconds() - 2) * 1000),
      createdAt: new Date((NOW - 86_400) * 1000),
      ...over,
    },
  });
}

/** The step of a chain whose endpoints have the given health. */
const recorder = (health: () => readonly Partial<EndpointHealth>[]) => {
  const spec = networkSpec('test', 'ethereum', 'local')!;
  const endpoints = {
    check: () => Promise.resolve(),
    health: () =>
      health().map((one, n) => ({
        position: n + 1,
        state: 'ok' as const,
        message: null,
        height: 120,
        failures: 0,
        since: clock.now(),
        ...one,
      })),
  };
  return recordEndpoints({ environment: 'test', network: 'ethereum', spec, endpoints } as unknown as OpenedChain);
};

describe('a network', () => {
  it('is shown with its blocks, its lag, its gapless time and the number of its endpoints', async () => {
    await chain();
    await recorder(() => [{}, { state: 'failing', message: 'x', height: null }, { state: 'lagging' }])(
      testContext(database, clock, config),
    );
    expect((await read())['test ethereum']).toEqual({
      environment: 'test',
      network: 'ethereum',
      state: 'ok',
      trouble: null,
      tip_block: 120,
      final_block: 100,
      final_block_time: seconds() - 300,
      lag_seconds: 2,
      scanned_without_gap_since: NOW - 86_400,
      endpoints: { configured: 3, ok: 1, lagging: 1, throttled: 0, failing: 1, refused: 0, unknown: 0 },
      not_offered: [],
    });
  });

  it('that was never scanned is starting, and lists its tokens that are not offered and why', async () => {
    expect((await read())['live tron']).toMatchObject({
      state: 'starting',
      trouble: null,
      tip_block: null,
      lag_seconds: null,
      endpoints: { configured: 1, unknown: 1, ok: 0 },
      not_offered: [{ currency: 'USDC', reason: 'discontinued' }],
    });
  });

  const troubles: [string, string | null, number, string, string | null][] = [
    ['a passing fault', 'unavailable: endpoint 1 could not be reached', 29, 'ok', null],
    ['half a minute of silence', 'unavailable: endpoint 1 could not be reached', 30, 'delayed', 'unreachable'],
    ['a quarter of an hour', 'unavailable: no endpoint is configured', 900, 'down', 'unreachable'],
    ['contradiction', 'contradiction: endpoint 1 and endpoint 2 tell different …', 70, 'delayed', 'disagreement'],
    ['reorganisation below finality', 'reorganised: block 5 does not continue', 70, 'delayed', 'disagreement'],
    ['another chain', 'wrong_chain: endpoint 1 does not serve ethereum', 70, 'delayed', 'wrong_chain'],
    ['another chain at boot', 'endpoint 1 does not serve ethereum (local): …', 70, 'delayed', 'wrong_chain'],
    ['waiting', 'unavailable: payments up to block 5 wait: 2 …', 70, 'delayed', 'awaiting_agreement'],
    ['a worker that is gone', null, 70, 'delayed', 'not_scanning'],
  ];
  it.each(troubles)('in trouble by %s reports it as a code', async (_, trouble, age, state, word) => {
    await chain({ trouble, scannedAt: new Date((seconds() - age) * 1000) });
    expect((await read())['test ethereum']).toMatchObject({ state, trouble: word, lag_seconds: age });
  });

  it('far behind is catching up, although its runs succeed', async () => {
    await chain({ finalTime: new Date((seconds() - 3600) * 1000) });
    await recorder(() => [{ height: 400 }])(testContext(database, clock, config));
    expect((await read())['test ethereum']).toMatchObject({ state: 'delayed', trouble: 'catching_up' });
  });

  it('whose worker fell silent has endpoints in an unknown state', async () => {
    await chain();
    await recorder(() => [{}])(testContext(database, clock, config));
    clock.advance(120);
    expect((await read())['test ethereum']?.endpoints).toMatchObject({ configured: 3, ok: 0, unknown: 3 });
  });

  it('that was restarted is shown by its followed chain only', async () => {
    await chain({ genesis: '0xold', retiredAt: clock.now(), tipNumber: 9999 });
    await chain();
    expect((await read())['test ethereum']?.tip_block).toBe(120);
  });
});

describe('the public status', () => {
  it('holds no address, key or internal sentence', async () => {
    await chain({ trouble: 'unavailable: endpoint 2 could not be reached', scannedAt: new Date(0) });
    await recorder(() => [{ state: 'failing', message: 'endpoint 1 is away' }])(testContext(database, clock, config));
    const text = JSON.stringify(await readStatus(testContext(database, clock, config)));
    expect(text).not.toMatch(/127\.0\.0\.1|secret-key|endpoint 1|endpoint 2|0xt|0xf/);
  });

  it('is read from the database at most once a second', async () => {
    const context = testContext(database, clock, config);
    const first = await readStatus(context);
    clock.advance(0.9);
    expect(await readStatus(context)).toBe(first);
    clock.advance(0.2);
    expect(await readStatus(context)).not.toBe(first);
  });

  it('is healthy only when every network is', () => {
    expect(overallState(['ok', 'ok'])).toBe('ok');
    expect(overallState(['ok', 'starting'])).toBe('degraded');
    expect(overallState(['down', 'ok'])).toBe('degraded');
    expect(overallState(['down', 'down'])).toBe('down');
  });
});

describe('the record of endpoints', () => {
  const rows = async () =>
    (await database.pool.query('SELECT position, state, message, since, checked_at FROM endpoints ORDER BY position'))
      .rows;

  it('is written after a change or a quarter of a minute, and keeps the time of the last change', async () => {
    let state: EndpointHealth['state'] = 'ok';
    const record = recorder(() => [{ state, message: state === 'ok' ? null : 'away' }]);
    const context = testContext(database, clock, config);
    const start = clock.now();
    await record(context);
    clock.advance(5);
    await record(context);
    expect(await rows()).toEqual([{ position: 1, state: 'ok', message: null, since: start, checked_at: start }]);
    state = 'failing';
    const changed = clock.now();
    await record(context);
    expect(await rows()).toMatchObject([{ state: 'failing', message: 'away', since: changed, checked_at: changed }]);
    clock.advance(16);
    await record(context);
    expect(await rows()).toMatchObject([{ state: 'failing', since: changed, checked_at: clock.now() }]);
  });

  it('deletes endpoints that the settings no longer name, but none of another network', async () => {
    const context = testContext(database, clock, config);
    await database.pool.query(
      `INSERT INTO endpoints (environment, network, position, state) VALUES ('test', 'bsc', 3, 'ok')`,
    );
    await recorder(() => [{}, {}])(context);
    await recorder(() => [{}])(context);
    expect((await rows()).map(({ position }) => position)).toEqual([1, 3]);
  });
});

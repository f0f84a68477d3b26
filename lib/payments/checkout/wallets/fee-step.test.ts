// What customers are told of a network's fee is its endpoints' last word, and no endpoint's silence takes it away.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { ChainError } from '@/lib/networks/chain';
import { networkSpec } from '@/lib/networks/networks';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock, testConfig, testContext } from '@/testing/fixtures';
import { feeStepWith } from './fee-step';

let db: TestDatabase;
const clock = new TestClock();
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());

const spec = networkSpec('test', 'bsc', 'local')!;
const told = () =>
  db.prisma.networkFee.findUniqueOrThrow({ where: { environment_network: { environment: 'test', network: 'bsc' } } });
const run = (read: () => Promise<bigint>) =>
  feeStepWith({ environment: 'test', network: 'bsc', spec }, read)(testContext(db, clock, testConfig()));

test('stores the last reported fee, however large it is', async () => {
  await run(async () => 10n ** 30n);
  clock.advance(61);
  await run(async () => 63_000n * 50_000_000n);
  expect(await told()).toMatchObject({ readAt: clock.now() });
  expect((await told()).amount?.toFixed()).toBe('3150000000000');
});

test('unresponsive endpoints leave the last fee and its time unchanged', async () => {
  const before = await told();
  clock.advance(61);
  await run(async () => {
    throw new ChainError('unavailable', 'none answers');
  });
  expect(await told()).toEqual({ ...before, askedAt: clock.now() });
});

test('one worker a minute sends the request, also after a clock was set back', async () => {
  clock.advance(61);
  let asked = 0;
  const ask = () => run(async () => BigInt(++asked));
  await Promise.all([ask(), ask(), ask()]);
  clock.advance(54);
  await ask();
  expect(asked).toBe(1);
  clock.advance(-3600);
  await ask();
  expect(asked).toBe(2);
});

test('any other error fails the step', async () => {
  clock.advance(61);
  await expect(run(() => Promise.reject(new Error('a bug')))).rejects.toThrow('a bug');
});

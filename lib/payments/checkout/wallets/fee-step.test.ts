// Customers see the last fee that the endpoints reported, also while no endpoint responds.

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
const storedFee = () =>
  db.prisma.networkFee.findUniqueOrThrow({ where: { environment_network: { environment: 'test', network: 'bsc' } } });
const run = (read: () => Promise<bigint>) =>
  feeStepWith({ environment: 'test', network: 'bsc', spec }, read)(testContext(db, clock, testConfig()));

test('stores the last reported fee, however large it is', async () => {
  await run(async () => 10n ** 30n);
  clock.advance(61);
  await run(async () => 63_000n * 50_000_000n);
  expect(await storedFee()).toMatchObject({ readAt: clock.now() });
  expect((await storedFee()).amount?.toFixed()).toBe('3150000000000');
});

test('unresponsive endpoints leave the last fee and its time unchanged', async () => {
  const before = await storedFee();
  clock.advance(61);
  await run(async () => {
    throw new ChainError('unavailable', 'none answers');
  });
  expect(await storedFee()).toEqual({ ...before, requestedAt: clock.now() });
});

test('one worker a minute sends the request, also after a clock was set back', async () => {
  clock.advance(61);
  let requests = 0;
  const request = () => run(async () => BigInt(++requests));
  await Promise.all([request(), request(), request()]);
  clock.advance(54);
  await request();
  expect(requests).toBe(1);
  clock.advance(-3600);
  await request();
  expect(requests).toBe(2);
});

test('any other error fails the step', async () => {
  clock.advance(61);
  await expect(run(() => Promise.reject(new Error('a bug')))).rejects.toThrow('a bug');
});

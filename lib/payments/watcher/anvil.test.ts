// The watcher on a real EVM node and a real database: the same guarantees as in step.test.ts, with nothing simulated.

import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { openEvmAdapter } from '@/lib/networks/families/evm/adapter';
import { networkSpec } from '@/lib/networks/networks';
import { systemClock, unixSeconds } from '@/lib/platform/clock';
import { readConfig } from '@/lib/platform/config/config';
import type { Context } from '@/lib/platform/context';
import { startAnvil, type Anvil } from '@/testing/evm/anvil';
import { silentLog } from '@/testing/chain-clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { paymentsOf, watchedSession } from '@/testing/watching/watched-session';
import { watchStep } from './step';

const spec = networkSpec('test', 'ethereum', 'local')!;
const usdt = spec.tokens.USDT!.contract;
const usdc = spec.tokens.USDC!.contract;
const DUE = 12_340_000n;
let database: TestDatabase;
let anvil: Anvil;
let context: Context;

beforeAll(async () => {
  database = await openTestDatabase();
  const config = readConfig({
    DATABASE_URL: database.url,
    MASTER_KEYS: `1:${Buffer.from([...Array(32).keys()]).toString('base64')}`,
    EVIDENCE_KEY: Buffer.alloc(32, 9).toString('base64'),
  });
  context = { pool: database.pool, clock: systemClock, log: silentLog(), config };
});
afterAll(() => database.close());
beforeEach(async () => void (anvil = await startAnvil(spec)));
afterEach(() => anvil.stop());

const stepOn = (url: string) => {
  const adapter = openEvmAdapter({ spec, urls: [url], clock: systemClock, log: silentLog() });
  return watchStep({ environment: 'test', network: 'ethereum', spec, adapter });
};
const run = async (step = stepOn(anvil.url)) => {
  while ((await step(context)).more);
};
const session = () => watchedSession(database.pool, { createdAt: unixSeconds(systemClock.now()) });
const chainRow = async () => (await database.pool.query('SELECT * FROM chains WHERE retired_at IS NULL')).rows[0];

it('a payment is seen at once and credited once, when the node reports it as final', async () => {
  const { id, address } = await session();
  await run();
  await anvil.send(usdt, 'transfer', [address, DUE]);
  await anvil.mine();
  await run();
  expect(await paymentsOf(database.pool, id)).toMatchObject({
    status: 'pending',
    unconfirmed: ['seen'],
    transfers: [],
  });
  await anvil.mine(4);
  await run();
  await run();
  expect(await paymentsOf(database.pool, id)).toMatchObject({
    status: 'completed',
    transfers: [{ network: 'ethereum', amount: '12340000', currency: 'USDT', decimals: 6 }],
    unconfirmed: [],
    entries: 1,
    events: ['payment.completed'],
  });
});

it('a reorg that removes an unconfirmed payment leaves the session unpaid and the transfer orphaned', async () => {
  const { id, address } = await session();
  await run();
  await anvil.mine(6);
  await anvil.send(usdt, 'transfer', [address, DUE]);
  await anvil.mine();
  await run();
  expect((await paymentsOf(database.pool, id)).unconfirmed).toEqual(['seen']);
  await anvil.rpc('anvil_reorg', 2, []);
  await run();
  expect((await paymentsOf(database.pool, id)).unconfirmed).toEqual(['orphaned']);
  await anvil.mine(10);
  await run();
  expect(await paymentsOf(database.pool, id)).toMatchObject({
    status: 'pending',
    transfers: [],
    entries: 0,
    events: [],
  });
  expect((await chainRow()).trouble).toBeNull();
});

it('transfers of real contracts are counted by the net amount that stays', async () => {
  const [exact, failed, pulled, batched, third, wrong] = await Promise.all(Array.from({ length: 6 }, session));
  await run();
  await anvil.send(usdt, 'transfer', [exact!.address, DUE / 2n]);
  await anvil.send(usdt, 'transfer', [exact!.address, DUE - DUE / 2n]);
  await anvil.send(usdt, 'payAndFail', [failed!.address, DUE]);
  await anvil.send(usdt, 'payAndPull', [pulled!.address, DUE, DUE]);
  await anvil.send(usdc, 'payMany', [[batched!.address, anvil.accounts[3], batched!.address], DUE / 2n]);
  await anvil.send(usdt, 'transferFrom', [anvil.accounts[5], third!.address, DUE], anvil.accounts[1]);
  await anvil.rpc('anvil_setCode', anvil.accounts[9], await anvil.rpc('eth_getCode', usdt, 'latest'));
  await anvil.send(anvil.accounts[9]!, 'transfer', [wrong!.address, DUE]);
  await anvil.mine(5);
  await run();
  const amounts = async ({ id }: { id: string }) =>
    (await paymentsOf(database.pool, id)).transfers.map(({ currency, amount }) => `${amount} ${currency}`);
  expect(await amounts(exact!)).toEqual(['6170000 USDT', '6170000 USDT']);
  expect((await paymentsOf(database.pool, exact!.id)).status).toBe('completed');
  expect(await amounts(batched!)).toEqual(['6170000 USDC', '6170000 USDC']);
  const payer = await database.pool.query('SELECT payer FROM transfers WHERE session_id = $1', [third!.id]);
  expect(payer.rows).toEqual([{ payer: anvil.accounts[5] }]);
  expect([await amounts(failed!), await amounts(pulled!), await amounts(wrong!)]).toEqual([[], [], []]);
});

it('a restarted node with a new genesis is a new chain with a new row, not a reorg', async () => {
  await anvil.mine(20);
  await run();
  const before = await chainRow();
  const fresh = await startAnvil(spec);
  try {
    const { id, address } = await session();
    await fresh.mine();
    await run(stepOn(fresh.url));
    await fresh.send(usdt, 'transfer', [address, DUE]);
    await fresh.mine(5);
    await run(stepOn(fresh.url));
    const after = await chainRow();
    expect(after.id).not.toBe(before.id);
    expect(after.trouble).toBeNull();
    expect((await paymentsOf(database.pool, id)).status).toBe('completed');
  } finally {
    await fresh.stop();
  }
});

// Paying each payer of a session back: a refund for each of them, and all of them or none.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Context } from '@/lib/platform/context';
import { networkSpec } from '@/lib/networks/networks';
import { openTestClock } from '@/testing/chain-clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeChain, makeStore, testConfig, testContext } from '@/testing/fixtures';
import { EXPIRES, openSettledSessions } from '@/testing/payments/settled-session';
import { cancelRefundByStore, createSplitByStore } from './by-store';
import { intentIdOf } from './intent';
import { recoverIntent } from '@/lib/refunds/recovery/write';
import type { UnknownIntent } from '@/lib/refunds/recovery/signer-check-journal';

const clock = openTestClock(EXPIRES - 200);
let db: TestDatabase;
let context: Context;
let world: ReturnType<typeof openSettledSessions>;

beforeAll(async () => {
  db = await openTestDatabase();
  context = testContext(db, clock, testConfig());
  const chains = { ethereum: await makeChain(db, 'ethereum', EXPIRES), bsc: await makeChain(db, 'bsc', EXPIRES) };
  world = openSettledSessions(db, clock, chains);
});
afterAll(() => db.close());

/** Alice paid 10.00 on BSC, Bob 2.50 on Ethereum, together the price; a third sender sent dust. */
async function shared() {
  const { storeId } = await makeStore(db, context.config);
  const sessionId = await world.make(storeId);
  await world.transfer(sessionId, { cents: 1000, network: 'bsc', payer: '0xalice', time: EXPIRES - 400 });
  await world.transfer(sessionId, { cents: 250, payer: '0xbob' });
  await world.settle(sessionId);
  const recorded: string[] = [];
  const record = async (_: unknown, refundId: string) => void recorded.push(refundId);
  const side = { storeId, environment: 'test', record } as const;
  const split = (amount: number, refund_id: string) =>
    createSplitByStore(context, side, { session_id: sessionId, amount, currency: 'USDT', refund_id });
  const refunds = async () =>
    (await db.prisma.refund.findMany({ where: { sessionId }, orderBy: { refundId: 'asc' } })).map(
      ({ refundId, network, payer, amount, currency }) => [refundId, network, payer, Number(amount), currency],
    );
  return { sessionId, side, recorded, split, refunds };
}

test('a full refund makes one refund for each payer, of what they paid, in the token and on the network they paid with', async () => {
  const { sessionId, split, refunds, recorded } = await shared();
  const made = await split(1250, 'all');
  expect(made.map(({ refundId, status }) => [refundId, status])).toEqual([
    ['all-1', 'pending'],
    ['all-2', 'pending'],
  ]);
  expect(await refunds()).toEqual([
    ['all-1', 'bsc', '0xalice', 1000, 'USDT'],
    ['all-2', 'ethereum', '0xbob', 250, 'USDT'],
  ]);
  expect(recorded).toEqual(['all-1', 'all-2']);
  expect(await world.read(sessionId)).toMatchObject({ amountRefunded: 1250n });
});

test('a repeated request finds the same refunds, and another amount under the same name is refused', async () => {
  const { split, refunds } = await shared();
  const first = await split(500, 'again');
  expect((await split(500, 'again')).map(({ id }) => id)).toEqual(first.map(({ id }) => id));
  await expect(split(501, 'again')).rejects.toMatchObject({ code: 'REFUND_ID_CONFLICT' });
  expect(await refunds()).toHaveLength(2);
});

test('a full refund leaves no cent behind when the payers paid fractions of a cent', async () => {
  const { storeId } = await makeStore(db, context.config);
  const sessionId = await world.make(storeId);
  await world.transfer(sessionId, { cents: 1000.5, network: 'bsc', payer: '0xalice', time: EXPIRES - 400 });
  await world.transfer(sessionId, { cents: 249.5, payer: '0xbob' });
  await world.settle(sessionId);
  const side = { storeId, environment: 'test', record: async () => {} } as const;
  const request = { session_id: sessionId, amount: 1250, currency: 'USDT', refund_id: 'fractions' } as const;
  const made = await createSplitByStore(context, side, request);
  expect(made.map(({ amount }) => amount)).toEqual([1001n, 249n]);
  expect(await world.read(sessionId)).toMatchObject({ amountRefunded: 1250n });
});

test('no payer ever gets more than they paid, whatever was refunded, canceled and refunded again', async () => {
  const { side, split, refunds } = await shared();
  await split(1000, 'a');
  await expect(split(251, 'b')).rejects.toMatchObject({ code: 'REFUND_AMOUNT_EXCEEDED' });
  await cancelRefundByStore(context, side, 'a-1');
  await split(1050, 'c');
  const total = new Map<unknown, number>();
  const live = await db.prisma.refund.findMany({ where: { storeId: side.storeId, status: { not: 'canceled' } } });
  for (const { payer, amount } of live) total.set(payer, (total.get(payer) ?? 0) + Number(amount));
  expect(Object.fromEntries(total)).toEqual({ '0xalice': 1000, '0xbob': 250 });
  expect(await refunds()).toHaveLength(4);
});

test('when one refund cannot be made, none is', async () => {
  const { sessionId, side, split, refunds } = await shared();
  await db.pool.query('UPDATE stores SET refund_day_limit = 1200 WHERE id = $1', [side.storeId]);
  await expect(split(1250, 'all')).rejects.toMatchObject({ code: 'DAILY_REFUND_LIMIT_EXCEEDED' });
  expect(await refunds()).toEqual([]);
  expect(await world.read(sessionId)).toMatchObject({ amountRefunded: 0n });
});

test('the surplus of an overpayment is part of no share', async () => {
  const { storeId } = await makeStore(db, context.config);
  const sessionId = await world.make(storeId);
  await world.transfer(sessionId, { cents: 1000, payer: '0xalice', time: EXPIRES - 400 });
  await world.transfer(sessionId, { cents: 1000, payer: '0xbob' });
  await world.settle(sessionId);
  const side = { storeId, environment: 'test', record: async () => {} } as const;
  const made = await createSplitByStore(context, side, {
    session_id: sessionId,
    amount: 1250,
    currency: 'USDT',
    refund_id: 'over',
  });
  expect(made.map(({ amount }) => amount)).toEqual([1000n, 250n]);
});

/** The journal has Alice's share of the split `all`, which the restored database lacks. */
function journalOf({ side, sessionId }: Awaited<ReturnType<typeof shared>>, kind: 'payer' | 'claim', to: string) {
  const intentId = intentIdOf({ storeId: side.storeId, environment: 'test', refundId: 'all-1' });
  const token = networkSpec('test', 'bsc', 'local')!.tokens.USDT!;
  const bound = { kind, session: sessionId, network: 'bsc', address: to, reference: 'bsc/0xabc/0', mostCents: '1250' };
  const pays = { currency: 'USDT', contract: token.contract, to, amount: String(1000n * 10n ** 16n) } as const;
  const order = { intentId, environment: 'test', network: 'bsc', ...pays, evidence: { ...bound, mac: '' } } as const;
  const attempt = {
    at: clock.now().getTime(),
    hash: '0x1',
    draft: { family: 'evm', intentId, from: '0xw', unsigned: '0x00' },
  };
  const intent = { order, released: false, attempts: [attempt] } as unknown as UnknownIntent['intent'];
  return { intent, missing: intent.attempts };
}

test('a share that is recovered after a restore counts for its payer, who gets no more than they paid', async () => {
  const scene = await shared();
  expect(await recoverIntent(context, journalOf(scene, 'payer', '0xalice'))).toEqual({ done: 'recreated' });
  await scene.split(250, 'rest');
  expect((await scene.refunds()).map(([, network, payer, cents]) => [network, payer, cents])).toEqual([
    ['bsc', '0xalice', 1000],
    ['ethereum', '0xbob', 250],
  ]);
});

test('a recovered share that went to an address of a claim link gets its payer when the merchant requests it again', async () => {
  const scene = await shared();
  expect(await recoverIntent(context, journalOf(scene, 'claim', '0xelsewhere'))).toEqual({ done: 'recreated' });
  await scene.split(1250, 'all');
  expect((await scene.refunds())[0]).toEqual(['all-1', 'bsc', '0xalice', 1000, 'USDT']);
});

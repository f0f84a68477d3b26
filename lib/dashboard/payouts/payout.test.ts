// What a merchant reads about one payout, on a real database with the real signer and a simulated EVM chain.

import { randomUUID } from 'node:crypto';
import { getAddress } from 'ethers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { FIRST_PAGE } from '@/lib/dashboard/lists/keyset';
import { listStorePayouts } from '@/lib/dashboard/lists/payouts';
import { recordAudit } from '@/lib/merchants/audit/record';
import { NAME_START } from '@/lib/payouts/schedules/rows';
import { requestPayoutIn } from '@/lib/payouts/request';
import { unixSeconds } from '@/lib/platform/clock';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeStore } from '@/testing/fixtures';
import { openPayoutChain } from '@/testing/payouts/payout-chain';
import { openPayoutScene, type PayoutScene } from '@/testing/payouts/payout-scene';
import { openRefundScene } from '@/testing/refunds/refund-scene';
import { readStorePayout } from './payout';

const HOME = `0x${'a1'.repeat(20)}`;
const { time, clock, chain, sender, spec, restart } = openPayoutChain();

let db: TestDatabase;
let scene: PayoutScene;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(async () => {
  restart();
  scene = openPayoutScene(await openRefundScene({ db, clock, spec, sender }));
  await scene.session();
});

const own = () => ({ storeId: scene.storeId, environment: 'test' }) as const;
const read = (id: string) => readStorePayout(scene.context, own(), id);

type Entry = { readonly actor: string; readonly storeId?: string; readonly environment?: string };

const audit = (tx: Tx, { actor, storeId = scene.storeId, environment = 'test' }: Entry, target: string) =>
  recordAudit(tx, {
    ...{ actor, storeId, action: 'payout.request', target, details: { environment } },
    ...{ address: '', now: clock.now() },
  });

/** A payout of 5.00 as an actor of the audit log requests it. */
const requestAs = (entry: Entry, payoutId: string = randomUUID()): Promise<string> =>
  transaction(db.pool, (tx) =>
    requestPayoutIn(
      tx,
      scene.context,
      { ...own(), record: (recording, target) => audit(recording, entry, target) },
      { payoutId, amount: 500n, currency: 'USDT', network: scene.sending.network, description: 'November' },
    ),
  );

const ownerOf = (storeId: string) =>
  db.prisma.store.findUniqueOrThrow({ where: { id: storeId }, include: { owner: true } });

test('a paid payout shows when it was requested, signed and paid, its address, and its transaction', async () => {
  await scene.address(HOME);
  const id = await requestAs({ actor: 'system' });
  expect(await read(id)).toMatchObject({ status: 'pending', signedAt: null, processedAt: null, attempts: [] });
  expect(await read(id)).toMatchObject({ destination: null, address: null, transaction: null, isCancelable: true });
  const requestedAt = unixSeconds(clock.now());
  chain.outcome = 'landed';
  time.now += 60_000;
  const { transactionHash, processedAt } = await scene.untilEnded(id);
  const [attempt] = await scene.attempts(id);
  const shown = await read(id);
  const sent = { hash: transactionHash, explorerUrl: null };
  expect(shown).toMatchObject({
    ...{ status: 'completed', amount: '5.00', currency: 'USDT', network: 'ethereum', description: 'November' },
    ...{ fee: null, networkCost: null, hold: null, failureReason: null, isCancelable: false, transaction: sent },
    ...{ destination: getAddress(HOME), address: { isContract: false, isSigned: false, creator: null } },
    ...{ createdAt: requestedAt, processedAt: unixSeconds(processedAt as Date) },
    attempts: [{ number: 1, status: 'landed', ...sent }],
  });
  expect(shown?.signedAt).toBe((attempt?.signedAt?.getTime() ?? 0) / 1000);
  expect(shown?.processedAt).toBeGreaterThan(requestedAt);
});

test('a payout that waits for the delay of its address shows when the delay ends', async () => {
  const payAfter = new Date(time.now + 3_600_000);
  await scene.address(HOME, payAfter);
  const id = await requestAs({ actor: 'system' });
  await scene.pass();
  expect(await read(id)).toMatchObject({ hold: 'address_delay', holdUntil: unixSeconds(payAfter) });
});

test('a failed payout shows why', async () => {
  await scene.address(HOME);
  chain.refused.add(HOME);
  const id = await requestAs({ actor: 'system' });
  const { failureReason } = await scene.untilEnded(id);
  expect(failureReason).not.toBeNull();
  expect(await read(id)).toMatchObject({ status: 'failed', failureReason, transaction: null });
});

describe('the requester', () => {
  beforeEach(() => scene.address(HOME));
  const requester = async (id: string) => (await read(id))?.requestedBy;

  test('is the API key by its name', async () => {
    const { id: keyId, name } = await db.prisma.apiKey.findFirstOrThrow({ where: { storeId: scene.storeId } });
    expect(await requester(await requestAs({ actor: `key:${keyId}` }))).toEqual({ kind: 'key', name });
  });

  test('is the member by the e-mail address', async () => {
    const { owner } = await ownerOf(scene.storeId);
    const id = await requestAs({ actor: `user:${owner.id}` });
    expect(await requester(id)).toEqual({ kind: 'member', name: owner.email });
  });

  test('is the schedule for a payout that it requested', async () => {
    expect(await requester(await requestAs({ actor: 'system' }, `${NAME_START}1`))).toEqual({ kind: 'schedule' });
  });

  test('is never who requested a payout of the same name in another store or in the other environment', async () => {
    const other = await makeStore(db, scene.context.config);
    const { owner } = await ownerOf(other.storeId);
    const actor = `user:${owner.id}`;
    const id = await scene.request({ payoutId: 'same' });
    await transaction(db.pool, async (tx) => {
      await audit(tx, { actor, storeId: other.storeId }, 'same');
      await audit(tx, { actor, environment: 'live' }, 'same');
    });
    expect(await requester(id)).toBeNull();
  });
});

test('D-23: another store’s payout, and the other environment’s, do not exist', async () => {
  await scene.address(HOME);
  const id = await scene.request();
  const { storeId } = await makeStore(db, scene.context.config);
  expect(await read(id)).toMatchObject({ id });
  expect(await readStorePayout(scene.context, { storeId, environment: 'test' }, id)).toBeNull();
  expect(await readStorePayout(scene.context, { ...own(), environment: 'live' }, id)).toBeNull();
  expect(await read('po_unknown')).toBeNull();
  for (const of of [{ storeId, environment: 'test' } as const, { ...own(), environment: 'live' } as const])
    expect((await listStorePayouts(scene.context, of, FIRST_PAGE)).rows).toEqual([]);
});

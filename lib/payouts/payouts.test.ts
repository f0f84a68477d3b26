// Payouts on a real database with the real signer and a simulated EVM chain: a store's balance goes to the store's own address, once, and
// nothing that the web process writes makes it go elsewhere or be more than the store received.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { stopPayoutAddress } from '@/lib/payouts/addresses/stop';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import { transaction } from '@/lib/platform/database/db';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { forceStoreStatus } from '@/testing/database/forced-status';
import { openPayoutChain } from '@/testing/payouts/payout-chain';
import { openPayoutScene, type PayoutScene } from '@/testing/payouts/payout-scene';
import { openRefundScene, PAID, type RefundScene } from '@/testing/refunds/refund-scene';
import { PAYERS } from '@/testing/signer/signer-scene';

const [FIRST, SECOND] = [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`];
const { time, clock, chain, sender, spec: evm, restart } = openPayoutChain();

let db: TestDatabase;
let refunds: RefundScene;
let scene: PayoutScene;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
const open = async (limits = {}) => {
  refunds = await openRefundScene({ db, clock, spec: evm, sender, limits });
  scene = openPayoutScene(refunds);
};
beforeEach(async () => {
  restart();
  await open();
  await scene.session();
});

/** Writes as somebody who owns the whole database and no key. */
const force = (text: string) =>
  transaction(db.pool, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    await tx.query(text);
  });

const stop = (id: string) =>
  stopPayoutAddress(
    scene.context,
    { storeId: scene.storeId, environment: 'test', id, userId: randomUUID() },
    { by: `user:${randomUUID()}`, address: '127.0.0.1' },
  );

describe('a request', () => {
  it('reserves the amount, so that no second one can take it, and is paid to the address of the store', async () => {
    await scene.address(FIRST);
    const id = await scene.request({ amount: PAID });
    expect(await scene.balance('store')).toBe(0n);
    expect(await scene.tryRequest()).toMatchObject({ refused: { code: 'balance', missing: 500n } });
    chain.outcome = 'landed';
    expect(await scene.untilEnded(id)).toMatchObject({ status: 'completed', destination: FIRST, hold: null });
    expect(await scene.balance('payout')).toBe(0n);
    expect(scene.signing.signed).toBe(1);
  });

  it('that is repeated after a lost answer makes one payout, and the same name with another amount is refused', async () => {
    await scene.address(FIRST);
    const [one, other] = await Promise.all([scene.request({ payoutId: 'po-1' }), scene.request({ payoutId: 'po-1' })]);
    expect(one).toBe(other);
    expect(await scene.tryRequest({ payoutId: 'po-1', amount: 600n })).toEqual({ refused: { code: 'conflict' } });
    expect(await scene.tryRequest({ payoutId: `recovered_${one}` })).toEqual({ refused: { code: 'conflict' } });
    expect(await db.prisma.payout.count({ where: { storeId: scene.storeId } })).toBe(1);
  });

  it.each([
    ['an unknown network', { network: 'dogecoin' }, 'unknown_asset'],
    ['99 cents', { amount: 99n }, 'too_small'],
    ['another token than the store has', { currency: 'USDC' }, 'balance'],
    ['a cent more than the store has', { amount: PAID + 1n }, 'balance'],
  ] as const)('over %s is refused and reserves nothing', async (_, over, code) => {
    await scene.address(FIRST);
    expect(await scene.tryRequest(over)).toMatchObject({ refused: { code } });
    expect(await scene.balance('payout')).toBe(0n);
    expect(await db.prisma.payout.count({ where: { storeId: scene.storeId } })).toBe(0);
  });

  it('without an address on the network is refused', async () => {
    expect(await scene.tryRequest()).toEqual({ refused: { code: 'no_address' } });
  });

  it('can be canceled until its signature is requested, by its own store only, and gives the amount back once', async () => {
    await scene.address(FIRST);
    const id = await scene.request();
    expect(await scene.cancel(id, 'st_other')).toBe(false);
    expect(await scene.cancel(id)).toBe(true);
    expect(await scene.cancel(id)).toBe(false);
    expect(await scene.balance('store')).toBe(PAID * 10_000n);
    const sent = await scene.request();
    await scene.pass();
    expect(await scene.cancel(sent)).toBe(false);
    expect(await scene.read(sent)).toMatchObject({ status: 'processing' });
  });
});

describe('the address', () => {
  it('is paid only after its delay; the payout waits until then', async () => {
    await scene.address(FIRST, new Date(time.now + 3_600_000));
    const id = await scene.request();
    await scene.pass();
    expect(await scene.read(id)).toMatchObject({ hold: 'address_delay', destination: null });
    time.now += 3_599_000;
    await scene.pass();
    expect(scene.signing.signed).toBe(0);
    time.now += 1000;
    chain.outcome = 'landed';
    expect(await scene.untilEnded(id)).toMatchObject({ status: 'completed', destination: FIRST });
  });

  it('that was stopped before the signature is not paid; the former one is', async () => {
    await scene.address(FIRST, new Date(time.now - 2000));
    const second = await scene.address(SECOND, new Date(time.now - 1000));
    const id = await scene.request();
    await stop(second);
    chain.outcome = 'landed';
    expect(await scene.untilEnded(id)).toMatchObject({ status: 'completed', destination: FIRST });
  });

  it('that is stopped while the payout is drafted is not paid; the former one is', async () => {
    await scene.address(FIRST, new Date(time.now - 2000));
    const second = await scene.address(SECOND, new Date(time.now - 1000));
    const id = await scene.request();
    chain.beforeDraft = async () => {
      chain.beforeDraft = async () => {};
      await stop(second);
    };
    chain.outcome = 'landed';
    const paid = await scene.untilEnded(id, async () => void (time.now += 60_000));
    expect(paid).toMatchObject({ status: 'completed', destination: FIRST });
  });

  it('that the web process wrote into the payout or its address list is not paid', async () => {
    await scene.address(FIRST, new Date(time.now - 5000));
    const id = await scene.request();
    await scene.context.pool.query(
      `UPDATE payouts SET destination = $2, destination_kind = 'payout', destination_reference = 'x' WHERE id = $1`,
      [id, SECOND],
    );
    await force(
      `INSERT INTO payout_addresses (id, store_id, environment, network, address, created_at, created_by, mailed_at, pay_after, notice_mac,
         stop_hash) VALUES ('pa_forged', '${scene.storeId}', 'test', 'ethereum', '${SECOND}', now(), gen_random_uuid(),
         '2020-01-01', '2026-11-28T11:59:59Z', '\\x00', '\\x01')`,
    );
    chain.outcome = 'landed';
    expect(await scene.untilEnded(id)).toMatchObject({ status: 'completed', destination: FIRST });
  });

  it('that the issuer has blocked fails its own payout, gives the amount back, and delays no other store', async () => {
    const other = openPayoutScene(await openRefundScene({ db, clock, spec: evm, sender }));
    await other.session();
    await other.address(SECOND);
    await scene.address(FIRST);
    chain.refused.add(FIRST);
    const [blocked, free] = [await scene.request(), await other.request()];
    chain.outcome = 'landed';
    expect(await other.untilEnded(free)).toMatchObject({ status: 'completed', destination: SECOND });
    expect(await other.untilEnded(blocked)).toMatchObject({
      status: 'failed',
      failureReason: 'The issuer of USDT has blocked the recipient.',
    });
    expect(await scene.balance('store')).toBe(PAID * 10_000n);
  });
});

describe('what covers it', () => {
  it('is what the store’s sessions provably received: a forged balance is not paid out', async () => {
    await scene.address(FIRST);
    await force(`UPDATE ledger_balances SET amount = -1000000000 WHERE account = 'store:${scene.storeId}'`);
    const made = await scene.tryRequest({ amount: PAID + 1n });
    if (!('id' in made)) throw new Error('the forged balance should look real');
    await scene.pass();
    expect(await scene.read(made.id)).toMatchObject({ hold: 'evidence' });
    expect(scene.signing.signed).toBe(0);
  });

  it('is not counted twice: refunds and payouts together are at most what was received', async () => {
    await scene.address(FIRST);
    chain.outcome = 'landed';
    const refund = await refunds.refund({ to: PAYERS.evm, cents: 6000n, sessionId: await scene.session() });
    await refunds.untilEnded(refund);
    await force(`UPDATE ledger_balances SET amount = -1000000000 WHERE account = 'store:${scene.storeId}'`);
    const made = await scene.tryRequest({ amount: 2n * PAID - 5999n });
    if (!('id' in made)) throw new Error('the forged balance should look real');
    await scene.pass();
    expect(await scene.read(made.id)).toMatchObject({ hold: 'evidence' });
  });

  it('is not given twice in the other order either: what was paid out is not refunded from a forged balance', async () => {
    await scene.address(FIRST);
    chain.outcome = 'landed';
    const session = await scene.session();
    const paid = await scene.request({ amount: 2n * PAID });
    expect(await scene.untilEnded(paid)).toMatchObject({ status: 'completed' });
    await force(`UPDATE ledger_balances SET amount = -1000000000 WHERE account = 'store:${scene.storeId}'`);
    const refund = await refunds.refund({ to: PAYERS.evm, sessionId: session });
    for (let turn = 0; turn < 3; turn++) await scene.pass();
    expect(await refunds.read(refund)).toMatchObject({ status: 'processing', hold: 'evidence' });
  });

  it('leaves a refund whose session proves nothing on hold for its evidence, and reserves nothing for it', async () => {
    await scene.address(FIRST);
    chain.outcome = 'landed';
    const session = await scene.session();
    await scene.untilEnded(await scene.request({ amount: PAID }));
    await force(`UPDATE transfers SET mac = '\\x00' WHERE session_id = '${session}'`);
    const refund = await refunds.refund({ to: PAYERS.evm, sessionId: session, takes: [] });
    await scene.pass();
    expect(await refunds.read(refund)).toMatchObject({ status: 'processing', hold: 'evidence' });
    expect(await scene.balance('refund')).toBe(0n);
  });

  it('leaves a refund of what was paid out waiting for the balance, and it is paid when payments have raised it', async () => {
    await scene.address(FIRST);
    chain.outcome = 'landed';
    const session = await scene.session();
    await scene.untilEnded(await scene.request({ amount: 2n * PAID }));
    const refund = await refunds.refund({ to: PAYERS.evm, sessionId: session, takes: [] });
    for (let turn = 0; turn < 3; turn++) await scene.pass();
    expect(await refunds.read(refund)).toMatchObject({ status: 'processing', hold: 'insufficient_balance' });
    await scene.session();
    expect(await refunds.untilEnded(refund)).toMatchObject({ status: 'completed' });
  });

  it('has a reserve in the ledger: a payout that another process inserted without one is not signed', async () => {
    await scene.address(FIRST);
    const id = `po_${'1'.repeat(40)}`;
    await force(`INSERT INTO payouts (id, store_id, environment, payout_id, amount, currency, network, request_hash, created_at)
      VALUES ('${id}', '${scene.storeId}', 'test', 'forged', 500, 'USDT', 'ethereum', '', now())`);
    for (let turn = 0; turn < 3; turn++) await scene.pass();
    expect(await scene.read(id)).toMatchObject({ hold: 'insufficient_balance' });
    expect(scene.signing.signed).toBe(0);
    const release = `INSERT INTO ledger_entries (kind, store_id, environment, intent_id) VALUES ('payout_released', $1, 'test', $2)`;
    await expect(db.pool.query(release, [scene.storeId, await scene.request()])).rejects.toThrow(/has not ended/);
  });

  it('waits for tokens in the wallet and is paid once they are there', async () => {
    await scene.address(FIRST);
    chain.isEmpty = true;
    const id = await scene.request();
    await scene.pass();
    expect(await scene.read(id)).toMatchObject({ status: 'processing', hold: 'no_tokens' });
    chain.isEmpty = false;
    chain.outcome = 'landed';
    expect(await scene.untilEnded(id)).toMatchObject({ status: 'completed' });
    expect(await scene.attempts(id)).toHaveLength(1);
  });
});

it('an address that is stopped while the signer does not answer is not paid, and the payout goes to the former one', async () => {
  await scene.address(FIRST, new Date(time.now - 2000));
  const second = await scene.address(SECOND, new Date(time.now - 1000));
  const id = await scene.request();
  const down = {
    ...scene.sending.signer!.calls,
    sign: () => Promise.reject(new AddressSourceError('unavailable', 'no answer')),
  };
  await scene.pass({ signer: { ...scene.sending.signer!, calls: down } });
  expect(await scene.read(id)).toMatchObject({ destination: SECOND, hold: 'signer_unavailable' });
  await stop(second);
  chain.outcome = 'landed';
  time.now += 3_600_000;

  expect(await scene.untilEnded(id)).toMatchObject({ status: 'completed', destination: FIRST });
});

it('a store that is suspended is not paid out until it is open again', async () => {
  await scene.address(FIRST);
  const id = await scene.request();
  await forceStoreStatus(db.pool, scene.storeId, 'suspended');
  await scene.pass();
  expect(await scene.read(id)).toMatchObject({ hold: 'not_allowed' });
  expect(scene.signing.signed).toBe(0);
});

it('a payout from before direct settlement is not paid while it lasts, because its money was swept to the merchant', async () => {
  await scene.address(FIRST);
  const id = await scene.request();
  const { context } = scene;
  const direct = { ...context, config: { ...context.config, DIRECT_SETTLEMENT: true } };
  await scene.pass({}, direct);
  expect(await scene.read(id)).toMatchObject({ hold: 'not_allowed' });
  expect(scene.signing.signed).toBe(0);
  chain.outcome = 'landed';
  time.now += 3_600_000;
  expect(await scene.untilEnded(id)).toMatchObject({ status: 'completed' });
});

it('one store cannot use up the limits of all while others wait to be paid', async () => {
  refunds = await openRefundScene({
    db,
    clock,
    spec: evm,
    sender,
    rules: { payoutLimits: { perRefund: 500n, perHour: 2000n, perDay: 8000n } },
  });
  scene = openPayoutScene(refunds);
  await scene.session();
  await scene.address(FIRST);
  chain.outcome = 'landed';
  const greedy = [];
  for (let count = 0; count < 3; count++) greedy.push(await scene.request());
  await db.pool.query(
    `INSERT INTO payouts (id, store_id, environment, payout_id, amount, currency, network, request_hash, created_at)
    VALUES ($1, 'st_waiting', 'test', 'w', 500, 'USDT', 'ethereum', '', now())`,
    [`po_${'2'.repeat(40)}`],
  );
  for (let turn = 0; turn < 8; turn++) await scene.pass();
  const statuses = await Promise.all(greedy.map(async (id) => (await scene.read(id)).status));
  expect(statuses.filter((status) => status === 'completed')).toHaveLength(2);
});

it('a transaction that moved nothing fails the payout, and the signer no longer counts it', async () => {
  await scene.address(FIRST);
  const id = await scene.request({ amount: PAID });
  chain.outcome = 'reverted';
  expect(await scene.untilEnded(id)).toMatchObject({ status: 'failed' });
  expect(await scene.balance('store')).toBe(PAID * 10_000n);
  await scene.pass();
  expect(await scene.read(id)).toMatchObject({ toRelease: false });
  chain.outcome = 'landed';
  const again = await scene.request({ amount: PAID });
  expect(await scene.untilEnded(again)).toMatchObject({ status: 'completed' });
});

it('a signer whose settings allow no payouts signs none, and refunds go on', async () => {
  refunds = await openRefundScene({
    db,
    clock,
    spec: evm,
    sender,
    rules: { payoutLimits: { perRefund: 0n, perHour: 0n, perDay: 0n } },
  });
  scene = openPayoutScene(refunds);
  await scene.session();
  await scene.address(FIRST);
  const id = await scene.request();
  const refund = await refunds.refund({ to: PAYERS.evm });
  chain.outcome = 'landed';
  for (let turn = 0; turn < 5; turn++) await scene.pass();
  expect(await scene.read(id)).toMatchObject({ hold: 'not_allowed' });
  expect(await refunds.read(refund)).toMatchObject({ status: 'completed' });
});

it('two workers at once pay it once', async () => {
  await scene.address(FIRST);
  const ids = [];
  for (let count = 0; count < 5; count++) ids.push(await scene.request());
  chain.outcome = 'landed';
  for (let turn = 0; turn < 20; turn++) await Promise.all([scene.pass(), scene.pass()]);
  for (const id of ids) expect(await scene.read(id)).toMatchObject({ status: 'completed' });
  expect(scene.signing.signed).toBe(ids.length);
});

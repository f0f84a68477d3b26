// What payouts cost their stores, on a real database with the real signer and a simulated EVM chain: it is reserved with the amount, given
// back when nothing was paid, and earned once when the payout has arrived.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkBooks } from '@/lib/ledger/invariants/check';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openPayoutChain } from '@/testing/payouts/payout-chain';
import { openPayoutScene, type PayoutScene } from '@/testing/payouts/payout-scene';
import { openRefundScene, PAID } from '@/testing/refunds/refund-scene';
import { requestPayout } from '../request';
import { mostPayable, type RateTerms } from './rate';
import { listRates, readNextRate, readRate } from './read';
import { setRate } from './set';

const ADDRESS = `0x${'a1'.repeat(20)}`;
const UNITS_PER_CENT = 10_000n;
/** 1 %, at least 20 cents, and 30 cents for the network. */
const TERMS: RateTerms = { basisPoints: 100n, fixed: 5n, minimum: 20n, networkCosts: { ethereum: 30n }, atCost: {} };
const OPERATOR = { by: 'user:00000000-0000-4000-8000-000000000001', address: '127.0.0.1' };
const { time, clock, chain, sender, spec: evm, restart } = openPayoutChain();

let db: TestDatabase;
let scene: PayoutScene;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(async () => {
  restart();
  scene = openPayoutScene(await openRefundScene({ db, clock, spec: evm, sender }));
  await scene.session();
  await scene.address(ADDRESS);
});

const set = (over: Partial<Parameters<typeof setRate>[1]> = {}) =>
  setRate(scene.context, { storeId: scene.storeId, terms: TERMS, startsAt: null, ...over }, OPERATOR);
const brokenBooks = async () =>
  (await checkBooks(db.pool)).filter(({ id, count }) => count > 0 && /^INV-(2|3|4)/.test(id));
const rateNow = () => readRate(db.pool, { storeId: scene.storeId, environment: 'test', at: clock.now() });

/** Cents of the operator by ledger account, over all payouts of the store. */
async function earned(account: 'fees' | 'cost_recovery'): Promise<bigint> {
  const { rows } = await db.pool.query<{ amount: string }>(
    `SELECT coalesce(-sum(p.amount), 0)::text AS amount FROM ledger_entries e JOIN ledger_postings p ON p.entry_id = e.id
     WHERE e.store_id = $1 AND p.account = $2`,
    [scene.storeId, account],
  );
  return BigInt(rows[0]?.amount ?? 0) / UNITS_PER_CENT;
}

describe('the costs of a payout', () => {
  it('are reserved with its amount and earned when it has arrived, once, and the whole amount arrives', async () => {
    await set();
    const id = await scene.request({ amount: 500n });
    expect(await scene.read(id)).toMatchObject({ amount: 500n, fee: 20n, networkCost: 30n });
    expect(await scene.balance('payout')).toBe(550n * UNITS_PER_CENT);
    expect(await earned('fees')).toBe(0n);
    chain.outcome = 'landed';
    expect(await scene.untilEnded(id)).toMatchObject({ status: 'completed' });
    expect(await scene.balance('payout')).toBe(0n);
    expect(await scene.balance('store')).toBe((PAID - 550n) * UNITS_PER_CENT);
    expect([await earned('fees'), await earned('cost_recovery')]).toEqual([20n, 30n]);
    await scene.pass();
    expect(await earned('fees')).toBe(20n);
    expect(await brokenBooks()).toEqual([]);
  });

  it('go back to the store with the amount when it is canceled', async () => {
    await set();
    const id = await scene.request({ amount: 500n });
    expect(await scene.cancel(id)).toBe(true);
    expect(await scene.balance('store')).toBe(PAID * UNITS_PER_CENT);
    expect([await earned('fees'), await earned('cost_recovery')]).toEqual([0n, 0n]);
    expect(await brokenBooks()).toEqual([]);
  });

  it('have to be covered: the whole balance is refused, what is left beside the costs is not', async () => {
    await set();
    const costs = (amount: bigint) => (amount * 100n) / 10_000n + 5n;
    expect(await scene.tryRequest({ amount: PAID })).toEqual({
      refused: {
        ...{ code: 'balance', missing: costs(PAID) + 30n, costs: { fee: costs(PAID), networkCost: 30n } },
        ...{ pending: 0n, reserve: 0n },
      },
    });
    expect(await db.prisma.payout.count({ where: { storeId: scene.storeId } })).toBe(0);
    const most = mostPayable(
      { ...TERMS, prices: TERMS.networkCosts },
      { network: scene.sending.network, available: PAID },
    );
    expect(await scene.tryRequest({ amount: most })).toHaveProperty('id');
  });

  it('are never more than the requester agreed to, and a repeated request gets its payout whatever it costs now', async () => {
    await set();
    const agreed = (mostCosts: bigint, payoutId: string) =>
      requestPayout(
        scene.context,
        { storeId: scene.storeId, environment: 'test', record: async () => {} },
        { payoutId, amount: 500n, currency: 'USDT', network: scene.sending.network, description: null },
        mostCosts,
      );
    expect(await agreed(49n, 'po-1')).toEqual({ refused: { code: 'costs', costs: { fee: 20n, networkCost: 30n } } });
    expect(await scene.balance('payout')).toBe(0n);
    const made = await agreed(50n, 'po-1');
    await set({ terms: { ...TERMS, minimum: 90n } });
    expect(await agreed(50n, 'po-1')).toEqual(made);
    expect(await agreed(50n, 'po-2')).toMatchObject({ refused: { code: 'costs' } });
  });

  it('stay as they were requested when the rate changes, also for a repeated request', async () => {
    await set();
    const id = await scene.request({ payoutId: 'po-1' });
    await set({ terms: { ...TERMS, minimum: 90n } });
    expect(await scene.request({ payoutId: 'po-1' })).toBe(id);
    expect(await scene.read(id)).toMatchObject({ fee: 20n });
    chain.outcome = 'landed';
    await scene.untilEnded(id);
    expect(await earned('fees')).toBe(20n);
  });

  it('cannot be changed by what can write to the payout', async () => {
    await set();
    const id = await scene.request();
    for (const column of ['fee', 'network_cost', 'rate_id'])
      await expect(db.pool.query(`UPDATE payouts SET ${column} = 0 WHERE id = $1`, [id])).rejects.toThrow(
        /append-only/,
      );
    await expect(db.pool.query('UPDATE payout_rates SET fixed = 0')).rejects.toThrow(/append-only/);
  });
});

describe('the rate of a store', () => {
  it('is its own, or else that of all stores, and its own ends by a decision too', async () => {
    expect(await rateNow()).toBeNull();
    await set({ storeId: null, terms: { ...TERMS, fixed: 1n } });
    expect(await rateNow()).toMatchObject({ fixed: 1n });
    await set({ terms: { ...TERMS, fixed: 2n } });
    expect(await rateNow()).toMatchObject({ fixed: 2n });
    await set({ terms: null });
    expect(await rateNow()).toMatchObject({ fixed: 1n });
    await set({ storeId: null, terms: { basisPoints: 0n, fixed: 0n, minimum: 0n, networkCosts: {}, atCost: {} } });
  });

  it('that starts later counts from then on, and the store sees it before', async () => {
    const startsAt = new Date(time.now + 60_000);
    await set({ terms: { ...TERMS, fixed: 1n } });
    await set({ terms: { ...TERMS, fixed: 2n }, startsAt });
    expect(await rateNow()).toMatchObject({ fixed: 1n });
    const next = () => readNextRate(db.pool, { storeId: scene.storeId, at: clock.now() });
    expect(await next()).toMatchObject({ startsAt, rate: { fixed: 2n } });
    time.now += 60_000;
    expect(await rateNow()).toMatchObject({ fixed: 2n });
    expect(await next()).toBeNull();
    await set({ storeId: null, startsAt: new Date(time.now + 60_000) });
    expect(await next()).toBeNull();
  });

  it('is replaced by a later decision even if that one was planned for a later time', async () => {
    await set({ terms: { ...TERMS, fixed: 1n }, startsAt: new Date(time.now + 60_000) });
    await set({ terms: { ...TERMS, fixed: 2n } });
    time.now += 61_000;
    expect(await rateNow()).toMatchObject({ fixed: 2n });
  });

  it('is listed with all decisions, the newest first, and those of all stores apart', async () => {
    await set();
    await set({ terms: null });
    const own = await listRates(db.pool, { storeId: scene.storeId, limit: 10 });
    expect(own).toMatchObject([
      { terms: null, createdBy: OPERATOR.by },
      { terms: TERMS, startsAt: clock.now() },
    ]);
    const ofAll = await listRates(db.pool, { storeId: null, limit: 10 });
    expect(ofAll.map(({ id }) => id)).not.toContain(own[0]?.id);
  });

  it('is refused for an unknown store, and for all stores without terms', async () => {
    await expect(set({ storeId: 'st_unknown' })).rejects.toMatchObject({ code: 'STORE_NOT_FOUND' });
    await expect(set({ storeId: null, terms: null })).rejects.toMatchObject({ code: 'INVALID_PARAMETER' });
  });
});

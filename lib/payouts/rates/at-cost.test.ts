// The network cost of payouts at cost: from what the last paid payouts cost, on a real database with the real signer and a simulated chain.

import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkBooks } from '@/lib/ledger/invariants/check';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openPayoutChain } from '@/testing/payouts/payout-chain';
import { openPayoutScene, type PayoutScene } from '@/testing/payouts/payout-scene';
import { openRefundScene } from '@/testing/refunds/refund-scene';
import { mostPayable, type RateTerms } from './rate';
import { readRate } from './read';
import { setRate } from './set';

const UNITS_PER_CENT = 10_000n;
const MILLI_ETH = 10n ** 15n;
const BOUND = 200n;
const TERMS: RateTerms = {
  ...{ basisPoints: 100n, fixed: 5n, minimum: 20n },
  ...{ networkCosts: { bsc: 7n }, atCost: { ethereum: BOUND } },
};
const OPERATOR = { by: 'user:00000000-0000-4000-8000-000000000001', address: '127.0.0.1' };
const DAY = 86_400_000;
const { time, clock, chain, sender, spec: evm, restart } = openPayoutChain();

let db: TestDatabase;
let scene: PayoutScene;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(async () => {
  restart();
  // Those of earlier tests are too old to count.
  await db.pool.query(`UPDATE payouts SET processed_at = '2000-01-01' WHERE status = 'completed'`);
  scene = openPayoutScene(await openRefundScene({ db, clock, spec: evm, sender }));
  await scene.session();
  await scene.address(`0x${'a1'.repeat(20)}`);
  await setRate(scene.context, { storeId: scene.storeId, terms: TERMS, startsAt: null }, OPERATOR);
  await priceOf('3000');
});

/** Dollars for one ETH, agreed on now. */
const priceOf = (price: string, at = clock.now()) =>
  db.pool.query(
    `INSERT INTO coin_prices (coin, price, agreed_at) VALUES ('ETH', $1, $2)
     ON CONFLICT (coin) DO UPDATE SET price = EXCLUDED.price, agreed_at = EXCLUDED.agreed_at`,
    [price, at],
  );
const rateNow = () => readRate(db.pool, { storeId: scene.storeId, environment: 'test', at: clock.now() });
const priceNow = async () => (await rateNow())?.prices.ethereum;

/** Pays out a dollar for this fee, in wei. */
async function pay(fee: bigint | undefined): Promise<void> {
  chain.fee = fee;
  chain.outcome = 'landed';
  expect(await scene.untilEnded(await scene.request({ amount: 100n }))).toMatchObject({ status: 'completed' });
  time.now += 1000;
}

it('whatever payouts cost, the balance falls by amount, fee and network cost, and the most payable is exact', async () => {
  const given = fc.record({
    price: fc
      .integer({ min: 1, max: 99_999_999 })
      .map((milli) => `${Math.floor(milli / 1000)}.${String(milli % 1000).padStart(3, '0')}`),
    fee: fc.bigInt({ min: 0n, max: MILLI_ETH }),
    taken: fc.bigInt({ min: 100n, max: 900n }),
  });
  await fc.assert(
    fc.asyncProperty(given, async ({ price, fee, taken }) => {
      await priceOf(price);
      await pay(fee);
      const before = await scene.balance('store');
      const id = await scene.request({ amount: taken });
      const made = await scene.read(id);
      const total = (taken + made.fee + made.networkCost) * UNITS_PER_CENT;
      expect(await scene.balance('store')).toBe(before - total);
      expect(made.networkCost).toBeLessThanOrEqual(BOUND);
      const available = (before - total) / UNITS_PER_CENT;
      const most = mostPayable(await rateNow(), { network: 'ethereum', available });
      expect(await scene.tryRequest({ amount: most + 1n })).toMatchObject({ refused: { code: 'balance' } });
      const all = await scene.request({ amount: most });
      for (const one of [all, id]) expect(await scene.cancel(one)).toBe(true);
      expect(await scene.balance('store')).toBe(before);
      // Fifty payouts a day are a store's limit.
      time.now += 2 * DAY;
    }),
    { numRuns: 15 },
  );
  const broken = (await checkBooks(db.pool)).filter(({ id, count }) => count > 0 && /^INV-(2|3|4)/.test(id));
  expect(broken).toEqual([]);
});

describe('the price at cost', () => {
  it('is what the last payouts cost on average at the price of the coin now, rounded down, and fixed in the next one', async () => {
    await pay(MILLI_ETH / 10n);
    // 0.0001 ETH is 30 cents.
    expect(await priceNow()).toBe(30n);
    await pay(MILLI_ETH / 5n);
    expect(await priceNow()).toBe(45n);
    await priceOf('3059');
    // 45.885 cents.
    const id = await scene.request({ amount: 500n });
    await priceOf('6000');
    expect(await scene.read(id)).toMatchObject({ networkCost: 45n, fee: 20n, rateId: expect.any(BigInt) });
    expect(await priceNow()).toBe(90n);
  });

  it('is at most what the operator bounds it to, and another network keeps its fixed price', async () => {
    await pay(MILLI_ETH);
    expect(await rateNow()).toMatchObject({ prices: { ethereum: BOUND, bsc: 7n } });
  });

  it('counts the last ten payouts of thirty days, and no other store’s environment or network', async () => {
    await pay(MILLI_ETH / 2n);
    for (let count = 0; count < 10; count++) await pay(MILLI_ETH / 10n);
    expect(await priceNow()).toBe(30n);
    await db.pool.query(
      `UPDATE payouts SET processed_at = processed_at - interval '30 days' WHERE network = 'ethereum'`,
    );
    expect(await priceNow()).toBeUndefined();
    expect(await readRate(db.pool, { storeId: scene.storeId, environment: 'live', at: clock.now() })).toMatchObject({
      prices: { bsc: 7n },
    });
  });

  it('counts every attempt of a payout, and leaves out the rent of an account that it opened', async () => {
    await pay(MILLI_ETH / 10n);
    const attempt = (number: number, status: string, fee: bigint, rent: bigint) =>
      db.pool.query(
        `INSERT INTO refund_attempts (intent_id, number, chain_id, status, draft, hash, bytes, validity, drafted_at,
           signed_at, ended_at, block_number, block_hash, fee, rent)
         SELECT intent_id, $1::int, chain_id, $2::"AttemptStatus", draft, hash || $1::int, bytes, validity, drafted_at, signed_at, ended_at,
           block_number, block_hash, $3, $4 FROM refund_attempts
         WHERE number = 1 AND intent_id = (SELECT id FROM payouts ORDER BY processed_at DESC LIMIT 1)`,
        [number, status, fee, rent],
      );
    await attempt(2, 'reverted', MILLI_ETH / 20n, MILLI_ETH);
    expect(await priceNow()).toBe(45n);
    await attempt(3, 'landed', MILLI_ETH, MILLI_ETH - MILLI_ETH / 100n);
    expect(await priceNow()).toBe(48n);
  });

  it.each([
    ['no payout was paid', async () => {}],
    [
      'the coin has no price',
      async () => {
        await pay(MILLI_ETH / 10n);
        await db.pool.query(`DELETE FROM coin_prices WHERE coin = 'ETH'`);
      },
    ],
    [
      'the price of the coin is a day old',
      async () => {
        await pay(MILLI_ETH / 10n);
        await priceOf('3000', new Date(clock.now().getTime() - DAY));
      },
    ],
    [
      'no fee is known',
      async () => {
        await pay(undefined);
      },
    ],
  ])('is not known when %s: the payout goes on and the operator pays', async (_, given) => {
    await given();
    expect(await priceNow()).toBeUndefined();
    const id = await scene.request({ amount: 500n });
    expect(await scene.read(id)).toMatchObject({ networkCost: 0n, fee: 20n });
  });
});

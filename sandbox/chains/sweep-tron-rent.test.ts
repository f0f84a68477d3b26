// Sweeps on the local TRON chain with rented energy: a market that lends, is late, lends too little or nothing, loses answers or refuses.

import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startEnergyMarket, type TestMarket } from '@/testing/sweeps/energy-market';
import { TRX, type TronSceneGiven } from '@/testing/sweeps/tron-scene';
import { STAKE, useTronSweeps } from '@/testing/sweeps/use-tron-sweeps';

const { open, chain, kindsOf, expectSweptOnce } = useTronSweeps();
const markets: TestMarket[] = [];
let market: TestMarket;
beforeEach(async () => {
  market = await startEnergyMarket(chain());
  markets.push(market);
});
afterEach(() => void (market.mode = 'lends'));
afterAll(() => Promise.all(markets.map((one) => one.stop())));

const LIMITS = { maxPrice: 50n, perHour: 1000n * TRX };
async function scene(given: Partial<TronSceneGiven> = {}, limits: Partial<typeof LIMITS> = {}) {
  const renting = { ...LIMITS, ...limits, market: market.client };
  return open({ ...given, changes: { renting, ...given.changes } });
}
type Scene = Awaited<ReturnType<typeof scene>>;

/** Rounds in which rented energy is looked at again. */
async function rounds(one: Scene, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    one.later(6);
    await one.round();
  }
}

const rentals = async ({ db }: Scene) =>
  (
    await db.pool.query(
      'SELECT outcome, placed_at IS NOT NULL AS placed, energy::text, cost::text FROM energy_rentals ORDER BY ordered_at',
    )
  ).rows;

describe('with a market and no stake', () => {
  it('rents the energy of each transfer once, burns no coin for it, and keeps what it cost', async () => {
    const one = await scene();
    const sessions = await one.paid(3);
    await rounds(one, 8);
    await expectSweptOnce(one, sessions);
    const kinds = await kindsOf(one);
    expect(kinds.filter((kind) => kind.startsWith('top_up'))).toEqual([]);
    expect(market.orders.map(({ receive_address: address }) => address).toSorted()).toEqual(
      sessions.map(({ address }) => address).toSorted(),
    );
    for (const row of await rentals(one)) {
      expect(row).toMatchObject({ outcome: 'arrived', placed: true, cost: String(BigInt(row.energy) * 28n) });
    }
    expect((await one.sweeps()).filter(({ kind }) => kind === 'transfer').map(({ fee }) => fee)).toEqual([
      '0',
      '0',
      '0',
    ]);
  });

  it('has the fee limit of burned energy also where rented energy pays, because the network caps both by it', async () => {
    const one = await scene();
    const sessions = await one.paid(1);
    await rounds(one, 6);
    await expectSweptOnce(one, sessions);
    const [transfer] = (await one.sweeps()).filter(({ kind }) => kind === 'transfer');
    const [{ energy }] = (await rentals(one)) as [{ energy: string }];
    expect(transfer).toMatchObject({ status: 'final', fee: '0' });
    // The order has a reserve of five percent; the local chain's price is 100 sun.
    const limit = BigInt((transfer!.terms as { feeLimit: string }).feeLimit);
    expect(limit).toBeGreaterThan((BigInt(energy) * 100n * 120n) / 105n);
  });

  it('waits for energy that comes late, and orders no second one meanwhile', async () => {
    market.mode = 'late';
    const one = await scene();
    const sessions = await one.paid(1);
    await rounds(one, 6);
    expect(await one.held(sessions[0]!.address)).toBeGreaterThan(0n);
    await market.deliver();
    await rounds(one, 3);
    await expectSweptOnce(one, sessions);
    expect(market.orders).toHaveLength(1);
  });

  it.each(['short', 'never'] as const)('burns coin for what does not come in time: %s', async (mode) => {
    market.mode = mode;
    const one = await scene();
    const sessions = await one.paid(1);
    await rounds(one, 3);
    one.later(130);
    // A second order of the same day would be allowed, but not at this price.
    market.price = 1000;
    await rounds(one, 5);
    await expectSweptOnce(one, sessions);
    expect(market.orders).toHaveLength(1);
    expect(await rentals(one)).toMatchObject([{ outcome: 'missing', placed: true }]);
    expect((await kindsOf(one)).filter((kind) => kind === 'top_up final')).toHaveLength(1);
  });

  it('gets no further order within the hour in which three did not come', async () => {
    const one = await scene();
    const [first] = await one.paid(1);
    await rounds(one, 4);
    market.mode = 'never';
    const others = await one.paid(3);
    await rounds(one, 3);
    expect(market.orders).toHaveLength(4);
    one.later(130);
    await rounds(one, 6);
    const last = await one.paid(1);
    await rounds(one, 6);
    await expectSweptOnce(one, [first!, ...others, ...last]);
    expect(market.orders).toHaveLength(4);
  });

  it('pays once for an order whose answer was lost', async () => {
    market.mode = 'loses_answers';
    const one = await scene();
    const sessions = await one.paid(1);
    await rounds(one, 2);
    expect(await rentals(one)).toMatchObject([{ outcome: null, placed: false }]);
    market.mode = 'lends';
    await rounds(one, 4);
    await expectSweptOnce(one, sessions);
    expect(market.orders).toHaveLength(1);
  });

  it('orders again once the market says that it never got the order', async () => {
    market.mode = 'drops';
    const one = await scene();
    const sessions = await one.paid(1);
    await rounds(one, 2);
    expect(market.orders).toHaveLength(0);
    market.mode = 'lends';
    one.later(70);
    one.later(60);
    await rounds(one, 1);
    expect(await rentals(one)).toMatchObject([{ outcome: 'missing', placed: false }]);
    await rounds(one, 6);
    await expectSweptOnce(one, sessions);
  });

  it.each(['refuses', 'away'] as const)('burns coin as without a market when it %s', async (mode) => {
    market.mode = mode;
    const one = await scene();
    const sessions = await one.paid(2);
    await rounds(one, 6);
    await expectSweptOnce(one, sessions);
    expect(market.orders).toEqual([]);
    expect((await kindsOf(one)).filter((kind) => kind === 'top_up final')).toHaveLength(2);
  });

  it.each([
    ['above the highest price', { maxPrice: 27n }],
    ['above what an hour may cost', { perHour: 1n * TRX }],
  ])('burns coin when the energy is %s', async (_what, limits) => {
    const one = await scene({}, limits);
    const sessions = await one.paid(1);
    await rounds(one, 4);
    await expectSweptOnce(one, sessions);
    expect(market.orders).toEqual([]);
  });

  it('rents nothing for a transfer whose fee limit would be above the cap of the network', async () => {
    const one = await scene({}, { maxPrice: 5000n });
    const sessions = await one.paid(1);
    await one.setEnergyPrice(1000n);
    await rounds(one, 3);
    expect(await one.hold()).toBe('fee_too_high');
    expect(market.orders).toEqual([]);
    expect(await one.held(sessions[0]!.address)).toBeGreaterThan(0n);
  });

  it('orders nothing for an hour after the market took more than its highest price', async () => {
    market.takes = 60;
    const one = await scene();
    const sessions = await one.paid(1);
    await rounds(one, 4);
    expect(market.orders).toHaveLength(1);
    const others = await one.paid(2);
    await rounds(one, 5);
    await expectSweptOnce(one, [...sessions, ...others]);
    expect(market.orders).toHaveLength(1);
  });

  it('asks for the price once for all addresses of a run that need as much', async () => {
    const one = await scene();
    const [first] = await one.paid(1);
    await rounds(one, 4);
    const before = market.prices;
    const others = await one.paid(4);
    // They are activated first, and rent in the second of these runs. The price of the plan is for another amount.
    await one.rounds(1);
    await one.sweep();
    expect(market.orders).toHaveLength(5);
    expect(market.prices - before).toBeLessThanOrEqual(4);
    await rounds(one, 5);
    await expectSweptOnce(one, [first!, ...others]);
  });

  it('burns coin when that is cheaper', async () => {
    const one = await scene({}, { maxPrice: 500n });
    market.price = 200;
    const sessions = await one.paid(1);
    await rounds(one, 4);
    await expectSweptOnce(one, sessions);
    expect(market.orders).toEqual([]);
  });

  it('two workers at once order once', async () => {
    const one = await scene();
    const sessions = await one.paid(2);
    await Promise.all([one.sweep(), one.sweep(), one.sweep()]);
    await one.makeFinal();
    await rounds(one, 8);
    await expectSweptOnce(one, sessions);
    expect(market.orders).toHaveLength(2);
  });

  it('activates an address first that has no account', async () => {
    const one = await scene({ changes: {} });
    const sessions = await one.paid(1);
    await rounds(one, 6);
    await expectSweptOnce(one, sessions);
    expect((await kindsOf(one))[0]).toBe('activate final');
  });

  it('rents what is worth it where burning is not', async () => {
    const one = await scene({ changes: { burnFrom: 20_000n }, rules: { deadline: 30 * 86_400_000 } });
    const sessions = await one.paid(1);
    await rounds(one, 6);
    await expectSweptOnce(one, sessions);
    expect(market.orders).toHaveLength(1);
  });
});

it('lends from the stake first where there is one', async () => {
  const one = await scene({ stake: STAKE });
  const sessions = await one.paid(2);
  await rounds(one, 9);
  await expectSweptOnce(one, sessions);
  expect(market.orders).toEqual([]);
});

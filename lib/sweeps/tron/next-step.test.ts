import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextStep, type Facts, type Step } from './next-step';

const TRX = 1_000_000n;
const PRICES = { energy: 100n, bandwidth: 1000n, activation: 1_100_000n };
/** The main network's daily energy and stakes. */
const TOTAL = { energy: 180_000_000_000n, staked: 19_000_000_000n };
const ENERGY = 64_285n;
const BURNED = ENERGY * 100n;
/** Sun of a stake that gives the energy and a twentieth more. */
const LENT = 7_124_919_000n;

const NEW = { isActive: false, coin: 0n, energy: 0n, bandwidth: 0n };
const ACTIVE = { ...NEW, isActive: true, bandwidth: 600n };
const stepOf = (deposit: Facts['deposit'], given: { lendable?: bigint; mayBurn?: (cost: bigint) => boolean } = {}) =>
  nextStep({
    ...{ deposit, energy: ENERGY, prices: PRICES },
    sponsor: { lendable: given.lendable ?? 0n, total: TOTAL },
    mayBurn: given.mayBurn ?? (() => true),
  });

describe('with a stake that can lend enough', () => {
  const lendable = 8000n * TRX;
  test('a new address gets an account first, then energy, and then sends its money', () => {
    expect(stepOf(NEW, { lendable })).toEqual({ kind: 'activate' });
    const step = stepOf(ACTIVE, { lendable });
    expect(step.kind).toBe('delegate');
    const { balance } = step as Extract<Step, { kind: 'delegate' }>;
    expect(balance).toBeGreaterThanOrEqual(LENT);
    expect(balance).toBeLessThan(LENT + TRX);
    expect(stepOf({ ...ACTIVE, energy: ENERGY }, { lendable })).toEqual({ kind: 'transfer' });
  });

  test('only the energy that is missing is lent, and at least one TRX', () => {
    expect(stepOf({ ...ACTIVE, energy: ENERGY - 1n }, { lendable })).toEqual({ kind: 'delegate', balance: TRX });
  });

  test('it is lent although the money would be worth burning', () => {
    expect(stepOf(ACTIVE, { lendable, mayBurn: () => true }).kind).toBe('delegate');
  });

  test('an address without bandwidth gets coin for it besides its energy, also if burning energy is not worth it', () => {
    const spent = { ...ACTIVE, bandwidth: 344n, energy: ENERGY };
    const mayBurn = () => false;
    expect(stepOf(spent, { lendable, mayBurn })).toEqual({ kind: 'top_up', amount: 345_000n });
    expect(stepOf({ ...spent, coin: 345_000n }, { lendable, mayBurn })).toEqual({ kind: 'transfer' });
  });
});

describe('without enough stake', () => {
  const lendable = LENT - 1n;
  test('an address gets exactly the coin that its transfer burns, with which it sends its money', () => {
    for (const deposit of [NEW, ACTIVE])
      expect(stepOf(deposit, { lendable })).toEqual({ kind: 'top_up', amount: BURNED });
    expect(stepOf({ ...ACTIVE, coin: BURNED - 1n }, { lendable })).toEqual({ kind: 'top_up', amount: 1n });
    expect(stepOf({ ...ACTIVE, coin: BURNED }, { lendable })).toEqual({ kind: 'transfer' });
  });

  test('it waits if the money is not worth that, with the account of a new address', () => {
    const costs: bigint[] = [];
    const mayBurn = (cost: bigint) => costs.push(cost) < 0;
    expect(stepOf(NEW, { lendable, mayBurn })).toEqual({ kind: 'wait' });
    expect(stepOf(ACTIVE, { lendable, mayBurn })).toEqual({ kind: 'wait' });
    expect(costs).toEqual([BURNED + 1_100_000n, BURNED]);
  });

  test('coin that is there already is used', () => {
    expect(stepOf({ ...ACTIVE, coin: 40n * TRX }, { mayBurn: () => false })).toEqual({ kind: 'transfer' });
  });

  test('a network on which nothing is staked lends nothing', () => {
    const sponsor = { lendable: 10n ** 15n, total: { energy: 0n, staked: 0n } };
    const facts = { deposit: ACTIVE, energy: ENERGY, prices: PRICES, sponsor, mayBurn: () => true };
    expect(nextStep(facts)).toEqual({ kind: 'top_up', amount: BURNED });
  });
});

test('whatever an address has, it sends its money after at most three steps, and nothing of the coin is left', () => {
  const amount = (max: bigint) => fc.bigInt({ min: 0n, max });
  const deposits = fc.record({
    isActive: fc.boolean(),
    coin: amount(BURNED),
    energy: amount(ENERGY),
    bandwidth: amount(600n),
  });
  fc.assert(
    fc.property(deposits, amount(10_000n * TRX), (given, lendable) => {
      let deposit = given.isActive ? given : NEW;
      for (let steps = 0; steps < 4; steps++) {
        const step = stepOf(deposit, { lendable });
        if (step.kind === 'transfer') {
          const missing = ENERGY > deposit.energy ? ENERGY - deposit.energy : 0n;
          const left = deposit.coin - missing * 100n - (deposit.bandwidth < 345n ? 345_000n : 0n);
          return void expect(left === 0n || deposit.coin === given.coin).toBe(true);
        }
        if (step.kind === 'activate') deposit = ACTIVE;
        if (step.kind === 'delegate')
          deposit = { ...deposit, energy: deposit.energy + (step.balance * TOTAL.energy) / (TOTAL.staked * TRX) };
        if (step.kind === 'top_up')
          deposit = { ...(deposit.isActive ? deposit : ACTIVE), coin: deposit.coin + step.amount };
      }
      throw new Error('it never sends its money');
    }),
  );
});

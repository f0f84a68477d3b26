import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAffordable, isWorth, nextBatch, rulesOf, type Candidate } from './rules';

const NOW = new Date('2026-11-28T12:00:00Z');
const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const MOST_ADDRESSES = 50;
const ethereum = rulesOf({ chain: 'mainnet', network: 'ethereum' });
const bsc = rulesOf({ chain: 'mainnet', network: 'bsc' });
const solana = rulesOf({ chain: 'mainnet', network: 'solana' });

const candidate = (index: number, cents: bigint, age: number, currency = 'USDT'): Candidate => ({
  address: `0x${index.toString(16).padStart(40, '0')}`,
  addressIndex: index,
  evmAddress: '0x',
  factory: null,
  sessionId: `session-${index}`,
  currency,
  decimals: 6,
  amount: cents * 10_000n,
  cents,
  since: new Date(NOW.getTime() - age),
  readyAt: new Date(NOW.getTime() - 60 * DAY),
  skips: 0,
});
const holds = (cents: bigint, age: number) => ({ cents, since: new Date(NOW.getTime() - age) });

describe('an address', () => {
  it('is swept when it holds a hundred times the cost on Ethereum, and at least five dollars', () => {
    expect(isWorth(ethereum, holds(500n, HOUR), 5n, NOW)).toBe(true);
    expect(isWorth(ethereum, holds(499n, HOUR), 1n, NOW)).toBe(false);
    expect(isWorth(ethereum, holds(599n, HOUR), 6n, NOW)).toBe(false);
  });

  it('may cost up to a fiftieth of its money after the deadline', () => {
    expect(isWorth(ethereum, holds(500n, DAY - 1), 10n, NOW)).toBe(false);
    expect(isWorth(ethereum, holds(500n, DAY), 10n, NOW)).toBe(true);
    expect(isWorth(ethereum, holds(500n, DAY), 11n, NOW)).toBe(false);
  });

  it('with dust waits for thirty days, and then for twice the cost', () => {
    expect(isWorth(ethereum, holds(12n, 29 * DAY), 6n, NOW)).toBe(false);
    expect(isWorth(ethereum, holds(12n, 30 * DAY), 6n, NOW)).toBe(true);
    expect(isWorth(ethereum, holds(11n, 30 * DAY), 6n, NOW)).toBe(false);
    expect(isWorth(ethereum, holds(0n, 400 * DAY), 0n, NOW)).toBe(false);
  });

  const arbitrary = fc.record({
    cents: fc.bigInt(0n, 10_000_000n),
    cost: fc.bigInt(0n, 100_000n),
    age: fc.integer({ min: 0, max: 60 * DAY }),
    more: fc.bigInt(0n, 1_000_000n),
    later: fc.integer({ min: 0, max: 40 * DAY }),
  });
  it.each([
    ['Ethereum', ethereum],
    ['BSC', bsc],
  ])('that is worth a sweep on %s stays so with more money, at a lower price and when it is older', (_, rules) => {
    fc.assert(
      fc.property(arbitrary, ({ cents, cost, age, more, later }) => {
        if (!isWorth(rules, holds(cents, age), cost, NOW)) return;
        expect(isWorth(rules, holds(cents + more, age), cost, NOW)).toBe(true);
        expect(isWorth(rules, holds(cents, age), cost > more ? cost - more : 0n, NOW)).toBe(true);
        expect(isWorth(rules, holds(cents, age + later), cost, NOW)).toBe(true);
      }),
    );
  });

  it('is worth a sweep on Solana from one cent on, because its rent comes back', () => {
    expect(isWorth(solana, holds(1n, 0), 1n, NOW)).toBe(true);
    expect(isWorth(solana, holds(0n, 400 * DAY), 1n, NOW)).toBe(false);
  });

  it('never costs more than half of what it holds', () => {
    fc.assert(
      fc.property(arbitrary, ({ cents, cost, age }) => {
        for (const rules of [ethereum, bsc])
          if (isWorth(rules, holds(cents, age), cost, NOW)) expect(cents >= 2n * cost && cents > 0n).toBe(true);
      }),
    );
  });
});

describe('a batch', () => {
  const batch = (candidates: readonly Candidate[], cost = 5n, lacked: readonly string[] = []) =>
    nextBatch(ethereum, candidates, { cost, now: NOW, most: MOST_ADDRESSES, lacked: new Set(lacked) });

  it('waits while it is small, young and cheap', () => {
    expect(batch([candidate(1, 2000n, 59 * MINUTE), candidate(2, 2000n, MINUTE)])).toEqual([]);
    expect(batch([])).toEqual([]);
  });

  it('goes when its oldest payment is an hour old, with the younger ones', () => {
    expect(
      batch([candidate(1, 2000n, MINUTE), candidate(2, 2000n, HOUR)]).map(({ addressIndex }) => addressIndex),
    ).toEqual([2, 1]);
  });

  it('waits from the time at which its addresses could be swept, so that it has as many as became ready together', () => {
    const readyFor = (index: number, age: number) => ({
      ...candidate(index, 2000n, DAY),
      readyAt: new Date(NOW.getTime() - age),
    });
    expect(batch([readyFor(1, 59 * MINUTE), readyFor(2, MINUTE)])).toEqual([]);
    expect(batch([readyFor(1, HOUR), readyFor(2, MINUTE)])).toHaveLength(2);
  });

  it('goes at five thousand dollars', () => {
    expect(batch([candidate(1, 499_999n, MINUTE)])).toEqual([]);
    expect(batch([candidate(1, 499_999n, MINUTE), candidate(2, 500n, MINUTE)])).toHaveLength(2);
  });

  it('goes with fifty addresses, and the oldest fifty of more', () => {
    const many = Array.from({ length: MOST_ADDRESSES + 10 }, (_, n) => candidate(n, 600n, MINUTE + n));
    const chosen = batch(many);
    expect(chosen).toHaveLength(MOST_ADDRESSES);
    expect(chosen[0]?.addressIndex).toBe(MOST_ADDRESSES + 9);
    expect(batch(many.slice(0, MOST_ADDRESSES - 1))).toEqual([]);
  });

  it('has one token, and the other token has its turn when this one waits', () => {
    const chosen = batch([candidate(1, 2000n, 50 * MINUTE), candidate(2, 600_000n, MINUTE, 'USDC')]);
    expect(chosen.map(({ currency }) => currency)).toEqual(['USDC']);
  });

  it('goes at once when the refund wallet lacks its token, and not when it lacks another one', () => {
    const young = [candidate(1, 2000n, MINUTE), candidate(2, 2000n, MINUTE, 'USDC')];
    const currencies = (lacked: readonly string[]) => batch(young, 5n, lacked).map(({ currency }) => currency);
    expect(['USDT', 'USDC', 'DAI'].map((one) => currencies([one]))).toEqual([['USDT'], ['USDC'], []]);
  });

  it('leaves out dust and what is not worth its fee, also when the refund wallet lacks its token', () => {
    expect(batch([candidate(1, 499n, MINUTE)], 1n, ['USDT'])).toEqual([]);
    expect(batch([candidate(1, 2000n, MINUTE)], 21n, ['USDT'])).toEqual([]);
    expect(batch([candidate(1, 2000n, MINUTE)], 20n, ['USDT'])).toHaveLength(1);
  });

  it('leaves out dust, and is not held back by it', () => {
    const chosen = batch([candidate(1, 499n, 2 * HOUR), candidate(2, 2000n, HOUR)]);
    expect(chosen.map(({ addressIndex }) => addressIndex)).toEqual([2]);
  });

  it('has only addresses that are worth it, of one token, at most fifty and each once', () => {
    const candidates = fc.array(
      fc.record({ cents: fc.bigInt(0n, 1_000_000n), age: fc.integer({ min: 0, max: 40 * DAY }), other: fc.boolean() }),
      { maxLength: 120 },
    );
    fc.assert(
      fc.property(candidates, fc.bigInt(0n, 1000n), (found, cost) => {
        const all = found.map(({ cents, age, other }, n) => candidate(n, cents, age, other ? 'USDC' : 'USDT'));
        const chosen = batch(all, cost);
        expect(chosen.length).toBeLessThanOrEqual(MOST_ADDRESSES);
        expect(new Set(chosen.map(({ address }) => address)).size).toBe(chosen.length);
        expect(new Set(chosen.map(({ currency }) => currency)).size).toBeLessThanOrEqual(1);
        for (const one of chosen) expect(isWorth(ethereum, one, cost, NOW)).toBe(true);
      }),
    );
  });

  it('may turn out to cost a fiftieth of its money, or half of it if all of it is dust', () => {
    const [rich, dust] = [[candidate(1, 10_000n, HOUR)], [candidate(1, 100n, 40 * DAY)]];
    expect([isAffordable(ethereum, rich, 200n), isAffordable(ethereum, rich, 201n)]).toEqual([true, false]);
    expect([isAffordable(ethereum, dust, 50n), isAffordable(ethereum, dust, 51n)]).toEqual([true, false]);
    expect(isAffordable(ethereum, rich, null)).toBe(true);
  });
});

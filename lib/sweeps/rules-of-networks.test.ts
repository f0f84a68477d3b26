// The rules of each network are those that operators read in docs/operate.md, to the cent and to the millisecond.

import { describe, expect, test } from 'vitest';
import { isAffordable, isWorth, leastDelay, leastWorth, nextBatch, rulesOf, type Candidate } from './rules';

const NOW = new Date('2026-11-28T12:00:00Z');
const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
/** A sweep that costs so much that the least of an address does not matter. */
const DEAR = 10_000n;
const ago = (age: number): Date => new Date(NOW.getTime() - age);
const holding = (cents: bigint, age = 0, index = 0): Candidate => ({
  ...{ address: `0x${index}`, addressIndex: index, sessionId: `session-${index}`, currency: 'USDT', decimals: 6 },
  ...{ evmAddress: `0x${index}`, factory: null },
  ...{ amount: cents * 10_000n, cents, since: ago(age), readyAt: ago(60 * DAY), skips: 0 },
});

const RULES = [
  { network: 'ethereum', least: 500n, fees: 100n, count: 50, amount: 500_000n, wait: HOUR, late: DAY },
  { network: 'bsc', least: 100n, fees: 50n, count: 50, amount: 200_000n, wait: 15 * MINUTE, late: 6 * HOUR },
  { network: 'base', least: 100n, fees: 50n, count: 50, amount: 200_000n, wait: 15 * MINUTE, late: 6 * HOUR },
  { network: 'solana', least: 1n, fees: 0n, count: 6, amount: 100_000n, wait: 10 * MINUTE, late: 2 * HOUR },
  { network: 'tron', least: 500n, fees: 50n, count: 10, amount: 200_000n, wait: HOUR, late: DAY },
] as const;

describe.each(RULES)('on $network', ({ network, least, fees, count, amount, wait, late }) => {
  const rules = rulesOf({ chain: 'mainnet', network });
  const batchOf = (candidates: readonly Candidate[], most = 100) =>
    nextBatch(rules, candidates, { cost: 0n, now: NOW, most }).length;
  const many = (number: number, cents: bigint) => Array.from({ length: number }, (_, n) => holding(cents, MINUTE, n));

  test('an address is swept from the least amount on, and from the multiple of its fee on', () => {
    expect([isWorth(rules, holding(least), 0n, NOW), isWorth(rules, holding(least - 1n), 0n, NOW)]).toEqual([
      true,
      false,
    ]);
    const needed = fees * DEAR > least ? fees * DEAR : least;
    expect([isWorth(rules, holding(needed), DEAR, NOW), isWorth(rules, holding(needed - 1n), DEAR, NOW)]).toEqual([
      ...[true, false],
    ]);
  });

  test('a batch goes with so many addresses, or with as many as one transaction takes', () => {
    expect([batchOf(many(count, least)), batchOf(many(count - 1, least))]).toEqual([count, 0]);
    expect([batchOf(many(3, least), 3), batchOf(many(2, least), 3)]).toEqual([3, 0]);
  });

  test('a batch goes when it holds so much, or when an address waits so long', () => {
    expect([batchOf([holding(amount)]), batchOf([holding(amount - 1n)])]).toEqual([1, 0]);
    expect([batchOf([holding(least, wait)]), batchOf([holding(least, wait - 1)])]).toEqual([1, 0]);
  });

  test('a price above the usual one delays a sweep for so long at most', () => {
    expect(leastWorth(rules, 1n, NOW).late.before).toEqual(ago(late));
  });
});

test('on a local chain every cent is swept after two seconds, whatever it costs', () => {
  const rules = rulesOf({ chain: 'local', network: 'ethereum' });
  const batch = (cents: bigint, age: number) =>
    nextBatch(rules, [holding(cents, age)], { cost: DEAR, now: NOW, most: 50 });
  expect([batch(1n, 2000), batch(1n, 1999), batch(0n, 2000)].map(({ length }) => length)).toEqual([1, 0, 0]);
  expect(leastWorth(rules, DEAR, NOW).late).toEqual({ before: ago(10_000), cents: 1n });
});

test('an address on Solana waits for a day after its session, on other networks and local chains only as configured', () => {
  expect(leastDelay({ family: 'solana', chain: 'mainnet' })).toBe(DAY / 1000);
  expect(leastDelay({ family: 'solana', chain: 'local' })).toBe(0);
  expect(leastDelay({ family: 'evm', chain: 'mainnet' })).toBe(0);
});

test('a search for addresses knows the least amount for each age, which falls and is never zero', () => {
  const ethereum = rulesOf({ chain: 'mainnet', network: 'ethereum' });
  const limits = (usual: bigint, late: bigint, oldest: bigint) => ({
    usual,
    late: { before: ago(DAY), cents: late },
    oldest: { before: ago(30 * DAY), cents: oldest },
  });
  expect(leastWorth(ethereum, 100n, NOW)).toEqual(limits(10_000n, 5000n, 200n));
  expect(leastWorth(ethereum, 5n, NOW)).toEqual(limits(500n, 500n, 10n));
  expect(leastWorth(ethereum, 0n, NOW)).toEqual(limits(500n, 500n, 1n));
});

test('addresses of the same age go in the order of their indexes', () => {
  const rules = rulesOf({ chain: 'mainnet', network: 'ethereum' });
  const candidates = [3, 1, 2].map((index) => holding(5000n, HOUR, index));
  const batch = nextBatch(rules, candidates, { cost: 0n, now: NOW, most: 2 });
  expect(batch.map(({ addressIndex }) => addressIndex)).toEqual([1, 2]);
});

test('a batch counts as dust only while each of its addresses has less than the least amount', () => {
  const ethereum = rulesOf({ chain: 'mainnet', network: 'ethereum' });
  const affordable = (cost: bigint, ...cents: bigint[]) =>
    isAffordable(
      ethereum,
      cents.map((one) => holding(one)),
      cost,
    );
  expect([affordable(249n, 499n), affordable(250n, 499n)]).toEqual([true, false]);
  expect([affordable(10n, 500n), affordable(11n, 500n)]).toEqual([true, false]);
  expect([affordable(12n, 500n, 100n), affordable(13n, 500n, 100n)]).toEqual([true, false]);
});

test('a sweep on Solana is affordable at any fee, because the rent of the accounts comes back', () => {
  expect(isAffordable(rulesOf({ chain: 'mainnet', network: 'solana' }), [holding(1n)], DEAR)).toBe(true);
});

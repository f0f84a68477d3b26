// When a chain is scanned next: often while a payer waits, rarely otherwise, at once when a session opens, and never
// more often than the daily budget allows.

import { afterEach, describe, expect, it } from 'vitest';
import type { Head } from '@/lib/networks/chain';
import { networkSpec } from '@/lib/networks/networks';
import { openEvmAdapter } from '@/lib/networks/families/evm/adapter';
import type { FollowedChain } from '@/lib/networks/registry';
import { openRequestBudget, utcDay, type RequestBudget } from '@/lib/networks/endpoints/request-budget';
import { silentLog } from '@/testing/chain-clock';
import { IDLE_SCAN_MS, NO_LIMITS } from '@/lib/networks/endpoints/request-limits';
import { localEthereum, T0, useWatchedChain } from '@/testing/watching/watched-chain';
import { nextScanAt, openArrival } from './poll-interval';
import { watchStep } from './step';

const { clock, context, node, mine, pay, session, paymentsOf, pool, row } = useWatchedChain();
afterEach(async () => {
  await pool().query(`UPDATE sessions SET status = 'canceled', closed_at = now() WHERE status = 'pending'`);
});

/** The local chain followed as a main network is: its genesis is known and its requests cost something. */
const paidChain = (budget?: RequestBudget): FollowedChain => {
  const spec = { ...localEthereum, chain: 'mainnet', blockMs: 12_000, genesis: node().blocks[0]!.hash } as const;
  const budgets = budget && [budget];
  const adapter = openEvmAdapter({ spec, urls: [node().url], clock, log: silentLog(), budgets });
  return { environment: 'test', network: 'ethereum', spec, adapter, ...(budgets && { budgets }) };
};
const calls = () => [...node().calls.values()].reduce((sum, count) => sum + count, 0);
/** Runs steps like workers, for this many seconds of the clock. */
async function runFor(seconds: number, ...steps: ReturnType<typeof watchStep>[]): Promise<void> {
  for (let half = 0; half < seconds * 2; half++) {
    for (const step of steps) while ((await step(context())).more);
    clock.advance(500);
  }
}

/** The same for this many blocks at the usual interval. */
async function runBlocks(blocks: number, ...steps: ReturnType<typeof watchStep>[]): Promise<void> {
  for (let block = 0; block < blocks; block++) {
    node().mine([], clock.now().getTime() / 1000);
    await runFor(12, ...steps);
  }
}

describe('the watcher', () => {
  it('sends almost no requests while no session is open, and finds the payment of a new session within seconds', async () => {
    const step = watchStep(paidChain());
    await runFor(1, step);
    mine(40);
    node().calls.clear();
    await runFor(150, step);
    expect((await row()).is_idle).toBe(true);
    expect(calls()).toBeLessThan(30);
    expect(calls()).toBeGreaterThan(0);

    node().finalDepth = 8;
    const { id, address } = await session();
    pay(address);
    await runFor(1, step);
    expect((await paymentsOf(id)).unconfirmed).toEqual(['seen']);
    mine(8);
    await runFor(13, step);
    expect(await paymentsOf(id)).toMatchObject({ status: 'completed', entries: 1 });
  });

  it('credits a payment that arrives while it is idle', async () => {
    const { id, address } = await session();
    await pool().query(`UPDATE sessions SET status = 'canceled', closed_at = now() WHERE id = $1`, [id]);
    const step = watchStep(paidChain());
    await runFor(1, step);
    pay(address);
    mine(40);
    await runFor(130, step);
    expect((await paymentsOf(id)).transfers).toHaveLength(1);
  });

  it('sends no more requests with two workers than with one', async () => {
    await session();
    const costOf = async (workers: number) => {
      const steps = Array.from({ length: workers }, () => watchStep(paidChain()));
      await runFor(5, ...steps);
      node().calls.clear();
      await runBlocks(10, ...steps);
      return calls();
    };
    const [one, two] = [await costOf(1), await costOf(2)];
    expect(one).toBeGreaterThan(20);
    expect(two).toBeLessThan(one * 1.5);
  });

  it('slows down when the day’s budget runs low, instead of using it up', async () => {
    await session();
    clock.set(Math.ceil(T0 / 86_400) * 86_400 - 7200);
    const limits = { ...NO_LIMITS, perDay: 10_000 };
    const budget = openRequestBudget({ name: 'endpoint 1', limits, clock });
    budget.noteStored(utcDay(clock.now()), 8000);
    const step = watchStep(paidChain(budget));
    await runBlocks(50, step);
    // Ten minutes of the two hours for which 2,000 requests remain; at the usual interval it would be twice that.
    expect(budget.usedToday() - 8000).toBeLessThan(220);
    expect((await row()).trouble).toBeNull();
  });
});

describe('the next scan', () => {
  const spec = networkSpec('live', 'ethereum', 'public')!;
  const now = new Date(T0 * 1000);
  const block = (number: number, time: number) => ({ number, hash: '0x', parentHash: '0x', time });
  const head = (age: number): Head => ({ tip: block(100, T0 - age), final: block(36, T0 - age - 800) });
  const usual = { head: head(1), isOpen: true, awaited: null, arrivalMs: 800, trouble: null, budget: null, now };
  const inMs = (over: object, of = spec) =>
    (nextScanAt(of, { ...usual, ...over })?.getTime() ?? Number.NaN) - now.getTime();

  it('of a busy chain is at its next expected block, and soon again when that is late', () => {
    expect(inMs({})).toBe(11_800);
    expect(inMs({ head: head(12) })).toBe(800);
    expect(inMs({ head: head(13) })).toBe(1000);
    expect(inMs({ head: head(20) })).toBe(2000);
    expect(inMs({ head: head(-3600) })).toBe(12_000);
    expect(inMs({}, networkSpec('live', 'bsc', 'public')!)).toBe(2000);
  });

  it('waits for blocks as long as the endpoint needs for them, and not for a block that is missing', () => {
    const arrival = openArrival(spec);
    const after = (number: number, ageMs: number) =>
      arrival.after({ ...head(0), tip: block(number, T0) }, new Date(T0 * 1000 + ageMs));
    expect(after(100, 1000)).toBe(800);
    expect(after(100, 12_800)).toBe(1300);
    expect(after(101, 1300)).toBe(1280);
    expect(after(101, 17_000)).toBe(1280);
    for (let number = 102; number < 200; number++) after(number, 1300);
    expect(after(200, 1300)).toBe(800);
  });

  it('of busy Solana is earlier when a known transfer should become final', () => {
    const solana = networkSpec('live', 'solana', 'public')!;
    const until = (awaited: number | null) => inMs({ awaited }, solana);
    expect([until(null), until(66), until(40), until(37)]).toEqual([2400, 2400, 1600, 1000]);
  });

  it('of busy TRON is for unconfirmed transfers, and when a known one should become final', () => {
    const tron = networkSpec('live', 'tron', 'public')!;
    const tronHead = (age: number): Head => ({ tip: block(100, T0 - age), final: block(82, T0 - age - 54) });
    const until = (awaited: number | null, age = 1) => inMs({ head: tronHead(age), awaited }, tron);
    expect(until(null)).toBe(12_000);
    expect(until(100)).toBe(12_000);
    expect(until(85)).toBe(8800);
    expect(until(83)).toBe(2800);
    expect(until(83, 3)).toBe(800);
    expect(until(83, 4)).toBe(1000);
  });

  it('of an idle chain is rare, of one in trouble soon, and of a local one at once', () => {
    expect(inMs({ isOpen: false })).toBe(IDLE_SCAN_MS);
    expect(inMs({ isOpen: false, trouble: 'unavailable' })).toBe(5000);
    expect(inMs({ head: null })).toBe(5000);
    expect(nextScanAt(localEthereum, usual)).toBeNull();
  });

  it('is delayed so that the rest of the daily budget lasts, but never beyond that of an idle chain', () => {
    const restOfDay = 86_400_000 - (now.getTime() % 86_400_000);
    const remaining = 20_000;
    const stretched = inMs({ budget: { remaining, perScan: 10 } });
    expect(stretched).toBeGreaterThan(12_000);
    expect((restOfDay / stretched) * 10).toBeLessThanOrEqual(remaining);
    expect(inMs({ budget: { remaining: 1_000_000, perScan: 10 } })).toBe(11_800);
    // A network with open sessions stays on offer, so it is read more often than once a minute.
    expect(inMs({ budget: { remaining: 10, perScan: 10 } })).toBe(45_000);
    expect(inMs({ budget: { remaining: -5, perScan: 10 } })).toBe(45_000);
  });
});

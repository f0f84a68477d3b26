// Anyone can send fractions of a cent to deposit addresses on Solana. That must neither use up the requests of the endpoints nor
// hide a payment.

import { beforeEach, describe, expect, it } from 'vitest';
import { payment, type FakeSolanaNode } from '@/testing/solana/fake-solana-node';
import { fakeKey } from '@/testing/solana/solana-ledger';
import { ata, pay as payOf, PAYER, side, usdc, usdt } from '@/testing/solana/solana-scene';
import { DUE, useWatchedSolana, type SolanaSession } from '@/testing/solana/solana-watched';

const w = useWatchedSolana();
const { run, step, mine, pay, node, session, pool, clock, paymentsOf, marksOf } = w;

const CENT = 10_000n;
const DUSTED = 200;

beforeEach(async () => {
  await pool().query(`UPDATE sessions SET status = 'canceled', closed_at = '2020-01-01' WHERE status = 'pending'`);
  await pool().query(`UPDATE sessions SET closed_at = '2020-01-01' WHERE closed_at IS NOT NULL`);
});

/** Closes sessions within the last day, so that the watcher still reads them. */
const close = ({ id }: SolanaSession) =>
  pool().query(`UPDATE sessions SET status = 'expired', closed_at = $2, budget = 'links' WHERE id = $1`, [
    id,
    clock.now(),
  ]);

async function closedSessions(count: number): Promise<SolanaSession[]> {
  const all = await Promise.all(Array.from({ length: count }, () => session()));
  await Promise.all(all.map(close));
  return all;
}

const requestsOf = ({ calls }: FakeSolanaNode): number => [...calls.values()].reduce((sum, one) => sum + one, 0);

/** Runs passes in which every address gets a base unit; returns the requests of each. */
async function flood(owners: readonly string[], passes: number, watching = step()): Promise<number[]> {
  const costs: number[] = [];
  for (let pass = 0; pass < passes; pass++) {
    for (const owner of owners) node().mine([payOf(node(), 1n, owner)]);
    mine(4);
    clock.advance(20_000);
    node().calls.clear();
    await run(watching);
    costs.push(requestsOf(node()));
  }
  return costs;
}

it('stores amounts below a cent in rotation if they came in few transactions', async () => {
  const all = await closedSessions(6);
  const watching = step();
  await run(watching);
  for (const { owner } of all) pay(owner, 7n);
  mine(4);
  for (let pass = 0; pass < 12; pass++) {
    await run(watching);
    mine(1);
  }
  for (const { id } of all) expect((await paymentsOf(id)).transfers).toMatchObject([{ amount: '7' }]);
});

describe('a stranger who pays a base unit to each of two hundred closed sessions before every scan', () => {
  it('causes about twenty requests a scan', async () => {
    const all = await closedSessions(DUSTED);
    await run();
    const costs = await flood(
      all.map(({ owner }) => owner),
      6,
    );
    expect(Math.max(...costs)).toBeLessThanOrEqual(30);
    expect(costs.at(-1)).toBeLessThanOrEqual(20);
  }, 120_000);

  it('does not delay a payment to one of them', async () => {
    const all = await closedSessions(DUSTED);
    const watching = step();
    await run(watching);
    const owners = all.map(({ owner }) => owner);
    await flood(owners, 3, watching);
    const paid = all[77]!;
    pay(paid.owner, CENT);
    await flood(owners, 1, watching);
    // One base unit of each pass before it is stored with it.
    const { transfers } = await paymentsOf(paid.id);
    expect(transfers.reduce((sum, { amount }) => sum + BigInt(amount), 0n)).toBe(CENT + 4n);
  }, 120_000);
});

describe('payments of less than a cent', () => {
  it('are read and stored as soon as they add up to a cent', async () => {
    const { id, owner } = await session();
    const others = await closedSessions(10);
    const watching = step();
    await run(watching);
    for (let part = 1; part <= 4; part++) {
      for (const one of [{ owner }, ...others]) for (let n = 0; n < 3; n++) pay(one.owner, CENT / 12n + 1n);
      mine(4);
      await run(watching);
      mine(1);
    }
    const { transfers, status } = await paymentsOf(id);
    expect(status).toBe('pending');
    expect(transfers).toHaveLength(12);
    expect(await marksOf(owner)).toMatchObject([{ amount: (12n * (CENT / 12n + 1n)).toString() }]);
  });

  it('in two tokens and several accounts count together', async () => {
    const { id, owner } = await session();
    const watching = step();
    await run(watching);
    const auxiliary = { account: fakeKey(`auxiliary ${owner}`), owner };
    node().mine([
      payOf(node(), CENT / 3n, owner, usdc),
      payOf(node(), CENT / 3n, owner, usdt),
      payment(node(), { from: side(PAYER), to: auxiliary, mint: usdt, amount: CENT / 2n }),
    ]);
    mine(4);
    await run(watching);
    expect((await paymentsOf(id)).transfers).toHaveLength(3);
  });

  it('complete a session with less than a cent missing', async () => {
    const { id, owner } = await session();
    const watching = step();
    await run(watching);
    pay(owner, DUE - 2n);
    mine(4);
    await run(watching);
    expect(await paymentsOf(id)).toMatchObject({ status: 'pending', exception: 'partial' });
    pay(owner, 1n);
    mine(4);
    await run(watching);
    expect((await paymentsOf(id)).transfers).toHaveLength(1);
    pay(owner, 1n);
    mine(4);
    await run(watching);
    const paid = await paymentsOf(id);
    expect(paid).toMatchObject({ status: 'completed', exception: 'none' });
    expect(paid.transfers).toHaveLength(3);
  });

  it('hide no payment that was later moved out of the account', async () => {
    const { id, owner } = await session();
    const watching = step();
    await run(watching);
    pay(owner, DUE / 2n);
    mine(4);
    await run(watching);
    pay(owner, CENT);
    node().mine([
      payment(node(), { from: { account: ata(owner), owner }, to: side(PAYER), mint: usdt, amount: DUE / 2n + CENT }),
    ]);
    pay(owner, 1n);
    mine(4);
    await run(watching);
    expect(
      (await paymentsOf(id)).transfers.map(({ amount }) => BigInt(amount)).toSorted((a, b) => Number(a - b)),
    ).toEqual([1n, CENT, DUE / 2n]);
  });
});

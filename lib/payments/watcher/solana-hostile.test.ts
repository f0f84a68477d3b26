// Attacks of one customer on their own addresses neither stop the crediting of others nor the cursor.

import { setImmediate as pause } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { payment } from '@/testing/solana/fake-solana-node';
import { fakeKey, fakeSignature } from '@/testing/solana/solana-ledger';
import { ata, PAYER, side, usdt } from '@/testing/solana/solana-scene';
import { DUE, useWatchedSolana } from '@/testing/solana/solana-watched';

const { run, step, mine, pay, node, row, session, pool, clock, paymentsOf } = useWatchedSolana();

type Rpc = { method: string; params: unknown[] };

describe('accounts that cannot be proven', () => {
  it('however many, are read after the others, so a paying customer is credited within the next pass', async () => {
    const all = await Promise.all(Array.from({ length: 13 }, () => session()));
    const bad = all.toSorted((one, other) => (one.id < other.id ? -1 : 1));
    const good = bad.pop()!;
    const watching = step();
    await run(watching);
    for (const { owner } of [...bad, good]) pay(owner);
    mine(4);
    const unlisted = new Set(bad.map(({ owner }) => ata(owner)));
    node().tamper = ({ method, params }: Rpc) =>
      method === 'getSignaturesForAddress' && unlisted.has(params[0] as string) ? [] : undefined;
    for (let pass = 0; pass < 3; pass++) {
      await run(watching);
      clock.advance(1000);
    }
    expect(await paymentsOf(good.id)).toMatchObject({ status: 'completed', entries: 1 });
    node().tamper = () => undefined;
    await run(watching);
    for (const { id } of bad) expect(await paymentsOf(id)).toMatchObject({ status: 'completed', entries: 1 });
  }, 60_000);
});

describe('an account with a long history that is transferred to a deposit address', () => {
  it('is skipped: it costs a few requests once and delays neither the cursor nor any payment', async () => {
    await pool().query(`UPDATE sessions SET status = 'canceled', closed_at = '2020-01-01' WHERE status = 'pending'`);
    const [own, other] = [await session(), await session()];
    const watching = step();
    await run(watching);
    const busy = fakeKey(`busy ${own.owner}`);
    node().mine([
      payment(node(), { from: side(PAYER), to: { account: busy, owner: own.owner }, mint: usdt, amount: 10_000n }),
    ]);
    mine(4);
    let page = 0;
    node().tamper = ({ method, params }: Rpc) => {
      if (method !== 'getSignaturesForAddress' || params[0] !== busy) return undefined;
      page += 1;
      return Array.from({ length: 1000 }, (_, n) => ({
        signature: fakeSignature(`busy ${page} ${n}`),
        slot: 1,
        err: { InstructionError: [0, 'Custom'] },
      }));
    };
    for (let pass = 0; pass < 6; pass++) {
      await run(watching);
      mine(1);
      clock.advance(1000);
    }
    expect(page).toBeGreaterThan(0);
    expect(page).toBeLessThanOrEqual(12);
    pay(other.owner);
    mine(4);
    await run(watching);
    expect(await paymentsOf(other.id)).toMatchObject({ status: 'completed', entries: 1 });
    expect(await row()).toMatchObject({ trouble: null, final_number: String(node().blocks.at(-5)!.slot) });
  }, 60_000);
});

describe('a flooded account', () => {
  /** Ten thousand transactions that mention the account, and optionally one in the middle that pays it a base unit. */
  async function flood(owner: string, withDust: boolean) {
    for (let block = 0; block < 20; block++) {
      node().mine(Array.from({ length: 500 }, () => ({ mentions: [ata(owner)] })));
      if (withDust && block === 10) pay(owner, 1n);
      // Lets the node's server close idle connections in time.
      await pause();
    }
  }
  const costOf = (calls: Map<string, number>) =>
    (calls.get('getSignaturesForAddress') ?? 0) + (calls.get('getTransaction') ?? 0);
  const quarantined = async (id: string) =>
    (await pool().query(`SELECT kind, error FROM quarantine WHERE session_id = $1 AND resolved_at IS NULL`, [id])).rows;

  beforeEach(async () => {
    await pool().query(`UPDATE sessions SET status = 'canceled', closed_at = '2020-01-01' WHERE status = 'pending'`);
  });

  it('costs a bounded number of requests, holds nothing back, and its newest payments are credited', async () => {
    const [flooded, other] = [await session(['solana'], 3600), await session(['solana'], 3600)];
    const watching = step();
    await run(watching);
    // Before the flood.
    pay(flooded.owner, DUE / 2n);
    mine(4);
    await run(watching);
    await flood(flooded.owner, true);
    mine(4);
    node().calls.clear();
    for (let seconds = 0; seconds < 1800; seconds += 20) {
      if (seconds === 600) pay(other.owner);
      // After the flood.
      if (seconds === 700) pay(flooded.owner, DUE / 2n);
      mine(5);
      clock.advance(20_000);
      await run(watching);
      expect(await row()).toMatchObject({ trouble: null, final_number: String(node().blocks.at(-5)!.slot) });
      if (seconds === 600) expect(await paymentsOf(other.id)).toMatchObject({ status: 'completed', entries: 1 });
    }
    const paid = await paymentsOf(flooded.id);
    expect(paid).toMatchObject({ status: 'completed' });
    expect(paid.transfers.map(({ amount }) => BigInt(amount))).toEqual([DUE / 2n, DUE / 2n]);
    // Nine tries in half an hour, each with three pages and at most fifty transactions; an idle scan requests whether accounts were used.
    expect(costOf(node().calls)).toBeLessThanOrEqual(2 * 9 * 53 + 2 * 90);
    expect(await quarantined(flooded.id)).toMatchObject([
      { kind: 'account', error: expect.stringContaining('is flooded') },
    ]);
  }, 120_000);

  it('with an unchanged balance is read once, and its session is not held open', async () => {
    const flooded = await session();
    const watching = step();
    await run(watching);
    await flood(flooded.owner, false);
    pay(flooded.owner, DUE / 2n);
    mine(4);
    node().calls.clear();
    for (let scan = 0; scan < 5; scan++) {
      await run(watching);
      clock.advance(20_000);
      mine(5);
    }
    expect(await paymentsOf(flooded.id)).toMatchObject({ status: 'pending', entries: 1 });
    expect(costOf(node().calls)).toBeLessThanOrEqual(2 * 53 + 10);
    expect(await quarantined(flooded.id)).toEqual([]);
  }, 60_000);
});

describe('more payments at once than the endpoint’s limit allows to read', () => {
  it('are credited part by part within its limit, with the pause that it demands', async () => {
    await pool().query(`UPDATE sessions SET status = 'canceled', closed_at = '2020-01-01' WHERE status = 'pending'`);
    const all = await Promise.all(Array.from({ length: 30 }, () => session()));
    const watching = step();
    await run(watching);
    for (const { owner } of all) pay(owner);
    mine(4);
    // Twelve lists in ten seconds; further requests get a retry time.
    let [window, requests, early] = [0, 0, 0];
    node().hijack = (_request, response, body) => {
      const now = Math.floor(clock.now().getTime() / 10_000);
      if (now !== window) [window, requests] = [now, 0];
      if (requests > 20) early += 1;
      if (!body.includes('getSignaturesForAddress') || ++requests <= 12) return false;
      requests = 100;
      response.writeHead(429, { 'retry-after': '10' }).end();
      return true;
    };
    for (let pass = 0; pass < 10; pass++) {
      await run(watching);
      mine(1);
      clock.advance(11_000);
    }
    const { rows } = await pool().query(
      `SELECT count(*)::int AS paid FROM sessions WHERE id = ANY($1) AND status = 'completed'`,
      [all.map(({ id }) => id)],
    );
    expect(rows[0].paid).toBe(30);
    // Requests in flight when the limit was reached.
    expect(early).toBeLessThanOrEqual(4 * 10);
  }, 60_000);
});

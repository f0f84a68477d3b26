// Watching a network that is read by account: seen at once, credited once, never missed, at a cost that follows the number of
// watched accounts and nothing else.

import { describe, expect, it } from 'vitest';
import { payment } from '@/testing/solana/fake-solana-node';
import { fakeKey, fakeSignature } from '@/testing/solana/solana-ledger';
import { ata, pay as payOf, PAYER, side, T0, usdc, usdt } from '@/testing/solana/solana-scene';
import { DUE, useWatchedSolana } from '@/testing/solana/solana-watched';
import { watchedSession } from '@/testing/watching/watched-session';
import { watchStep } from './step';

const { run, step, mine, pay, node, newNode, chainOf, row, session, pool, clock, context, paymentsOf, marksOf } =
  useWatchedSolana();

describe('a payment', () => {
  it('is shown when it is confirmed, and credited once, when it is final', async () => {
    const { id, owner } = await session();
    await run();
    pay(owner);
    await run();
    expect(await paymentsOf(id)).toMatchObject({ status: 'pending', transfers: [], unconfirmed: ['seen'], entries: 0 });
    mine(4);
    await run();
    const transfers = [{ network: 'solana', amount: DUE.toString(), currency: 'USDT', decimals: 6 }];
    const completed = { status: 'completed', transfers, unconfirmed: [], entries: 1, events: ['payment.completed'] };
    expect(await paymentsOf(id)).toMatchObject(completed);
    expect(await marksOf(owner)).toMatchObject([{ account: ata(owner), currency: 'USDT', amount: DUE.toString() }]);
    mine(10);
    await run(step());
    expect(await paymentsOf(id)).toMatchObject(completed);
  });

  it('made before the chain was followed is found by the first scan', async () => {
    const { id, owner } = await session();
    pay(owner);
    mine(20);
    await run();
    mine(1);
    await run();
    expect(await paymentsOf(id)).toMatchObject({ status: 'completed', entries: 1 });
  });

  it('made before the session existed, to a reused address, completes nothing and waits for the merchant’s decision', async () => {
    const owner = fakeKey('an owner with a past');
    pay(owner);
    mine(50);
    await run();
    const createdAt = T0 + 4000;
    const { id } = await watchedSession(pool(), { createdAt, networks: ['solana'], solanaAddress: owner });
    clock.set(createdAt + 1);
    mine(6);
    await run();
    expect(await paymentsOf(id)).toMatchObject({ status: 'pending', exception: 'early', received: '0', events: [] });
    const { rows } = await pool().query('SELECT kind, state FROM payment_exceptions WHERE session_id = $1', [id]);
    expect(rows).toEqual([{ kind: 'early', state: 'open' }]);
  });

  it('in several parts, tokens and accounts counts with every part', async () => {
    const { id, owner } = await session();
    await run();
    pay(owner, DUE / 2n);
    node().mine([payOf(node(), 5n, owner, usdc)]);
    const auxiliary = { account: fakeKey(`auxiliary ${owner}`), owner };
    node().mine([payment(node(), { from: side(PAYER), to: auxiliary, mint: usdt, amount: DUE / 2n })]);
    mine(4);
    await run();
    const after = await paymentsOf(id);
    expect(after.status).toBe('completed');
    expect(after.transfers.map(({ currency, amount }) => `${amount} ${currency}`).toSorted()).toEqual([
      '5 USDC',
      `${DUE / 2n} USDT`,
      `${DUE / 2n} USDT`,
    ]);
    expect((await marksOf(owner)).map(({ account }) => account)).toContain(auxiliary.account);
  });

  it('to an auxiliary account is found though nothing else happened to the owner', async () => {
    const sessions = await Promise.all(Array.from({ length: 8 }, () => session()));
    await run();
    const { id, owner } = sessions[5]!;
    const to = { account: fakeKey(`auxiliary ${owner}`), owner };
    node().mine([payment(node(), { from: side(PAYER), to, mint: usdt, amount: DUE })]);
    mine(4);
    const watching = step();
    for (let pass = 0; pass < 12; pass++) {
      await run(watching);
      mine(1);
    }
    expect(await paymentsOf(id)).toMatchObject({ status: 'completed', entries: 1 });
  });

  it('to an auxiliary account of a closed session is found as well, open ones or not', async () => {
    const closed = await session();
    await pool().query(`UPDATE sessions SET status = 'canceled', closed_at = $2 WHERE id = $1`, [
      closed.id,
      clock.now(),
    ]);
    await Promise.all([session(), session()]);
    const watching = step();
    await run(watching);
    const to = { account: fakeKey(`auxiliary ${closed.owner}`), owner: closed.owner };
    node().mine([payment(node(), { from: side(PAYER), to, mint: usdt, amount: DUE })]);
    mine(4);
    const { rows } = await pool().query('SELECT count(*)::int AS all FROM sessions');
    for (let pass = 0; pass <= rows[0].all / 2; pass++) {
      await run(watching);
      mine(1);
    }
    expect((await paymentsOf(closed.id)).transfers).toHaveLength(1);
  });

  it('dropped before it was final is never credited, and its unconfirmed transfer is orphaned', async () => {
    const { id, owner } = await session();
    await run();
    pay(owner);
    await run();
    node().drop(1);
    mine(6);
    await run();
    expect(await paymentsOf(id)).toMatchObject({ status: 'pending', transfers: [], unconfirmed: ['orphaned'] });
  });

  it('moved to another block stays visible and is credited once', async () => {
    const { id, owner } = await session();
    const watching = step();
    await run(watching);
    const given = { ...payOf(node(), DUE, owner), signature: fakeSignature(owner) };
    node().mine([given]);
    await run(watching);
    node().drop(1);
    node().mine();
    node().mine([given]);
    mine(1);
    await run(watching);
    expect((await paymentsOf(id)).unconfirmed).toEqual(['seen']);
    mine(6);
    await run(watching);
    expect(await paymentsOf(id)).toMatchObject({ status: 'completed', unconfirmed: [], entries: 1 });
  });

  it('after its session was closed is found: soon after a recent close, otherwise in rotation', async () => {
    const closed = async (age: string) => {
      const made = await session();
      const text = `UPDATE sessions SET status = 'canceled', closed_at = $2::timestamptz - interval '${age}' WHERE id = $1`;
      await pool().query(text, [made.id, clock.now()]);
      return made;
    };
    const late = await closed('2 hours');
    const old = await closed('90 days');
    await pool().query(`UPDATE sessions SET closed_at = '2020-01-01' WHERE id <> ALL($1) AND closed_at IS NOT NULL`, [
      [late.id],
    ]);
    await run();
    // Many others come first in the rotation.
    await pool().query('UPDATE chains SET owners_through = -1');
    await pool().query('UPDATE sessions SET address_index = address_index + 1000000 WHERE id = $1', [old.id]);
    const sessions = await Promise.all(Array.from({ length: 250 }, () => session(['ethereum'])));
    expect(sessions).toHaveLength(250);
    pay(late.owner);
    pay(old.owner);
    mine(4);
    const watching = step();
    await watching(context());
    expect((await paymentsOf(late.id)).transfers).toHaveLength(1);
    expect((await paymentsOf(old.id)).transfers).toHaveLength(0);
    for (let pass = 0; pass < 4; pass++) {
      mine(1);
      await watching(context());
    }
    expect((await paymentsOf(old.id)).transfers).toHaveLength(1);
    expect(await marksOf(old.owner)).toHaveLength(1);
  });
});

describe('the cost of a pass', () => {
  it('is one request per hundred watched accounts, and nothing for accounts that did not change', async () => {
    await pool().query(`UPDATE sessions SET status = 'canceled', closed_at = '2020-01-01' WHERE status = 'pending'`);
    await run();
    // Each pass reads all of this many; of more it reads a bounded number (due-addresses.test.ts).
    const count = 200;
    const template = await session();
    const owners = Array.from({ length: count }, (_, n) => fakeKey(`owner ${n} ${template.id}`));
    await pool().query(
      `INSERT INTO sessions (id, store_id, environment, order_id, amount_total, currency, amount_due, currencies, networks,
         created_at, expires_at, address_index, evm_address, tron_address, solana_address)
       SELECT id || n, store_id, environment, order_id || n, amount_total, currency, amount_due, currencies, networks,
         created_at, expires_at, address_index + 2000000 + n, evm_address || n, tron_address || n, owner
       FROM sessions, unnest($2::text[]) WITH ORDINALITY AS made (owner, n) WHERE id = $1`,
      [template.id, owners],
    );
    const watching = step();
    await run(watching);
    mine(1);
    node().calls.clear();
    await run(watching);
    const calls = Object.fromEntries(node().calls);
    // Each scan samples 250 open sessions (due-addresses.ts); the final scan reads a hundred others in rotation. Two accounts each.
    const drawn = (250 * 2) / 100;
    expect(calls.getMultipleAccounts).toBeGreaterThanOrEqual(2 * drawn);
    expect(calls.getMultipleAccounts).toBeLessThanOrEqual(2 * drawn + 2);
    expect(calls.getSignaturesForAddress ?? 0).toBe(0);
    expect(calls.getTransaction ?? 0).toBe(0);
    expect(calls.getTokenAccountsByOwner).toBeLessThanOrEqual(6);
    expect((calls.getBlock ?? 0) + (calls.getSlot ?? 0) + (calls.getGenesisHash ?? 0)).toBeLessThanOrEqual(5);

    // A payment costs its list and its transaction once above finality and once below it, whatever the number of passes. Its
    // session is the only open one by now, so that every scan reads it.
    await pool().query(
      `UPDATE sessions SET status = 'canceled', closed_at = '2020-01-01' WHERE status = 'pending' AND solana_address <> $1`,
      [owners[7]],
    );
    pay(owners[7]!, 10_000n);
    node().calls.clear();
    for (let pass = 0; pass < 8; pass++) {
      await run(watching);
      mine(1);
    }
    expect(node().calls.get('getTransaction')).toBe(2);
    expect(node().calls.get('getSignaturesForAddress')).toBeLessThanOrEqual(3);
    await pool().query(`UPDATE sessions SET status = 'canceled', closed_at = '2020-01-01' WHERE status = 'pending'`);
  }, 60_000);
});

describe('an incomplete read', () => {
  it('of one account delays no other payment, and is trouble until the account is readable', async () => {
    const [good, bad] = [await session(), await session()];
    await run();
    const before = await row();
    pay(good.owner);
    pay(bad.owner);
    mine(4);
    node().tamper = (call) =>
      call.method === 'getSignaturesForAddress' && call.params[0] === ata(bad.owner) ? [] : undefined;
    await run();
    const during = await row();
    expect(await paymentsOf(good.id)).toMatchObject({ status: 'completed', entries: 1 });
    expect(await paymentsOf(bad.id)).toMatchObject({ status: 'pending', transfers: [] });
    expect(during.trouble).toMatch(/^unavailable: endpoint 1 does not list/);
    expect([during.final_number, during.final_hash]).toEqual([before.final_number, before.final_hash]);
    expect(during.scanned_at).toEqual(before.scanned_at);
    node().tamper = () => undefined;
    clock.advance(120_000);
    await run();
    expect(await paymentsOf(bad.id)).toMatchObject({ status: 'completed', entries: 1 });
    expect((await row()).trouble).toBeNull();
  });

  it('of one pass with too many payments continues in several passes, each stored', async () => {
    const sessions = await Promise.all(Array.from({ length: 230 }, () => session()));
    await run();
    for (const { owner } of sessions) pay(owner);
    mine(4);
    await run();
    const { rows } = await pool().query(
      `SELECT count(*)::int AS paid FROM sessions WHERE id = ANY($1) AND status = 'completed'`,
      [sessions.map(({ id }) => id)],
    );
    expect(rows[0].paid).toBe(230);
    expect((await row()).trouble).toBeNull();
  }, 30_000);

  it('of a flooded account continues in parts, with growing pauses, and misses no payment', async () => {
    const { id, owner } = await session();
    const watching = step();
    await run(watching);
    for (let batch = 0; batch < 7; batch++) {
      node().mine(Array.from({ length: 80 }, () => ({ mentions: [ata(owner)] })));
      pay(owner, DUE / 7n + 1n);
    }
    mine(4);
    let pauseSeconds = 5;
    for (let turn = 1; turn <= 8; turn++) {
      node().calls.clear();
      await run(watching);
      expect(node().calls.get('getTransaction') ?? 0).toBeLessThanOrEqual(2 * 150);
      expect(await row()).toMatchObject({ trouble: null, final_number: String(node().blocks.at(-5)!.slot) });
      clock.advance(1000 * pauseSeconds);
      pauseSeconds *= 2;
      mine(1);
    }
    expect((await paymentsOf(id)).transfers).toHaveLength(7);
    expect(await paymentsOf(id)).toMatchObject({ status: 'completed' });
    await run(watching);
    const open = await pool().query('SELECT FROM quarantine WHERE session_id = $1 AND resolved_at IS NULL', [id]);
    expect(open.rowCount).toBe(0);
  }, 60_000);
});

describe('trouble with the endpoints', () => {
  it('is recorded without a URL, moves no cursor, and ends when they respond again', async () => {
    await run();
    const { id, owner } = await session();
    pay(owner);
    mine(4);
    const before = await row();
    const spoilt: ((call: { method: string; params: unknown[] }, result: unknown) => unknown)[] = [
      ({ method }) => (method === 'getMultipleAccounts' ? 'garbage' : undefined),
      ({ method }) => (method === 'getSignaturesForAddress' ? [] : undefined),
      ({ method }) => (method === 'getTransaction' ? null : undefined),
      ({ method }) => (method === 'getBlock' ? { error: { code: -32004, message: 'Block not available' } } : undefined),
    ];
    for (const tamper of spoilt) {
      node().tamper = tamper;
      clock.advance(120_000);
      await run();
      const after = await row();
      expect(after.trouble).toMatch(/endpoint 1/);
      expect(after.trouble).not.toMatch(/127\.0\.0\.1|key-9f8e7d/);
      expect([after.final_number, after.final_hash]).toEqual([before.final_number, before.final_hash]);
      expect(after.scanned_at).toEqual(before.scanned_at);
    }
    node().tamper = () => undefined;
    clock.advance(120_000);
    await run();
    expect(await paymentsOf(id)).toMatchObject({ status: 'completed', entries: 1 });
    expect((await row()).trouble).toBeNull();
  });

  it('a chain with a new genesis gets its own row and account cursors', async () => {
    const { owner } = await session();
    await run();
    pay(owner, 10_000n);
    mine(4);
    const watching = step();
    await run(watching);
    expect(await marksOf(owner)).toHaveLength(1);
    const first = await row();
    const other = await newNode();
    for (let slot = 0; slot < 8; slot++) other.mine();
    node().blocks.splice(0, node().blocks.length, ...other.blocks);
    Object.assign(node(), { ledger: other.ledger, genesis: other.genesis });
    await run(watching);
    const second = await row();
    expect(second.id).not.toBe(first.id);
    expect(second.trouble).toBeNull();
    expect(await marksOf(owner)).toEqual([]);
    await other.close();
  });

  it('a lagging second endpoint neither moves a cursor back nor ahead', async () => {
    mine(20);
    await run();
    const before = await row();
    const lagging = await newNode();
    lagging.blocks.splice(0, lagging.blocks.length, ...node().blocks.slice(0, 12));
    Object.assign(lagging, { genesis: node().genesis, ledger: node().ledger });
    await run(watchStep(chainOf(lagging.url)));
    expect(await row()).toMatchObject({
      final_number: before.final_number,
      tip_number: before.tip_number,
      trouble: null,
    });
    await lagging.close();
  });
});

describe('an idle network', () => {
  it('moves its cursors on, so that sessions may expire', async () => {
    await run();
    mine(50);
    await run();
    const { final_number: final, final_time: time } = await row();
    expect(Number(final)).toBe(node().blocks.at(-5)!.slot);
    expect(time.getTime() / 1000).toBe(node().blocks.at(-5)!.time);
    expect(time.getTime() / 1000).toBeGreaterThan(T0 + 50);
  });
});

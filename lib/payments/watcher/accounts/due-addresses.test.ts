// Large numbers of sessions cost a bounded number of requests, lose no payment, and delay no other store.

import { randomBytes } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { fromUnixSeconds } from '@/lib/platform/clock';
import { openBalanceReader } from '@/lib/networks/families/clients';
import { balanceStep } from '@/lib/ledger/reconciliation/balances/step';
import { expireSessions } from '@/lib/payments/sessions/expire/expire';
import { silentLog } from '@/testing/chain-clock';
import { proveBalances } from '@/testing/payments/proven-balances';
import { DUE, useWatchedSolana } from '@/testing/solana/solana-watched';
import { fakeKey } from '@/testing/solana/solana-ledger';
import { localSolana, pay as payOf, T0 } from '@/testing/solana/solana-scene';
import { anotherStore, watchedSession, watchedStore } from '@/testing/watching/watched-session';
import { findDueAddresses } from './due-addresses';
import { watchStep } from '@/lib/payments/watcher/step';

const { run, session, mine, pay, node, pool, clock, context, chainOf, paymentsOf, row, step } = useWatchedSolana();

afterEach(async () => {
  await pool().query(`UPDATE sessions SET status = 'canceled', closed_at = now() WHERE status = 'pending'`);
});

/** Many unpaid sessions. */
async function crowd(count: number, budget: 'store' | 'links', expiresIn = 1800): Promise<void> {
  const storeId = await watchedStore(pool());
  const keys = Array.from({ length: count }, () => randomBytes(12).toString('hex'));
  await pool().query(
    `INSERT INTO sessions (id, store_id, environment, order_id, amount_total, currency, amount_due, currencies, networks, budget,
       created_at, expires_at, address_index, evm_address, tron_address, solana_address)
     SELECT 'cs_test_' || key, $1, 'test', key, 1234, 'USD', 1234, '{USDT,USDC}', '{solana}', $4::"SessionBudget", $5, $6,
       (SELECT greatest(max(address_index), 1000000) FROM sessions) + n, key, key, owner
     FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS made (key, owner, n)`,
    [
      storeId,
      keys,
      keys.map((key) => fakeKey(key)),
      budget,
      fromUnixSeconds(T0 + 1),
      fromUnixSeconds(T0 + 1 + expiresIn),
    ],
  );
}

const completeBalances = () =>
  openBalanceReader({
    ...{ spec: localSolana, urls: [node().url], needed: 2, forCompleteness: true },
    ...{ clock, log: silentLog(), timeoutMs: 3000 },
  });

const due = async (openOnly = false) => {
  const at = { chainId: (await row()).id, through: -1, now: clock.now(), openOnly };
  return findDueAddresses(pool(), { environment: 'test', network: 'solana' }, at);
};

it('reads all open sessions of a store, however many strangers opened through payment links', async () => {
  await run();
  const own = await session();
  await crowd(800, 'links');
  for (let scan = 0; scan < 3; scan++) {
    const { addresses } = await due(true);
    expect(addresses.map(({ owner }) => owner)).toContain(own.owner);
    expect(addresses).toHaveLength(101);
  }
});

it('reads an open session with a payment in every scan', async () => {
  await run();
  const paid = await session();
  pay(paid.owner, 10_000n);
  mine(8);
  await run();
  await pool().query(`UPDATE sessions SET budget = 'links' WHERE id = $1`, [paid.id]);
  await crowd(900, 'links');
  for (let scan = 0; scan < 5; scan++) {
    expect((await due(true)).addresses.map(({ owner }) => owner)).toContain(paid.owner);
  }
});

it('samples other sessions in each scan, so that every open session is read', async () => {
  await run();
  await crowd(300, 'links');
  const seen = new Set<string>();
  for (let scan = 0; scan < 60 && seen.size < 300; scan++) {
    for (const { owner } of (await due(true)).addresses) seen.add(owner);
  }
  expect(seen.size).toBe(300);
});

it('a store with more sessions expiring in one second than a scan reads delays no other store', async () => {
  await run();
  await crowd(1000, 'store', 61);
  const paid = await session(['solana'], 61);
  const other = await watchedSession(pool(), {
    createdAt: T0 + 1,
    networks: ['solana'],
    expiresIn: 64,
    solanaAddress: fakeKey(randomBytes(16).toString('hex')),
    storeId: await anotherStore(pool()),
  });
  await pool().query('UPDATE chains SET final_time = $1 WHERE retired_at IS NULL', [fromUnixSeconds(T0 + 30)]);
  // The last block before the expiry of the sessions.
  node().mine([payOf(node(), DUE, paid.owner)], { time: T0 + 61 });
  clock.set(T0 + 110);
  mine(50);
  const watch = step();
  const balances = balanceStep(chainOf(node().url), completeBalances());
  await run(watch);
  // Each comparison takes a hundred sessions: those of the large store do not come before the other store's.
  await balances(context());
  while ((await expireSessions(context())).more);
  expect((await paymentsOf(other.id)).status).toBe('expired');

  const left = async () => {
    const text = `SELECT count(*)::int AS n FROM sessions WHERE status = 'pending'`;
    return (await pool().query(text)).rows[0].n as number;
  };
  for (let minute = 0; minute < 5 && (await left()) > 0; minute++) {
    for (const one of [watch, balances, expireSessions]) await run(one);
    clock.advance(61_000);
    mine(1);
  }
  expect(await left()).toBe(0);
  expect(await paymentsOf(paid.id)).toMatchObject({ status: 'completed', entries: 1 });
}, 60_000);

it('reads the sessions of a small store in every scan, however many sessions a large store has', async () => {
  await run();
  await crowd(1000, 'store');
  const storeId = await anotherStore(pool());
  const owners = Array.from({ length: 5 }, () => fakeKey(randomBytes(16).toString('hex')));
  for (const solanaAddress of owners) {
    await watchedSession(pool(), { createdAt: T0 + 1, networks: ['solana'], solanaAddress, storeId });
  }
  for (let scan = 0; scan < 5; scan++) {
    const read = (await due(true)).addresses.map(({ owner }) => owner);
    expect(read).toHaveLength(250);
    expect(read).toEqual(expect.arrayContaining(owners));
  }
});

it('a session that is paid among many that are not is completed, and the others expire', async () => {
  await run();
  await crowd(150, 'links', 60);
  const paid = await session(['solana'], 60);
  await pool().query(`UPDATE sessions SET budget = 'links' WHERE id = $1`, [paid.id]);
  pay(paid.owner);
  clock.set(T0 + 70);
  mine(200);
  await run(watchStep(chainOf(node().url)));
  const { final_time: time } = await row();
  expect(new Date(time).getTime() / 1000).toBeGreaterThan(T0 + 61);
  await proveBalances(pool());
  while ((await expireSessions(context())).more);
  expect(await paymentsOf(paid.id)).toMatchObject({ status: 'completed', entries: 1 });
  const { rows } = await pool().query(
    `SELECT count(*)::int AS n FROM sessions WHERE status = 'expired' AND expires_at = $1`,
    [fromUnixSeconds(T0 + 61)],
  );
  expect(rows[0].n).toBe(150);
});

it('costs no more requests with a thousand unpaid sessions of payment links than with a hundred', async () => {
  const costOf = async () => {
    const pass = step();
    await run(pass);
    node().calls.clear();
    for (let n = 0; n < 4; n++) {
      mine(5);
      await pass(context());
    }
    return [...node().calls.values()].reduce((sum, count) => sum + count, 0);
  };
  await crowd(100, 'links');
  const few = await costOf();
  await crowd(900, 'links');
  expect(await costOf()).toBeLessThanOrEqual(few + 4);
});

it('reads an address in every scan while a sweep empties it, and until the transfer out of it is stored', async () => {
  await run();
  const { id: chainId } = await row();
  const closed = await session();
  await crowd(150, 'store');
  await pool().query(`UPDATE sessions SET status = 'canceled', closed_at = $1 WHERE status = 'pending'`, [
    fromUnixSeconds(T0 - 3 * 86_400),
  ]);
  // The rotation reads the hundred lowest indexes first.
  await pool().query('UPDATE sessions SET address_index = 2000000 WHERE id = $1', [closed.id]);
  const isDue = async (openOnly = false) => (await due(openOnly)).addresses.some(({ owner }) => owner === closed.owner);
  expect(await isDue()).toBe(false);
  await pool().query(
    `WITH sweep AS (INSERT INTO sweeps (environment, network, chain_id, kind, sender, request, terms, created_at)
         VALUES ('test', 'solana', $1, 'batch', 'sponsor', '{}', '{}', now()) RETURNING id)
     INSERT INTO sweep_items (sweep_id, chain_id, address, address_index, session_id, currency, decimals, amount)
     SELECT id, $1, $2, 1, $3, 'USDT', 6, 1 FROM sweep`,
    [chainId, closed.owner, closed.id],
  );
  expect([await isDue(), await isDue(true)]).toEqual([true, false]);
  const endedAt = (secondsAgo: number) =>
    pool().query('UPDATE sweep_items SET ended_at = $1', [new Date(clock.now().getTime() - secondsAgo * 1000)]);
  await endedAt(60);
  expect(await isDue()).toBe(false);
  await pool().query(
    `INSERT INTO deposit_balances (chain_id, address, currency, decimals, session_id, amount, since)
     VALUES ($1, $2, 'USDT', 6, $3, 1, now())`,
    [chainId, closed.owner, closed.id],
  );
  expect(await isDue()).toBe(true);
  await endedAt(3601);
  expect(await isDue()).toBe(false);
});

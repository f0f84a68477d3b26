// No session, store or address stops the crediting of a network: each statement of the watcher fails once for one of them, in a real
// database with a real node's responses, and every other payment is credited, shown and notified. Once the fault is gone, the quarantined
// payment is credited too, exactly once.

import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { expireSessions } from '@/lib/payments/sessions/expire/expire';
import { settleQuarantined } from '@/lib/payments/sessions/settle/one-by-one';
import { makeFault, openQuarantine, type DatabaseFault } from '@/testing/database/database-fault';
import { transferLog } from '@/testing/evm/fake-evm-node';
import { DUE, T0, usdt, useWatchedChain } from '@/testing/watching/watched-chain';
import { watchedSession } from '@/testing/watching/watched-session';
import { storeQuarantined } from './transfers/quarantined';

const w = useWatchedChain();
const PAYER = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';

let endFault = async () => {};
afterEach(async () => {
  await endFault();
  endFault = async () => {};
  await w.pool().query('TRUNCATE quarantine');
  await w.pool().query("UPDATE sessions SET status = 'canceled', closed_at = now() WHERE status = 'pending'");
});

/** Retries everything in quarantine, however long its pause is. */
async function retryAll(): Promise<void> {
  await w.pool().query('UPDATE quarantine SET next_run_at = $1', [w.clock.now()]);
  await storeQuarantined(w.context());
  await settleQuarantined(w.context());
}

const paid = { status: 'completed', entries: 1, events: ['payment.completed'] };
const ofSession = (id: string) => `NEW.session_id = '${id}'`;

/** Each statement that the payment of a session causes fails in turn. */
const FAULTS: [string, (id: string) => DatabaseFault, string][] = [
  ['storing its transfer', (id) => ({ table: 'transfers', on: 'INSERT', row: ofSession(id) }), 'transfer'],
  [
    'storing its transfer, noticed at commit',
    (id) => ({ table: 'transfers', on: 'INSERT', row: ofSession(id), isDeferred: true }),
    'transfer',
  ],
  [
    'showing its unconfirmed transfer',
    (id) => ({ table: 'unconfirmed_transfers', on: 'INSERT', row: ofSession(id) }),
    'unconfirmed_transfer',
  ],
  [
    'removing its unconfirmed transfer',
    (id) => ({ table: 'unconfirmed_transfers', on: 'DELETE', row: `OLD.session_id = '${id}'` }),
    'transfer',
  ],
  ['changing the session', (id) => ({ table: 'sessions', on: 'UPDATE', row: `NEW.id = '${id}'` }), 'session'],
  ['its status history', (id) => ({ table: 'session_status_changes', on: 'INSERT', row: ofSession(id) }), 'session'],
  ['its event', (id) => ({ table: 'events', on: 'INSERT', row: `NEW.object_id = '${id}'` }), 'session'],
  ['its ledger entry', (id) => ({ table: 'ledger_entries', on: 'INSERT', row: ofSession(id) }), 'session'],
  [
    'its postings, noticed at commit',
    (id) => ({
      table: 'ledger_postings',
      on: 'INSERT',
      row: `EXISTS (SELECT FROM ledger_entries e WHERE e.id = NEW.entry_id AND e.session_id = '${id}')`,
      isDeferred: true,
    }),
    'session',
  ],
];

describe('one session whose payment cannot be handled', () => {
  it.each(FAULTS)('%s: all other payments of the window are credited', async (_, faultOf, kind) => {
    const [before, bad, after] = [await w.session(), await w.session(), await w.session()];
    await w.run();
    endFault = await makeFault(w.pool(), faultOf(bad.id));
    for (const { address } of [before, bad, after]) w.pay(address);
    await w.run();
    expect((await w.paymentsOf(before.id)).unconfirmed).toEqual(['seen']);
    w.mine(4);
    await w.run();

    const head = w.node().blocks.length - 1;
    expect(await w.row()).toMatchObject({ final_number: String(head - 4), trouble: null });
    expect(await w.paymentsOf(before.id)).toMatchObject(paid);
    expect(await w.paymentsOf(after.id)).toMatchObject(paid);
    const open = await openQuarantine(w.pool());
    expect(open).toMatchObject([{ kind, error: expect.stringContaining('a fault of this row') }]);
    // An unconfirmed transfer that cannot be stored does not stop the crediting of a payment.
    if (kind === 'unconfirmed_transfer') expect(await w.paymentsOf(bad.id)).toMatchObject(paid);
    else expect(await w.paymentsOf(bad.id)).toMatchObject({ status: 'pending', entries: 0, events: [] });

    // The next windows are credited at once, and the retries that fail again change nothing.
    const next = await w.session();
    w.pay(next.address);
    w.mine(4);
    await w.run();
    await retryAll();
    expect(await w.paymentsOf(next.id)).toMatchObject(paid);

    await endFault();
    endFault = async () => {};
    await retryAll();
    expect(await openQuarantine(w.pool())).toEqual([]);
    expect(await w.paymentsOf(bad.id)).toMatchObject({ ...paid, transfers: [{ amount: String(DUE) }] });
    await retryAll();
    expect(await w.paymentsOf(bad.id)).toMatchObject({ ...paid, unconfirmed: [] });
  });

  it('the exception of an overpayment cannot be stored: the window is credited', async () => {
    const [bad, good] = [await w.session(), await w.session()];
    await w.run();
    endFault = await makeFault(w.pool(), { table: 'payment_exceptions', on: 'INSERT', row: ofSession(bad.id) });
    w.node().mine([{ logs: [transferLog(usdt, PAYER, bad.address, DUE * 2n)] }]);
    w.pay(good.address);
    w.mine(4);
    await w.run();
    expect(await w.paymentsOf(good.id)).toMatchObject(paid);
    expect(await openQuarantine(w.pool())).toMatchObject([{ kind: 'session', id: bad.id }]);
  });

  it('an amount beyond BIGINT is credited exactly, and the surplus waits for a decision', async () => {
    const [bad, good] = [await w.session(), await w.session()];
    await w.run();
    const amount = 10n ** 30n;
    w.node().mine([{ logs: [transferLog(usdt, PAYER, bad.address, amount)] }]);
    w.pay(good.address);
    w.mine(4);
    await w.run();
    expect(await w.paymentsOf(good.id)).toMatchObject(paid);
    expect(await w.paymentsOf(bad.id)).toMatchObject({
      ...paid,
      exception: 'over',
      transfers: [{ amount: String(amount) }],
    });
    const { rows } = await w
      .pool()
      .query('SELECT kind, amount FROM payment_exceptions WHERE session_id = $1', [bad.id]);
    expect(rows).toEqual([{ kind: 'over', amount: String(amount - DUE) }]);
    const [event] = (await w.pool().query('SELECT body FROM events WHERE object_id = $1', [bad.id])).rows;
    // JSON readers take no larger integer exactly. The ledger has the whole amount.
    expect(event.body).toContain(`"amount_received":${Number.MAX_SAFE_INTEGER}`);
  });
});

it('one store whose events cannot be written keeps no other store from being paid', async () => {
  const { rows } = await w.pool().query(
    `WITH owner AS (INSERT INTO users (id, email, password_hash, role) VALUES ($1, $2, '-', 'merchant') RETURNING id)
     INSERT INTO stores (id, owner_id, name, status) SELECT $2, id, 'Bad', 'approved' FROM owner RETURNING id`,
    [randomUUID(), `st_${randomUUID()}`],
  );
  const storeId = rows[0].id as string;
  const bad = await Promise.all([1, 2, 3].map(() => watchedSession(w.pool(), { createdAt: T0 + 10, storeId })));
  const good = await w.session();
  await w.run();
  endFault = await makeFault(w.pool(), { table: 'events', on: 'INSERT', row: `NEW.store_id = '${storeId}'` });
  for (const { address } of [...bad, good]) w.pay(address);
  w.mine(4);
  await w.run();
  expect(await w.paymentsOf(good.id)).toMatchObject(paid);
  expect((await openQuarantine(w.pool())).map(({ id }) => id).toSorted()).toEqual(bad.map(({ id }) => id).toSorted());
  const { rows: stores } = await w.pool().query('SELECT DISTINCT store_id FROM quarantine WHERE resolved_at IS NULL');
  expect(stores).toEqual([{ store_id: storeId }]);
});

it('a session whose transfer is known but not stored does not close before it is stored, however long that takes', async () => {
  const bad = await w.session();
  await w.run();
  endFault = await makeFault(w.pool(), { table: 'transfers', on: 'INSERT', row: ofSession(bad.id) });
  w.pay(bad.address);
  w.node().mine([], T0 + 4000);
  w.mine(5);
  w.clock.set(T0 + 90_000);
  await w.run();
  await expireSessions(w.context());
  await w.pool().query(
    `INSERT INTO quarantine (kind, subject_id, step, error, attempts, first_at, last_at, next_run_at)
     VALUES ('session', $1, 'test', 'x', 1, now(), now(), now())`,
    [bad.id],
  );
  await retryAll();
  expect((await w.paymentsOf(bad.id)).status).toBe('pending');
  await endFault();
  endFault = async () => {};
  await retryAll();
  expect(await w.paymentsOf(bad.id)).toMatchObject(paid);
});

// Which senders the screening step requests answers about: those of new payments, and in pages those of all money that is held. Neither a
// failure of that nor a flood of one store's payments delays the other answers.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { networkSpec } from '@/lib/networks/networks';
import type { Context } from '@/lib/platform/context';
import type { Pool } from '@/lib/platform/database/db';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeChain, TestClock, testConfig, testContext } from '@/testing/fixtures';
import { insertMany } from '@/testing/many-rows';
import { openReceiver, type Receiver } from '@/testing/receivers/receiver';
import { anotherStore, watchedSession, watchedStore } from '@/testing/watching/watched-session';
import { paymentVerdict, requestPayee } from './payment';
import { HELD_PAGE, registerRecent } from './register';
import { runScreening } from './step';

const spec = networkSpec('test', 'ethereum', 'local')!;
const PAYEE = `0x${'a1'.repeat(20)}`;

let db: TestDatabase;
let clock: TestClock;
let chainId: number;
let hook: Receiver;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(async () => {
  clock = new TestClock();
  await db.pool.query('TRUNCATE screenings, screening_hooks');
  // Transfers are never deleted: a test has a chain of its own.
  await db.pool.query('UPDATE chains SET retired_at = now() WHERE retired_at IS NULL');
  chainId = await makeChain(db, 'ethereum', 1_760_000_000);
  hook = await openReceiver(
    () => (response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ result: 'clear' })),
  );
});
afterEach(() => hook.close());

const contextOf = (pool: Pool = db.pool): Context => ({
  ...testContext(
    db,
    clock,
    testConfig({
      SCREENING_HOOK_URL: hook.url,
      SCREENING_HOOK_SECRET: 'a secret of the screening hook',
      LOG_LEVEL: 'silent',
    }),
  ),
  pool,
});
const walk = () => ({ allAt: Number.NEGATIVE_INFINITY });
const run = (known: ReturnType<typeof walk>, pool?: Pool) =>
  runScreening(contextOf(pool), { spec, oracle: null, known });
const of = () =>
  ({ environment: 'test', network: 'ethereum', payee: PAYEE, sessionId: null, now: clock.now() }) as const;
const recent = () => registerRecent(db.pool, { environment: 'test', network: 'ethereum', now: clock.now() });

/** Numbered payments, each to an address of its own: `p000001` pays `a000001` in transaction `h000001`. `sender`: all are of one. */
async function pay(count: number, { ago = 0, sessionId = 'cs_none', prefix = '', sender = '' } = {}): Promise<void> {
  const at = new Date(clock.now().getTime() - ago * 1000);
  const number = `lpad(n::text, 6, '0')`;
  const payer = sender === '' ? number : `'${sender}'`;
  await insertMany(
    db.pool,
    count,
    (
      numbers,
    ) => `INSERT INTO transfers (chain_id, network, session_id, transaction_hash, ordinal, block_number, block_hash, block_time,
        currency, contract, payer, recipient, amount, decimals, created_at)
      SELECT $1, 'ethereum', $2, $3 || 'h' || ${payer}, n, 1, '', $4, 'USDT', 'c', $3 || 'p' || ${payer}, $3 || 'a' || ${number}, 1, 6, $4
      FROM ${numbers}`,
    [chainId, sessionId, prefix, at],
  );
}

/** The senders that an answer was requested about, in the order of their names. */
const senders = async (): Promise<string[]> => {
  const { rows } = await db.pool.query<{ address: string }>(
    `SELECT address FROM screenings WHERE role = 'sender' ORDER BY address`,
  );
  return rows.map(({ address }) => address);
};

/** A pool whose statement of this name fails, `times` times. */
function refusing(name: string, code: string, times = Infinity): Pool {
  let left = times;
  return new Proxy(db.pool, {
    get(pool, key) {
      const value = Reflect.get(pool, key) as unknown;
      if (typeof value !== 'function') return value;
      return (...given: [{ name?: string }]) =>
        key === 'query' && given[0].name === name && left-- > 0
          ? Promise.reject(Object.assign(new Error(`refused: ${name}`), { code }))
          : (Reflect.apply(value, pool, given) as unknown);
    },
  });
}

describe('a registration that fails', () => {
  it.each(['screening-register-held', 'screening-register-recent'])(
    'by %s delays no answer about a payee and is reported',
    async (name) => {
      const context = contextOf();
      await pay(1);
      await requestPayee(db.pool, context.config, of());
      await expect(run(walk(), refusing(name, '57014'))).rejects.toThrow(`refused: ${name}`);
      expect(await paymentVerdict(db.pool, context.config, of())).toBe('clear');
      expect(await senders()).toEqual(['p000001']);
    },
  );

  it('is reported too when no answer is due', async () => {
    await pay(1, { ago: 86_400 });
    await expect(run(walk(), refusing('screening-register-held', '57014'))).rejects.toThrow('refused');
  });

  it('because of one page leaves the next pages their turn', async () => {
    await pay(HELD_PAGE + 1, { ago: 86_400 });
    const known = walk();
    const pool = refusing('screening-register-held', '57014', 1);
    await expect(run(known, pool)).rejects.toThrow('refused');
    await run(known, pool);
    expect(await senders()).toEqual([`p00${HELD_PAGE + 1}`]);
  });

  it('because the database is away leaves no page out', async () => {
    await pay(1, { ago: 86_400 });
    const known = walk();
    const pool = refusing('screening-register-held', '57P01', 1);
    await expect(run(known, pool)).rejects.toThrow('refused');
    await run(known, pool);
    expect(await senders()).toEqual(['p000001']);
  });
});

describe('all addresses with money', () => {
  it('are read a page a run, to the last one, and again after five minutes', async () => {
    await pay(HELD_PAGE + 1, { ago: 86_400 });
    const last = [`p00${HELD_PAGE}`, `p00${HELD_PAGE + 1}`];
    await db.pool.query(
      `INSERT INTO screenings (environment, network, address, role, transaction_hash, verdict, requested_at)
       SELECT 'test', network, payer, 'sender', transaction_hash, 'clear', now() FROM transfers WHERE chain_id = $1 AND payer < $2`,
      [chainId, last[0]],
    );
    const lastOnes = async () => (await senders()).filter((name) => last.includes(name));
    const known = walk();
    await run(known);
    expect(await lastOnes()).toEqual(last.slice(0, 1));
    await run(known);
    expect(await lastOnes()).toEqual(last);
    await db.pool.query(`DELETE FROM screenings WHERE address = $1`, [last[0]]);
    for (let turn = 0; turn < 3; turn++) await run(known);
    expect(await lastOnes()).toEqual(last.slice(1));
    clock.advance(300);
    await run(known);
    expect(await lastOnes()).toEqual(last);
  });

  it('are all registered although one page has more new senders than a run registers', async () => {
    await pay(1200, { ago: 86_400 });
    const known = walk();
    for (let turn = 0; turn < 3; turn++) await run(known);
    expect(await senders()).toHaveLength(1200);
  });

  it('are all registered although one transaction has many transfers of one sender', async () => {
    await pay(600, { ago: 86_400, sender: 'exchange' });
    await pay(100, { ago: 86_400, prefix: 'z' });
    const known = walk();
    for (let turn = 0; turn < 3; turn++) await run(known);
    expect(await senders()).toHaveLength(101);
  });
});

describe('stores take turns', () => {
  const asked = () => hook.received.map(({ body }) => (JSON.parse(body.toString()) as { address: string }).address);
  const sessionOf = async (storeId: string) => (await watchedSession(db.pool, { createdAt: 1, storeId })).id;

  it('a thousand small payments to a session of one store do not delay the sender of another store', async () => {
    const flood = { sessionId: await sessionOf(await watchedStore(db.pool)) };
    await pay(1000, { ...flood, prefix: 'flood-' });
    for (let turn = 0; turn < 2; turn++) await recent();
    expect(await senders()).toHaveLength(1000);
    await pay(600, { ...flood, prefix: 'more-' });
    clock.advance(1);
    await pay(1, { sessionId: await sessionOf(await anotherStore(db.pool)) });
    expect(await run({ allAt: clock.now().getTime() })).toEqual({ more: true });
    expect(asked()).toHaveLength(40);
    expect(asked()).toContain('p000001');
  });

  it('each gets an equal part of a lease, its oldest senders first', async () => {
    for (const prefix of ['x', 'y', 'z']) {
      const sessionId = await sessionOf(await anotherStore(db.pool));
      await pay(30, { prefix, sessionId });
      await recent();
      clock.advance(1);
    }
    await run({ allAt: clock.now().getTime() });
    const counts = ['x', 'y', 'z'].map((prefix) => asked().filter((name) => name.startsWith(prefix)).length);
    expect(counts).toEqual([14, 13, 13]);
    await run({ allAt: clock.now().getTime() });
    await run({ allAt: clock.now().getTime() });
    expect(new Set(asked()).size).toBe(90);
  });
});

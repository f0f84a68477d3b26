// The watcher over faulty TRON endpoints. The cursor never passes a payment that is not stored, and nothing false is stored. Once
// the endpoint recovers or another one takes over, the payment is stored exactly once.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '@/lib/platform/config/config';
import type { Context } from '@/lib/platform/context';
import { silentLog } from '@/testing/chain-clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { tronFaults } from '@/testing/tron/tron-faults';
import {
  localTron,
  TRON_OURS,
  TRON_PAID_IN,
  TRON_SOLID,
  TRON_T0,
  tronUsdt,
  useTronPair,
} from '@/testing/tron/tron-pair';
import { transferLog } from '@/testing/tron/tron-shapes';
import { paymentsOf, watchedSession, type WatchedSession } from '@/testing/watching/watched-session';
import { watchStep } from '@/lib/payments/watcher/step';

const pair = useTronPair();
const { clock, faulty, good, open } = pair;
let database: TestDatabase;
let session: WatchedSession;
let context: Context;

beforeAll(async () => {
  database = await openTestDatabase();
  const config = readConfig({
    DATABASE_URL: database.url,
    MASTER_KEYS: `1:${Buffer.from([...Array(32).keys()]).toString('base64')}`,
    EVIDENCE_KEY: Buffer.alloc(32, 9).toString('base64'),
  });
  context = { pool: database.pool, clock, log: silentLog(), config };
});
afterAll(() => database.close());

/** Follow the chain from its first block, before the relevant blocks exist. */
beforeEach(async () => {
  await database.pool.query('UPDATE chains SET retired_at = now() WHERE retired_at IS NULL');
  await database.pool.query(`UPDATE sessions SET tron_address = id WHERE tron_address = $1`, [TRON_OURS]);
  session = await watchedSession(database.pool, { createdAt: TRON_T0, networks: ['tron'] });
  await database.pool.query('UPDATE sessions SET tron_address = $2 WHERE id = $1', [session.id, TRON_OURS]);
  const later = good().blocks.splice(2);
  await look(good().url);
  good().blocks.push(...later);
});

const step = (...urls: string[]) =>
  watchStep({ environment: 'test', network: 'tron', spec: localTron, adapter: open(urls) });
const look = async (...urls: string[]): Promise<void> => {
  const once = step(...urls);
  while ((await once(context)).more);
};
const cursor = async () => {
  const { rows } = await database.pool.query(
    'SELECT final_number::int AS final, tip_number::int AS tip, trouble FROM chains WHERE retired_at IS NULL',
  );
  return rows[0] as { final: number; tip: number; trouble: string | null };
};
const heal = () => {
  faulty().tamper = () => undefined;
  faulty().hijack = () => false;
  faulty().decimals[tronUsdt] = 6;
  Object.assign(faulty(), { solidDepth: 18, infosLag: 0 });
  faulty().blocks.splice(0, faulty().blocks.length, ...good().blocks);
  clock.advance(120_000);
};
const paidOnce = { transfers: [{ network: 'tron', amount: '12', currency: 'USDT', decimals: 6 }], entries: 1 };

describe.each(tronFaults(pair))('an endpoint that is %s', (_kind, _fault, spoil) => {
  it('moves no cursor past the payment, and loses nothing once it is healthy', async () => {
    spoil();
    await look(faulty().url);
    await look(faulty().url);
    expect((await cursor()).final).toBeLessThan(TRON_PAID_IN);
    expect((await paymentsOf(database.pool, session.id)).transfers).toEqual([]);
    heal();
    await look(faulty().url);
    expect(await cursor()).toEqual({ final: TRON_SOLID, tip: TRON_SOLID + 18, trouble: null });
    expect(await paymentsOf(database.pool, session.id)).toMatchObject(paidOnce);
  });

  it('is bypassed by the watcher too', async () => {
    spoil();
    await look(faulty().url, good().url);
    expect((await cursor()).final).toBe(TRON_SOLID);
    expect(await paymentsOf(database.pool, session.id)).toMatchObject(paidOnce);
  });
});

describe('the watcher on TRON', () => {
  it('shows a payment before it is solid, and credits it only once solid', async () => {
    await look(good().url);
    await database.pool.query('UPDATE sessions SET tron_address = id WHERE id = $1', [session.id]);
    const next = await watchedSession(database.pool, { createdAt: TRON_T0, networks: ['tron'] });
    await database.pool.query('UPDATE sessions SET tron_address = $2 WHERE id = $1', [next.id, TRON_OURS]);
    good().mine([{ logs: [transferLog(tronUsdt, 'TVy95wrbDgQ8NA3XT8qKqwC6YBsFTPHtFF', TRON_OURS, 12_340_000n)] }]);
    for (let count = 17; count > 0; count--) good().mine();
    await look(good().url);
    expect(await paymentsOf(database.pool, next.id)).toMatchObject({
      status: 'pending',
      unconfirmed: ['seen'],
      entries: 0,
    });
    good().mine();
    await look(good().url);
    expect(await paymentsOf(database.pool, next.id)).toMatchObject({ status: 'completed', entries: 1 });
  });

  it('drops an unconfirmed transfer of a lost fork, and credits none of it', async () => {
    await look(good().url);
    await database.pool.query('UPDATE sessions SET tron_address = id WHERE id = $1', [session.id]);
    const next = await watchedSession(database.pool, { createdAt: TRON_T0, networks: ['tron'] });
    await database.pool.query('UPDATE sessions SET tron_address = $2 WHERE id = $1', [next.id, TRON_OURS]);
    good().mine([{ logs: [transferLog(tronUsdt, 'TVy95wrbDgQ8NA3XT8qKqwC6YBsFTPHtFF', TRON_OURS, 12_340_000n)] }]);
    await look(good().url);
    good().drop(1);
    for (let count = 20; count > 0; count--) good().mine();
    await look(good().url);
    expect(await paymentsOf(database.pool, next.id)).toMatchObject({
      status: 'pending',
      unconfirmed: ['orphaned'],
      entries: 0,
    });
    expect((await cursor()).trouble).toBeNull();
  });
});

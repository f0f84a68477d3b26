// The service behind a real PgBouncer in transaction mode, with the roles of web and worker: sessions, deliveries, refunds and a pass of
// the worker work, and what cannot work there is refused at the start. Without the program (Debian: pgbouncer) nothing of this is tested.

import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { answer } from '@/lib/api/answer';
import { openServices, type Services } from '@/lib/api/services';
import { runDeliveries } from '@/lib/webhooks/delivery/run';
import { systemClock } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import { openPool, type Pool } from '@/lib/platform/database/db';
import { openSnapshot } from '@/lib/platform/database/snapshot';
import { prismaOn } from '@/lib/platform/database/prisma';
import { refuseUnsafeSession } from '@/lib/platform/database/session';
import { applyRoles, roleName, urlOfRole } from '@/scripts/database-roles/apply.mjs';
import { codeOf, json } from '@/testing/api-scene';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { poolerVersion, startPooler, type Pooler } from '@/testing/database/pooler';
import { makeAddresses, makeChain, makeStore, signedRequest, testConfig, testContext } from '@/testing/fixtures';
import { eventually, openReceiver } from '@/testing/receivers/receiver';
import { makeEndpoint, recordEvent } from '@/testing/receivers/webhooks';
import { openRefundScene, type RefundScene } from '@/testing/refunds/refund-scene';
import { scriptedSender } from '@/testing/refunds/scripted-sender';
import { localSpec, PAYERS } from '@/testing/signer/signer-scene';
import { runOnce } from '../run-once';

const version = poolerVersion();
if (version === null) console.warn('skipped: PgBouncer is not installed (Debian: apt-get install pgbouncer)');

const POOLED = { DATABASE_POOLER: 'transaction' } as const;
const ADDRESSES = 40;
/** One for all contexts, so that each opens the secrets of the others. */
const KEYS = { MASTER_KEYS: `1:${randomBytes(32).toString('base64')}` };
let db: TestDatabase;
let pooler: Pooler;
let web: Pool;
let worker: Pool;
const opened: Pool[] = [];
const connect = (kind: 'web' | 'worker', ...more: [] | [Parameters<typeof openPool>[2]]): Pool => {
  const pool = openPool(pooler.urlOf(urlOfRole(db.url, kind, 'x')), 12, ...(more.length > 0 ? more : [POOLED]));
  opened.push(pool);
  return pool;
};
const behind = (pool: Pool, over: Record<string, string> = {}): Context => ({
  ...testContext(db, systemClock, testConfig({ ...POOLED, ...KEYS, ...over })),
  pool,
});

describe.skipIf(version === null)('behind PgBouncer in transaction mode', () => {
  const roles = () => (['web', 'worker'] as const).map((kind) => roleName(new URL(db.url).pathname.slice(1), kind));
  beforeAll(async () => {
    db = await openTestDatabase();
    await applyRoles(db.url, { passwords: { web: 'x', worker: 'x' } });
    const { username } = new URL(db.url);
    pooler = await startPooler(inject('databaseServer'), [...roles(), username]);
    [web, worker] = [connect('web'), connect('worker')];
  });
  afterEach(async () => {
    // A pool of one test keeps no connection of another.
    await Promise.all(opened.splice(2).map((pool) => pool.end()));
  });
  afterAll(async () => {
    await Promise.all([web.end(), worker.end()]);
    await pooler.stop();
    for (const role of roles()) {
      await db.pool.query(`DROP OWNED BY ${role}`);
      await db.pool.query(`DROP ROLE ${role}`);
    }
    await db.close();
  });

  test('web and worker start: their roles bring UTC and the limits on statements and idle transactions', async () => {
    for (const pool of [web, worker]) {
      await expect(refuseUnsafeSession(pool, POOLED)).resolves.toBeUndefined();
      const { rows } = await pool.query(
        `SELECT current_setting('TimeZone') AS zone, current_setting('statement_timeout') AS statement,
           current_setting('idle_in_transaction_session_timeout') AS idle`,
      );
      expect(rows).toEqual([{ zone: 'UTC', statement: '15s', idle: '15s' }]);
    }
  });

  test('a role without them is refused with the statements that mend it, and is no matter without a pooler', async () => {
    const owner = openPool(pooler.urlOf(db.url), 1, POOLED);
    opened.push(owner);
    await expect(refuseUnsafeSession(owner, POOLED)).rejects.toThrow(
      /SET statement_timeout = '15s'; ALTER ROLE \w+ SET idle_in_transaction_session_timeout = '15s';/,
    );
    await expect(refuseUnsafeSession(db.pool, { DATABASE_POOLER: 'none' })).resolves.toBeUndefined();
  });

  test('the settings for a direct connection do not connect at all', async () => {
    await expect(connect('web', { DATABASE_POOLER: 'none' }).query('SELECT 1')).rejects.toThrow(
      /unsupported startup parameter/,
    );
  });

  test('no statement keeps a name, neither a hand-written one nor one of Prisma', async () => {
    await web.query({ name: 'pooler-test', text: 'SELECT $1::int', values: [1] });
    await (await prismaOn(web)).store.findFirst({ where: { id: 'none' } });
    const { rows } = await web.query('SELECT count(*)::int AS named FROM pg_prepared_statements');
    expect(rows).toEqual([{ named: 0 }]);
  });

  // PgBouncer knows them since 1.21.
  test.runIf(version !== null && version < 1.21)('an older PgBouncer loses named statements', async () => {
    const pool = connect('web', { ...POOLED, NAMED_STATEMENTS: 'on' });
    const ask = () => pool.query({ name: 'pooler-test', text: 'SELECT $1::int', values: [1] });
    const all = async () => {
      for (let left = 10; left > 0; left--) await Promise.all(Array.from({ length: 12 }, ask));
    };
    await expect(all()).rejects.toThrow(/prepared statement "pooler-test" (does not exist|already exists)/);
  });

  test('signed creates and reads, more at once than there are connections', async () => {
    const context = behind(web);
    const services: Services = openServices(context);
    await makeChain(db, 'bsc', Math.floor(Date.now() / 1000));
    await makeAddresses(db, ADDRESSES);
    const store = await makeStore(db, context.config);
    const send = (request: Parameters<typeof signedRequest>[1]) => answer(services, signedRequest(store, request));
    const made = await Promise.all(
      Array.from({ length: ADDRESSES }, () => {
        const body = JSON.stringify({ amount: 1250, currency: 'USD', order_id: randomUUID() });
        return send({ path: '/api/v1/checkout/sessions/create', body, now: systemClock.now() });
      }),
    );
    expect(made.filter((response) => response.status !== 200).map(codeOf)).toEqual([]);
    const ids = made.map((response) => json(response).id as string);
    const read = await Promise.all(
      ids.map((id) => send({ method: 'GET', path: `/api/v1/checkout/sessions/${id}`, now: systemClock.now() })),
    );
    expect(read.map((response) => [response.status, json(response).id])).toEqual(ids.map((id) => [200, id]));
    const { rows } = await db.pool.query('SELECT count(DISTINCT address_index)::int AS used FROM sessions');
    expect(rows).toEqual([{ used: ADDRESSES }]);
  });

  test.each([
    ['with a direct connection for notifications', true],
    ['by polling alone', false],
  ])('events are delivered once each, %s', async (_, isDirect) => {
    const context = behind(worker, isDirect ? { DATABASE_DIRECT_URL: urlOfRole(db.url, 'worker', 'x') } : {});
    const receiver = await openReceiver();
    const endpoint = await makeEndpoint(db, { ...context, pool: db.pool }, receiver.url);
    const stop = new AbortController();
    const ended = runDeliveries(context, stop.signal);
    try {
      for (let left = 5; left > 0; left--) await recordEvent(context, endpoint);
      await eventually(() => (receiver.received.length >= 5 ? true : null));
      await eventually(async () => {
        const { rowCount } = await db.pool.query(`SELECT FROM deliveries WHERE status = 'pending'`);
        return rowCount === 0 ? true : null;
      });
      expect(receiver.received).toHaveLength(5);
      const { rows } = await db.pool.query(
        `SELECT application_name FROM pg_stat_activity WHERE datname = current_database() AND query ILIKE 'LISTEN%'`,
      );
      expect(rows).toHaveLength(isDirect ? 1 : 0);
    } finally {
      stop.abort();
      await ended;
      await receiver.close();
    }
  });

  test('a refund is drafted, signed, sent and completed', async () => {
    const spec = localSpec('ethereum');
    const now = new Date('2026-11-21T12:00:00Z');
    const sender = scriptedSender({ spec, scene: () => scene });
    const scene: RefundScene = await openRefundScene({ db, clock: { now: () => now }, spec, sender });
    const context = { ...scene.context, pool: worker };
    const ids = [await scene.refund({ to: PAYERS.evm }), await scene.refund({ to: PAYERS.evm })];
    for (let passes = 0; passes < 20; passes++) await scene.pass({}, context);
    expect(await Promise.all(ids.map(async (id) => (await scene.read(id)).status))).toEqual(['completed', 'completed']);
  });

  test('every step of a pass of the worker works', async () => {
    const steps = await runOnce(behind(worker));
    expect(steps.length).toBeGreaterThan(20);
    expect(steps.filter(({ failed }) => failed)).toEqual([]);
  });

  test('an export reads one state over several queries', async () => {
    const snapshot = await openSnapshot(worker, { idle: 5000, whole: 20_000 });
    const count = async () => (await snapshot.db.query('SELECT count(*)::int AS all FROM users')).rows[0];
    try {
      const before = await count();
      await makeStore(db, testConfig());
      expect(await count()).toEqual(before);
    } finally {
      await snapshot.end();
    }
  });
});

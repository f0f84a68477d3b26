// An owner with CREATEROLE or an administrator creates the roles; the resulting rights are the same. Roles that grants
// could not restrict are rejected. Triggers enforce what column grants cannot express.

import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { openPool, transaction, type Pool } from '@/lib/platform/database/db';
import { excessOf, readRole, refuseUnsafeRole } from '@/lib/platform/database/role';
import { createRefund } from '@/lib/refunds/request/create';
import { cancelRefund } from '@/lib/refunds/request/cancel';
import { moveRefund } from '@/lib/refunds/states';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock, testConfig, testContext } from '@/testing/fixtures';
import { makePaidSession } from '@/testing/payments/paid-session';
import { makeMerchant, refundRequest } from '@/testing/refunds/refund-caller';
import { migrate } from '../migrate.mjs';
import { applyRoles, MayNotMakeRoles, roleName, urlOfRole } from './apply.mjs';

const SERVER = inject('databaseServer');
const REFUSED = { code: '42501' };

async function onServer<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return work(client).finally(() => client.end());
}

describe('an owner that is not a superuser', () => {
  const database = `owned_${randomBytes(6).toString('hex')}`;
  const owner = `${database}_owner`;
  const [web, worker] = [roleName(database, 'web'), roleName(database, 'worker')];
  const url = new URL(SERVER);
  url.pathname = `/${database}`;
  url.username = owner;
  const superuser = (...statements: string[]) =>
    onServer(SERVER, async (client) => {
      for (const statement of statements) await client.query(statement);
    });

  beforeAll(async () => {
    await superuser(`CREATE ROLE ${owner} LOGIN`, `CREATE DATABASE ${database} OWNER ${owner}`);
    await migrate(url.href);
  });
  afterAll(() =>
    superuser(
      `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`,
      `DROP ROLE IF EXISTS ${web}`,
      `DROP ROLE IF EXISTS ${worker}`,
      `DROP ROLE ${owner}`,
    ),
  );

  const rights = () =>
    onServer(url.href, async (client) => {
      const { rows } = await client.query(
        `SELECT 'table' AS what, oid::regclass::text AS name, relacl::text AS acl FROM pg_class WHERE relacl IS NOT NULL
         UNION ALL SELECT attname, attrelid::regclass::text, attacl::text FROM pg_attribute WHERE attacl IS NOT NULL ORDER BY 1, 2`,
      );
      return rows;
    });

  test('without CREATEROLE creates no role, and reports it', async () => {
    expect(await applyRoles(url.href)).toEqual([]);
    await expect(applyRoles(url.href, { passwords: { web: 'secret' } })).rejects.toThrow(MayNotMakeRoles);
  });

  test('without CREATEROLE grants what it owns to roles that an administrator made, whatever password is given', async () => {
    await superuser(`CREATE ROLE ${web} LOGIN PASSWORD 'of the administrator'`);
    expect(await applyRoles(url.href, { passwords: { web: 'another' } })).toEqual(['web']);
    await onServer(urlOfRole(url.href, 'web', 'x'), (client) => client.query('SELECT FROM sessions'));
  });

  test('with CREATEROLE creates the roles, and a second run changes nothing', async () => {
    await superuser(`ALTER ROLE ${owner} CREATEROLE`);
    expect(await applyRoles(url.href, { passwords: { worker: 'first' } })).toEqual(['web', 'worker']);
    const first = await rights();
    expect(await applyRoles(url.href, { passwords: { worker: 'second' } })).toEqual(['web', 'worker']);
    expect(await rights()).toEqual(first);
    await expect(
      onServer(urlOfRole(url.href, 'worker', 'x'), (client) => client.query('SELECT FROM users FOR UPDATE')),
    ).rejects.toMatchObject(REFUSED);
  });

  test('gives web and worker the limits that a pooler does not pass on, also to a role that an administrator made', async () => {
    const { rows } = await onServer(url.href, (client) =>
      client.query('SELECT rolconfig FROM pg_roles WHERE rolname = ANY($1)', [[web, worker]]),
    );
    const settings = ['TimeZone=UTC', 'statement_timeout=15s', 'idle_in_transaction_session_timeout=15s'];
    expect(rows).toEqual([{ rolconfig: settings }, { rolconfig: settings }]);
  });

  test('revokes rights that are not on the list', async () => {
    await onServer(url.href, async (client) => {
      await client.query(`GRANT UPDATE (amount) ON transfers TO ${web}`);
      await client.query(`GRANT ALL ON ledger_balances TO ${web}`);
    });
    await applyRoles(url.href);
    for (const text of ['UPDATE transfers SET amount = 1', 'DELETE FROM ledger_balances'])
      await expect(onServer(urlOfRole(url.href, 'web', 'x'), (client) => client.query(text))).rejects.toMatchObject(
        REFUSED,
      );
  });

  test.each([
    ['a superuser', `ALTER ROLE ${web} SUPERUSER`, `ALTER ROLE ${web} NOSUPERUSER`],
    ['a role that passes row policies', `ALTER ROLE ${web} BYPASSRLS`, `ALTER ROLE ${web} NOBYPASSRLS`],
    ['a member of the owner', `GRANT ${owner} TO ${web}`, `REVOKE ${owner} FROM ${web}`],
    [
      'a member of a role that runs programs',
      `GRANT pg_execute_server_program TO ${web}`,
      `REVOKE pg_execute_server_program FROM ${web}`,
    ],
  ])('refuses %s', async (_, given, taken) => {
    await superuser(given);
    await expect(applyRoles(url.href)).rejects.toThrow(new RegExp(`^The role ${web} (has|is a member of) .+\\.$`));
    await superuser(taken);
  });

  test('is refused as the role of web or worker on a live network', async () => {
    const live = testConfig({
      ...{ PUBLIC_URL: 'https://pay.example', DIRECT_CLIENTS: 'on', LIVE_ETHEREUM_URLS: 'https://node.example' },
    });
    const role = async (address: string) => onServer(address, readRole);
    expect(excessOf(await role(SERVER))).toContain('is a superuser');
    expect(excessOf(await role(url.href))).toContain('owns the tables');
    expect(excessOf(await role(urlOfRole(url.href, 'web', 'x')))).toBeNull();
    await onServer(url.href, async (client) => {
      await expect(refuseUnsafeRole(client, live)).rejects.toThrow(
        /^The role in DATABASE_URL is unsafe: .+ owns the tables/,
      );
      await expect(refuseUnsafeRole(client, testConfig())).resolves.toBeUndefined();
    });
    await onServer(urlOfRole(url.href, 'worker', 'x'), (client) => refuseUnsafeRole(client, live));
  });
});

describe('with its own role, the web process', () => {
  const clock = new TestClock();
  let db: TestDatabase;
  let web: Pool;
  beforeAll(async () => {
    db = await openTestDatabase(20);
    await applyRoles(db.url, { passwords: { web: 'web' } });
    web = openPool(urlOfRole(db.url, 'web', 'web'), 3);
  });
  afterAll(async () => {
    const role = roleName(new URL(db.url).pathname.slice(1), 'web');
    await web.end();
    await db.pool.query(`DROP OWNED BY ${role}`);
    await db.pool.query(`DROP ROLE ${role}`);
    await db.close();
  });

  let refund: Awaited<ReturnType<typeof createRefund>>;
  let cancel: () => Promise<unknown>;
  beforeEach(async () => {
    const context = { ...testContext(db, clock), pool: web };
    const merchant = await makeMerchant(db, context);
    const session_id = await makePaidSession(db, { storeId: merchant.storeId, closedAt: clock.now(), cents: 300 });
    refund = await createRefund(context, merchant.caller(), refundRequest({ session_id, amount: 100 }));
    cancel = () => cancelRefund(context, merchant.caller(), refund.refundId);
  });

  test('requests a refund and cancels it', async () => {
    await cancel();
    expect(await db.prisma.refund.findUniqueOrThrow({ where: { id: refund.id } })).toMatchObject({
      status: 'canceled',
    });
  });

  test('begins the era of positions when it writes the first event after a start of the server', async () => {
    await db.pool.query('DELETE FROM position_eras');
    await web.query('SELECT commit_base()');
    expect(await db.prisma.positionEra.count()).toBe(1);
  });

  test.each([
    ['begins a refund', `UPDATE refunds SET status = 'processing' WHERE id = $1`],
    ['names where a refund goes', `UPDATE refunds SET destination = '0xmine' WHERE id = $1`],
    ['names why a refund goes there', `UPDATE refunds SET destination_kind = 'payer' WHERE id = $1`],
    ['says that the signer was never asked', `UPDATE refunds SET signature_requested_at = NULL WHERE id = $1`],
    ['charges a cost', `UPDATE refunds SET cost_charged = 5 WHERE id = $1`],
  ])('never %s', async (_, text) => {
    await expect(web.query(text, [refund.id])).rejects.toMatchObject(REFUSED);
  });

  test.each(['completed', 'failed'])('never sets a refund %s', async (status) => {
    await transaction(db.pool, (tx) => moveRefund(tx, refund.id, 'begin', { at: clock.now(), signAfter: clock.now() }));
    const text = `UPDATE refunds SET status = '${status}', processed_at = now() WHERE id = $1`;
    await expect(web.query(text, [refund.id])).rejects.toMatchObject(REFUSED);
  });

  test.each(['funding', 'refund_paid', 'refund_converted', 'refund_cost_reserved', 'quarantine_released'])(
    'never posts %s',
    async (kind) => {
      const text = `INSERT INTO ledger_entries (kind, environment) VALUES ($1, 'test')`;
      await expect(web.query(text, [kind])).rejects.toMatchObject(REFUSED);
    },
  );
});

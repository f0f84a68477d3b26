// A database server that is gone without a word, as after a machine lost its power or its network: its connections stay
// open and answer nothing. A relay in front of PostgreSQL plays it; the same address then leads to the next server.

import net from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { allowSeconds, openPool, transaction, type Pool } from './db';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';

const LIMIT_MILLISECONDS = 2000;
const NO_ANSWER = 'Query read timeout';

let db: TestDatabase;
let relay: Relay;
let pool: Pool;
beforeEach(async () => {
  db = await openTestDatabase(2);
  relay = await openRelay(db.url);
  pool = openPool(relay.url, 1);
  pool.options.connectionTimeoutMillis = 30_000;
});
afterEach(async () => {
  await pool.end();
  relay.close();
  await db.close();
});

const serverPid = async () => (await pool.query('SELECT pg_backend_pid() AS pid')).rows[0].pid as number;

test('a statement may take as long as the server allows it, and a connection without an answer is given up soon after', () => {
  const { statement_timeout: statement, query_timeout: answer } = pool.options;
  expect(answer).toBeGreaterThan(Number(statement));
  expect(answer).toBeLessThanOrEqual(2 * Number(statement));
});

test('a statement that gets no answer fails, and the next one uses a new connection', async () => {
  pool.options.query_timeout = LIMIT_MILLISECONDS;
  const before = await serverPid();
  relay.silence();
  await expect(pool.query('SELECT 1')).rejects.toThrow(NO_ANSWER);
  expect(await serverPid()).not.toBe(before);
});

test('a transaction that gets no answer fails, and the next one uses a new connection', async () => {
  pool.options.query_timeout = LIMIT_MILLISECONDS;
  const before = await serverPid();
  const cut = transaction(pool, async (tx) => {
    relay.silence();
    await tx.query('SELECT 1');
  });
  await expect(cut).rejects.toThrow(NO_ANSWER);
  expect(pool.totalCount).toBe(0);
  const next = await transaction(pool, async (tx) => tx.query('SELECT pg_backend_pid() AS pid'));
  expect(next.rows[0].pid).not.toBe(before);
});

test('a transaction may allow its statements more, and the connection’s next user gets no more than before', async () => {
  pool.options.query_timeout = LIMIT_MILLISECONDS;
  await transaction(pool, async (tx) => {
    await allowSeconds(tx, 20);
    await tx.query('SELECT pg_sleep($1)', [(2 * LIMIT_MILLISECONDS) / 1000]);
  });
  const next = pool.query('SELECT pg_sleep($1)', [(2 * LIMIT_MILLISECONDS) / 1000]);
  await expect(next).rejects.toThrow(NO_ANSWER);
});

test('a connection is replaced after a while, so that none stays with a former server', async () => {
  expect(pool.options.maxLifetimeSeconds).toBeGreaterThan(0);
  expect(pool.options.maxLifetimeSeconds).toBeLessThanOrEqual(600);
  pool.options.maxLifetimeSeconds = 0.05;
  const before = await serverPid();
  await pool.query('SELECT pg_sleep(0.2)');
  expect(await serverPid()).not.toBe(before);
});

type Relay = { readonly url: string; readonly silence: () => void; readonly close: () => void };

async function openRelay(target: string): Promise<Relay> {
  const { hostname, port } = new URL(target);
  const open = new Set<net.Socket>();
  const pairs = new Set<readonly [net.Socket, net.Socket]>();
  const server = net.createServer((client) => {
    const behind = net.connect(Number(port), hostname);
    pairs.add([client, behind]);
    for (const [from, to] of [
      [client, behind],
      [behind, client],
    ] as const) {
      open.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  url.port = String((server.address() as net.AddressInfo).port);
  const silence = () => {
    for (const [client, behind] of pairs) {
      client.unpipe(behind);
      behind.unpipe(client);
    }
    pairs.clear();
  };
  const close = () => {
    for (const socket of open) socket.destroy();
    server.close();
  };
  return { url: url.href, silence, close };
}

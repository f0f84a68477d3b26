// What the probes say while the database fails over: a real standby takes over behind one address.

import { once } from 'node:events';
import fs from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { answer } from '@/lib/api/answer';
import { openServices, type Services } from '@/lib/api/services';
import { openPool, sqlState, transaction } from '@/lib/platform/database/db';
import {
  disconnect,
  startServer,
  startStandby,
  untilReplayed,
  type RunningServer,
} from '@/testing/database/physical-copy';
import { makeStore, signedRequest, TestClock, testConfig, testContext, type TestStore } from '@/testing/fixtures';
import { useTemporaryDirectory } from '@/testing/temporary-directory';
import { answerHealth, answerLive, answerReady } from './health';

const config = testConfig();
const clock = new TestClock();
const scratch = useTemporaryDirectory();
let primary: RunningServer;
let standby: RunningServer;
let store: TestStore;
/** Leads every new connection to one of the servers, as a load balancer or a name does. */
let target = '';
/** Sleeps, so that three at once are on three connections. */
const FENCED = `SELECT current_setting('default_transaction_read_only') AS "on" FROM pg_sleep(0.1)`;
const sockets = new Set<net.Socket>();
const balancer = net.createServer((socket) => {
  const { hostname, port } = new URL(target);
  const server = net.connect(Number(port), hostname);
  for (const one of [socket, server]) {
    sockets.add(one);
    one.on('error', () => one.destroy()).on('close', () => sockets.delete(one));
  }
  socket.pipe(server).pipe(socket);
});
let services: Services;

beforeAll(async () => {
  fs.chmodSync(scratch, 0o755);
  primary = await startServer(path.join(scratch, 'primary'));
  store = await makeStore(primary, config);
  standby = await startStandby(primary, path.join(scratch, 'standby'));
  await untilReplayed(primary, standby);
  await once(balancer.listen(0, '127.0.0.1'), 'listening');
}, 120_000);
beforeEach(async () => {
  target = primary.url;
  const url = new URL(primary.url);
  url.port = String((balancer.address() as AddressInfo).port);
  await services?.pool.end();
  const pool = openPool(url.href, 3);
  services = openServices(testContext({ ...primary, pool }, clock, config), () => []);
});
afterAll(async () => {
  await services.pool.end();
  for (const socket of sockets) socket.destroy();
  balancer.close();
  await standby.stop();
  await primary.stop();
});

const probe = async () => {
  // The answers are kept for a second.
  clock.advance(1);
  const [live, health, ready] = [answerLive(), await answerHealth(services), await answerReady(services)];
  return [live.status, health.status, health.body, ready.status, ready.body];
};
const ok = '{"status":"ok"}';
const whole = [200, 200, ok, 200, ok];
const broken = (reason: string) => [
  ...[200, 503, '{"status":"unavailable"}'],
  ...[503, `{"status":"unavailable","reasons":["${reason}"]}`],
];
const read = async () => {
  const request = signedRequest(store, { method: 'GET', path: '/api/v1/events', now: clock.now() });
  const { status, headers } = await answer(services, request);
  return [status, headers['Retry-After']];
};

test('a working process is alive, healthy and ready', async () => {
  expect(await probe()).toEqual(whole);
  expect(await read()).toEqual([200, undefined]);
});

test('a process whose pages do not answer is healthy, and not ready', async () => {
  services.arePagesReady = () => Promise.resolve(false);
  expect(await probe()).toEqual([200, 200, ok, 503, '{"status":"unavailable","reasons":["pages"]}']);
});

test('a process that is told to stop is not ready from then on, and healthy and alive until it ends', async () => {
  expect(await probe()).toEqual(whole);
  services.isStopping = true;
  // A balancer must not wait for a kept answer.
  expect(await answerReady(services)).toMatchObject({ status: 503, body: expect.stringContaining('["stopping"]') });
  expect(await probe()).toEqual([200, 200, ok, 503, '{"status":"unavailable","reasons":["stopping"]}']);
});

test('a process whose version needs another schema is not ready, and one beside a newer version is', async () => {
  const rename = (from: string, to: string) =>
    primary.pool.query('UPDATE _prisma_migrations SET migration_name = $2 WHERE migration_name = $1', [from, to]);
  await primary.pool.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('newer', '', 'newer', now())`,
  );
  expect(await probe()).toEqual(whole);
  await rename('20261121100000_listing', 'away');
  expect(await probe()).toEqual([200, 200, ok, 503, '{"status":"unavailable","reasons":["schema"]}']);
  await rename('away', '20261121100000_listing');
  await primary.pool.query('ALTER TABLE _prisma_migrations RENAME TO renamed');
  clock.advance(1);
  expect((await answerReady(services)).body).toContain('["schema"]');
  await primary.pool.query('ALTER TABLE renamed RENAME TO _prisma_migrations');
  expect(await probe()).toEqual(whole);
});

test('many probes share one check, and its answer for a second', async () => {
  const asked = vi.spyOn(services.pool, 'connect');
  const many = () => Promise.all(Array.from({ length: 50 }, () => answerHealth(services)));
  await many();
  await many();
  expect(asked).toHaveBeenCalledTimes(1);
  clock.advance(1);
  await many();
  expect(asked).toHaveBeenCalledTimes(2);
});

test('a process whose connections are all in use is busy and stays ready; when none of them ever answered, it is not', async () => {
  const takeAll = () => Promise.all([1, 2, 3].map(() => services.pool.connect()));
  const first = await takeAll();
  expect(await probe()).toEqual(broken('database'));
  for (const client of first) client.release();
  const second = await takeAll();
  const busy = '{"status":"busy"}';
  expect(await probe()).toEqual([200, 200, busy, 200, busy]);
  for (const client of second) client.release();
  expect(await probe()).toEqual(whole);
}, 20_000);

test('a process without its database is alive, and neither healthy nor ready', async () => {
  target = 'postgresql://127.0.0.1:1/app';
  expect(await probe()).toEqual(broken('database'));
});

test('during a failover the standby is reported, requests may be sent again, and the promoted server is used at once', async () => {
  const { pool } = services;
  // Connections of requests in progress, which outlive the switch.
  await Promise.all([1, 2, 3].map(() => pool.query('SELECT pg_sleep(0.2)')));
  await disconnect(primary, standby);
  for (const socket of sockets) socket.destroy();
  target = standby.url;
  expect(await probe()).toEqual(broken('read_only'));
  expect(await read()).toEqual([503, '2']);
  expect(await probe()).toEqual(broken('read_only'));
  await standby.pool.query('SELECT pg_promote(true, 60)');
  expect(await probe()).toEqual(whole);
  expect(await read()).toEqual([200, undefined]);
}, 60_000);

test('connections to a former server that was set to read only are given up, each after one failure', async () => {
  const { pool } = services;
  const write = () => transaction(pool, (tx) => tx.query('SELECT pg_current_xact_id()'));
  // All three connections are open, and lead to the server that is about to be fenced.
  await Promise.all([write(), write(), write()]);
  await primary.pool.query('ALTER SYSTEM SET default_transaction_read_only = on');
  await primary.pool.query('SELECT pg_reload_conf()');
  // The server's processes read the change one by one, each before its next statement.
  const isFenced = async () => {
    const answers = await Promise.all([1, 2, 3].map(() => pool.query<{ on: string }>(FENCED)));
    return answers.every(({ rows }) => rows[0]?.on === 'on');
  };
  await expect.poll(isFenced, { timeout: 20_000 }).toBe(true);
  target = standby.url;
  const nonce = `INSERT INTO nonces (key_id, nonce) VALUES (NULL, NULL)`;
  const tries = await Promise.all([1, 2, 3].map(() => transaction(pool, (tx) => tx.query(nonce)).catch(sqlState)));
  expect(tries).toEqual(['25006', '25006', '25006']);
  expect(await probe()).toEqual(whole);
  await write();
}, 60_000);

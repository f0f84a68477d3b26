// A web process with its own database role runs the worker's steps with the worker's role, and not without it.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerCron } from '@/lib/api/cron';
import { answerReady } from '@/lib/api/public/health';
import type { Services } from '@/lib/api/services';
import { openPool, type Pool } from '@/lib/platform/database/db';
import { openFrontServer, type FrontServer } from '@/testing/front-server';
import { applyRoles, roleName, urlOfRole } from './apply.mjs';

const SECRET = 'a-secret-of-the-host';
const REQUEST = { method: 'GET', authorization: `Bearer ${SECRET}` };

let front: FrontServer;
let web: Pool;
beforeAll(async () => {
  front = await openFrontServer({ CRON_SECRET: SECRET });
  await applyRoles(front.db.url, { passwords: { web: 'web', worker: 'worker' } });
  web = openPool(urlOfRole(front.db.url, 'web', 'web'), 3);
});
afterAll(async () => {
  const database = new URL(front.db.url).pathname.slice(1);
  const [name, other] = [roleName(database, 'web'), roleName(database, 'worker')];
  await web.end();
  await front.db.pool.query(`DROP OWNED BY ${name}, ${other}`);
  await front.db.pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1`, [other]);
  await front.db.pool.query(`DROP ROLE ${name}, ${other}`);
  await front.close();
});

type Answered = { readonly status: number; readonly failed: readonly string[] };

async function pass(changes: Partial<Services['config']>): Promise<Answered> {
  const config = { ...front.services.config, ...changes };
  const { status, body } = await answerCron({ ...front.services, pool: web, config }, REQUEST);
  const { steps } = JSON.parse(body) as { steps: { name: string; failed: boolean }[] };
  return { status, failed: steps.filter(({ failed }) => failed).map(({ name }) => name) };
}

test('a run with WORKER_DATABASE_URL runs every step', async () => {
  const WORKER_DATABASE_URL = urlOfRole(front.db.url, 'worker', 'worker');
  expect(await pass({ WORKER_DATABASE_URL })).toEqual({ status: 200, failed: [] });
});

test('a run with the role of web alone fails', async () => {
  const { status, failed } = await pass({});
  expect(status).toBe(500);
  expect(failed).toContain('clear what is spent');
});

test('the role of web may read whether the schema is that of this version', async () => {
  expect(await answerReady({ ...front.services, pool: web })).toMatchObject({ status: 200, body: '{"status":"ok"}' });
});

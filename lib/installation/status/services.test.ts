// Webhooks and refunds are delayed when no worker processes due work, but not when one store's receiver or refund waits.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openRefundScene } from '@/testing/refunds/destined-refund';
import { makeEndpoint, recordEvent } from '@/testing/receivers/webhooks';
import { testConfig } from '@/testing/fixtures';
import { readServices } from './services';

const TO_LOOPBACK = testConfig({ WEBHOOKS_TO_LOOPBACK: 'on' });
let db: TestDatabase;
let scene: Awaited<ReturnType<typeof openRefundScene>>;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(async () => {
  await db.pool.query('DELETE FROM webhook_endpoints; DELETE FROM deliveries');
  scene = await openRefundScene(db);
});

const states = async () =>
  Object.fromEntries((await readServices(scene.context)).map(({ service, state }) => [service, state]));
/** For a statement that sees only rows older than this many seconds. */
const ago = (seconds: number) => new Date(scene.clock.now().getTime() - seconds * 1000);

async function dueDelivery(seconds: number): Promise<void> {
  const endpoint = await makeEndpoint(db, { ...scene.context, config: TO_LOOPBACK }, 'http://127.0.0.1:9/hook');
  await recordEvent(scene.context, endpoint);
  await db.pool.query('UPDATE deliveries SET next_at = $1', [ago(seconds)]);
}

it('are healthy while no work is overdue', async () => {
  expect(await states()).toEqual({ webhooks: 'ok', refunds: 'ok' });
  await dueDelivery(100);
  expect(await states()).toEqual({ webhooks: 'ok', refunds: 'ok' });
});

it('shows webhooks as delayed when a delivery is overdue and no attempt of any store has started', async () => {
  await dueDelivery(130);
  expect(await states()).toMatchObject({ webhooks: 'delayed' });
  await db.pool.query(
    `INSERT INTO delivery_attempts (delivery_id, number, url, started_at) SELECT id, 1, 'https://shop.example/hook', $1
     FROM deliveries`,
    [ago(10)],
  );
  expect(await states()).toMatchObject({ webhooks: 'ok' });
  await db.pool.query('UPDATE delivery_attempts SET started_at = $1', [ago(130)]);
  await db.pool.query('UPDATE webhook_endpoints SET paused_at = $1', [ago(130)]);
  expect(await states()).toMatchObject({ webhooks: 'ok' });
});

it.each([
  ['frozen', 130, 'delayed'],
  ['frozen', 100, 'ok'],
  ['destination_needed', 130, 'ok'],
  [null, 130, 'delayed'],
] as const)('a refund held by %s for %i seconds makes refunds %s', async (hold, seconds, state) => {
  await db.pool.query(
    `UPDATE refunds SET next_at = 'infinity', held_at = CASE WHEN hold IS NOT NULL THEN 'infinity'::timestamptz END`,
  );
  await scene.refund(await scene.session(), hold === null ? {} : { hold });
  await db.pool.query(
    `UPDATE refunds SET next_at = $1, held_at = CASE WHEN hold IS NOT NULL THEN $1::timestamptz END
     WHERE next_at < 'infinity'`,
    [ago(seconds)],
  );
  expect(await states()).toMatchObject({ refunds: state });
});

// An endpoint that fails for long: its members are notified once, another address resumes it, and old statistics are deleted.

import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { removeWebhookEndpoint, setWebhookEndpoint } from '@/lib/merchants/stores/webhook-endpoint';
import { openAccounts, type Accounts } from '@/testing/accounts';
import { makeEndpoint, recordEvent, type TestEndpoint } from '@/testing/receivers/webhooks';
import type { MemberRole } from '@/prisma/generated/enums';
import { clearWebhookHours } from '@/lib/webhooks/endpoint/clear-hours';
import { readEndpointHealth } from '@/lib/webhooks/endpoint/health';
import { pauseEndpoint, resumeEndpoint } from '@/lib/webhooks/endpoint/pause';
import { notifyPaused } from './endpoint-paused-step';

const FIRST = 'http://127.0.0.1:9/first';
const OTHER = 'http://127.0.0.1:9/other';
let accounts: Accounts;
let store: TestEndpoint;

beforeAll(async () => {
  accounts = await openAccounts();
});
afterAll(() => accounts.close());
beforeEach(async () => {
  store = await makeEndpoint(accounts.database, accounts.context, FIRST);
});
afterEach(() => accounts.database.pool.query('TRUNCATE webhook_pauses, mails'));

/** Pauses an endpoint like the statement that stores outcomes (write-outcomes). */
async function pausedByService(reason: 'gone' | 'failing'): Promise<void> {
  const { pool } = accounts.database;
  await pool.query('UPDATE webhook_endpoints SET paused_at = now(), failed_in_a_row = 50 WHERE store_id = $1', [
    store.storeId,
  ]);
  await pool.query(
    `INSERT INTO webhook_pauses (store_id, environment, reason, paused_at) VALUES ($1, 'test', $2::"PauseReason", now())`,
    [store.storeId, reason],
  );
}
async function member(role: MemberRole): Promise<string> {
  const { id, email } = await accounts.user({ email: `${role}-${randomUUID()}@shop.example` });
  await accounts.member(store.storeId, id, role);
  return email;
}
/** The owner that a test's store is made with. */
const founder = async (): Promise<string[]> => {
  const text = 'SELECT u.email FROM members m JOIN users u ON u.id = m.user_id WHERE m.store_id = $1';
  return (await accounts.database.pool.query(text, [store.storeId])).rows.map(({ email }) => email);
};
const recipients = async (): Promise<string[]> =>
  (await accounts.database.pool.query('SELECT recipient FROM mails ORDER BY id')).rows.map(
    ({ recipient }) => recipient,
  );

describe('of a pause that the service made', () => {
  test('only the members who may act are notified, once', async () => {
    const founders = await founder();
    const [owner, developer] = [await member('owner'), await member('developer')];
    await member('support');
    await member('viewer');
    await pausedByService('failing');
    const [first, second] = await Promise.all([notifyPaused(accounts.context), notifyPaused(accounts.context)]);
    expect([first, second]).toEqual([{ more: false }, { more: false }]);
    await notifyPaused(accounts.context);
    expect((await recipients()).toSorted()).toEqual([...founders, owner, developer].toSorted());
    const mail = await accounts.lastMail(owner);
    expect(mail?.text).toContain(`/dashboard/${store.storeId}/test/webhooks`);
    expect(mail?.text).not.toContain(FIRST);
  });

  test('no mail is sent about a pause that has ended or that a member requested', async () => {
    await member('owner');
    await pausedByService('gone');
    await resumeEndpoint(accounts.context, { ...store, by: 'user:1' });
    await pauseEndpoint(accounts.context, { ...store, by: 'user:1' });
    await notifyPaused(accounts.context);
    expect(await recipients()).toEqual([]);
    const { rows } = await accounts.database.pool.query('SELECT reason, noticed_at FROM webhook_pauses ORDER BY id');
    expect(rows).toEqual([
      { reason: 'gone', noticed_at: expect.any(Date) },
      { reason: 'requested', noticed_at: null },
    ]);
  });
});

describe('another address', () => {
  const health = async () => await readEndpointHealth(accounts.context, store);
  const set = (url: string) => setWebhookEndpoint(accounts.context, { ...store, url }, { by: 'user:7', address: '' });

  test('resumes an endpoint that the service had paused, with its waiting deliveries; the same address does not', async () => {
    await pausedByService('failing');
    await recordEvent(accounts.context, store);
    expect(await set(FIRST)).toEqual({ secret: null });
    expect((await health())?.pausedAt).not.toBeNull();
    expect(await set(OTHER)).toEqual({ secret: null, replayed: 1 });
    expect(await health()).toMatchObject({
      pausedAt: null,
      failedInARow: 0,
      pauses: [{ reason: 'failing', resumedBy: 'user:7', replayed: 1 }],
    });
  });

  test('does not resume an endpoint that a member had paused', async () => {
    await pauseEndpoint(accounts.context, { ...store, by: 'user:7' });
    expect(await set(OTHER)).toEqual({ secret: null });
    expect((await health())?.pausedAt).not.toBeNull();
  });

  test('of a new endpoint can be paused after the old endpoint was removed while paused', async () => {
    await pausedByService('gone');
    await removeWebhookEndpoint(accounts.context, store);
    await set(OTHER);
    expect(await pauseEndpoint(accounts.context, { ...store, by: 'user:7' })).toBe(true);
    expect((await health())?.pauses.map(({ reason, resumedAt }) => [reason, resumedAt === null])).toEqual([
      ['requested', true],
      ['gone', false],
    ]);
  });
});

test('hourly numbers are kept for as long as the longest chart, and no longer', async () => {
  const { pool } = accounts.database;
  await pool.query('TRUNCATE webhook_hours');
  const now = accounts.clock.now().getTime();
  const hoursAgo = (hours: number) => new Date(now - hours * 3_600_000);
  for (const hours of [0, 14 * 24, 16 * 24, 400 * 24])
    await pool.query(`INSERT INTO webhook_hours VALUES ($1, 'test', $2, 0, 1, 1)`, [store.storeId, hoursAgo(hours)]);
  expect(await clearWebhookHours(accounts.context)).toEqual({ more: false });
  const { rows } = await pool.query('SELECT hour FROM webhook_hours ORDER BY hour DESC');
  expect(rows.map(({ hour }) => hour)).toEqual([hoursAgo(0), hoursAgo(14 * 24)]);
});

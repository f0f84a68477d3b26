// The first steps of a store: what completes each, and hiding the list for all members, through the adapter.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readFirstSteps } from '@/lib/merchants/stores/first-steps';
import { forceStoreStatus } from '@/testing/database/forced-status';
import { openAccounts, browserRequest, cookieOf, type Accounts } from '@/testing/accounts';
import { makeStore } from '@/testing/fixtures';
import { makePaidSession } from '@/testing/payments/paid-session';
import type { ApiResponse } from '@/lib/platform/http';
import type { MemberRole } from '@/prisma/generated/enums';
import { answerDashboard } from './adapter';
import { ROUTES } from './routes';

let accounts: Accounts;
let storeId = '';

beforeAll(async () => {
  accounts = await openAccounts();
});
afterAll(() => accounts.close());
beforeEach(async () => {
  storeId = (await makeStore(accounts.database, accounts.config)).storeId;
  await forceStoreStatus(accounts.database.pool, storeId, 'pending');
  await run(`UPDATE stores SET website = NULL, description = NULL WHERE id = $1`);
});

const run = (text: string) => accounts.database.pool.query(text, [storeId]);
const read = () => readFirstSteps(accounts.context.pool, storeId);
const done = async () => (await read()).done;
const NONE = { branding: false, payment: false, webhook: false, approval: false };

async function hide(role: MemberRole, body: object) {
  const user = await accounts.user();
  await accounts.member(storeId, user.id, role);
  const request = browserRequest(accounts.context, {
    method: 'POST',
    path: `/api/dashboard/stores/${storeId}/first-steps`,
    cookie: await cookieOf(accounts.context, await accounts.login(user.id)),
    body,
  });
  return ((await answerDashboard(accounts.context, request, ROUTES)) as ApiResponse).status;
}

test('a new store has done none of its first steps, and the list is shown', async () => {
  expect(await read()).toEqual({ isHidden: false, done: NONE });
});

test('the branding step needs a support contact and a name, colour or logo', async () => {
  const branding = (columns: string) =>
    run(`INSERT INTO store_branding (store_id, updated_at, support_contact, brand_color, display_name)
         VALUES ($1, now(), ${columns})
         ON CONFLICT (store_id) DO UPDATE SET support_contact = excluded.support_contact,
           brand_color = excluded.brand_color, display_name = excluded.display_name`);
  for (const [columns, isDone] of [
    [`'help@shop.example', NULL, NULL`, false],
    [`NULL, '#aa0000', 'Harbour'`, false],
    [`'help@shop.example', '#aa0000', NULL`, true],
    [`'help@shop.example', NULL, 'Harbour'`, true],
  ] as const) {
    await branding(columns);
    expect([columns, (await done()).branding]).toEqual([columns, isDone]);
  }
});

test('only a paid session of the test environment is a first test payment', async () => {
  const { database, clock } = accounts;
  const id = await makePaidSession(database, { storeId, closedAt: clock.now(), cents: 300 });
  expect(await done()).toEqual({ ...NONE, payment: true });
  await database.pool.query(`UPDATE sessions SET environment = 'live' WHERE id = $1`, [id]);
  expect(await done()).toEqual(NONE);
});

test("an endpoint of either environment completes the webhook step, another store's does not", async () => {
  const other = await makeStore(accounts.database, accounts.config);
  const add = (id: string, environment: string) =>
    accounts.database.pool.query(
      `INSERT INTO webhook_endpoints (id, store_id, environment, url, secret_ciphertext)
       VALUES ($1, $2, $3::"Environment", 'https://shop.example/hook', '\\x00')`,
      [randomUUID(), id, environment],
    );
  await add(other.storeId, 'test');
  expect((await done()).webhook).toBe(false);
  await add(storeId, 'live');
  expect(await done()).toEqual({ ...NONE, webhook: true });
});

test('naming the website, the description and a contact requests approval, and the approval completes the step', async () => {
  await run(`UPDATE stores SET website = 'https://shop.example' WHERE id = $1`);
  expect((await done()).approval).toBe(false);
  await run(`UPDATE stores SET description = 'Rope' WHERE id = $1`);
  // An operator cannot approve it yet (STORE_WITHOUT_CONTACT), so that the merchant still has something to do.
  expect((await done()).approval).toBe(false);
  await run(
    `INSERT INTO store_branding (store_id, updated_at, support_contact) VALUES ($1, now(), 'help@shop.example')`,
  );
  expect(await done()).toEqual({ ...NONE, approval: true });
  await run(`UPDATE stores SET website = NULL WHERE id = $1`);
  expect((await done()).approval).toBe(false);
  await run(`UPDATE stores SET status = 'approved' WHERE id = $1`);
  expect((await done()).approval).toBe(true);
  await forceStoreStatus(accounts.database.pool, storeId, 'rejected');
  await run(`UPDATE stores SET website = 'https://shop.example' WHERE id = $1`);
  expect((await done()).approval).toBe(false);
});

test('hiding and showing the list is stored for the store', async () => {
  expect(await hide('owner', { is_hidden: true })).toBe(200);
  expect((await read()).isHidden).toBe(true);
  expect(await hide('developer', { is_hidden: false })).toBe(200);
  expect((await read()).isHidden).toBe(false);
  expect(await hide('viewer', { is_hidden: true })).toBe(403);
  expect(await hide('owner', { is_hidden: 'yes' })).toBe(400);
  expect((await read()).isHidden).toBe(false);
});

// A merchant's whole journey in the browser, from sign-up to a refund on the chain. A user invited into the store has
// exactly the rights of the role.

import { randomUUID } from 'node:crypto';
import type { Page } from '@playwright/test';
import { answerAt, asOperator, linkInMail, newPerson, newStore, otherPage, signIn } from './console';
import { Merchant } from './merchant';
import { expect, test } from './story';

const PASSWORD = 'six ferries in the morning fog';

/** Signs up, and sets the password through the mailed link, which signs in. */
async function signUp(page: Page): Promise<string> {
  const email = `journey-${randomUUID()}@shop.example`;
  await page.goto('/signup');
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByText(`We have sent a message to ${email}`)).toBeVisible();
  await page.goto(await linkInMail(page, email, /^Confirm your/));
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Set password and sign in' }).click();
  await page.waitForURL('**/dashboard');
  return email;
}

/** Fills in the form of a new store and returns the store's id. */
async function createStore(page: Page, name: string): Promise<string> {
  await page.goto('/dashboard/new');
  const dialog = page.getByRole('dialog', { name: 'New store' });
  await dialog.getByLabel('Name', { exact: false }).first().fill(name);
  await dialog.getByLabel(/^Website/).fill('https://harbour.example');
  await dialog.getByText('More settings').click();
  await dialog.getByLabel(/^What it sells/).fill('Rope, lamps and good advice');
  // Customers of this store pay on one network only.
  for (const network of ['Ethereum', 'Solana', 'TRON']) await dialog.getByRole('checkbox', { name: network }).uncheck();
  await dialog.getByRole('button', { name: 'Create store' }).click();
  await page.waitForURL('**/dashboard/st_*/test/overview');
  // The frame around the page shows the new store without a reload.
  await expect(page.getByRole('navigation').getByRole('link', { name: 'API keys' })).toBeVisible();
  await expect(page.getByRole('button', { name: `Switch store: ${name}` })).toBeVisible();
  return new URL(page.url()).pathname.split('/')[2] as string;
}

/** Creates a test key and returns the values that are shown once. */
async function createKey(page: Page, storeId: string) {
  await page.goto(`/dashboard/${storeId}/test/keys`);
  await page.getByRole('button', { name: 'Create a key' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Create a key' });
  await dialog.getByLabel('Name').fill('Till');
  await dialog.getByRole('button', { name: 'Create a key' }).click();
  const shown = page.getByRole('group', { name: 'Key and secret' }).locator('code');
  await expect(shown).toHaveCount(3);
  const [api_key = '', api_secret = ''] = (await shown.allTextContents()).map((line) => line.split('=')[1] ?? '');
  await page.getByRole('button', { name: 'I have kept it' }).click();
  return { api_key, api_secret };
}

test('a merchant signs up, is approved, creates a key, receives a payment and refunds it', async ({
  page,
  browser,
  baseURL,
}) => {
  test.setTimeout(240_000);
  const operator = await otherPage(browser, baseURL as string);
  await asOperator(operator);
  await signUp(page);
  const name = `Quay ${randomUUID().slice(0, 8)}`;
  const storeId = await createStore(page, name);
  await operator.goto('/operator/stores');
  await operator.getByRole('link', { name }).click();
  await expect(operator.getByRole('heading', { level: 1, name })).toBeVisible();
  await expect(operator.getByRole('main')).toContainText('Rope, lamps and good advice');
  await answerAt(operator, 'Approve', 'Approve', 'Welcome aboard.');

  const key = await createKey(page, storeId);
  const merchant = new Merchant(baseURL as string, key);
  const order = `quay-${randomUUID().slice(0, 8)}`;
  const session = await merchant.create({ order_id: order });
  const status = (await (await fetch(`${session.url}/status`)).json()) as { methods: { network: string }[] };
  expect(status.methods.map(({ network }) => network)).toEqual(['bsc']);
  await page.goto(`/dashboard/${storeId}/test/keys`);
  await expect(page.getByRole('row', { name: /Till/ })).not.toContainText('Never');

  await merchant.pay(session.id);
  await expect(async () => {
    await page.goto(`/dashboard/${storeId}/test/payments?q=${order}`);
    await expect(page.getByRole('row', { name: new RegExp(order) })).toContainText('Paid', { timeout: 1000 });
  }).toPass({ timeout: 90_000 });
  await page.getByRole('link', { name: order }).click();
  await page.getByRole('button', { name: 'Make a refund' }).click();
  const dialog = page.getByRole('dialog', { name: 'Make a refund' });
  await dialog.getByLabel('Amount in USDT').fill('2.34');
  await dialog.getByRole('button', { name: 'Refund 2.34 USDT' }).click();
  await page.waitForURL('**/refunds/re_*');
  await expect(async () => {
    await page.reload();
    await expect(page.getByRole('main')).toContainText('Completed', { timeout: 1000 });
  }).toPass({ timeout: 90_000 });
});

test('an invited person joins with the offered role and no other', async ({ page, browser, baseURL }) => {
  const [desk, theirs] = [await otherPage(browser, baseURL as string), await otherPage(browser, baseURL as string)];
  await asOperator(desk);
  const store = await newStore(page, desk);
  const guest = await newPerson(theirs, desk);
  await page.goto(`/dashboard/${store.id}/members`);
  await page.getByRole('button', { name: 'Invite a member' }).click();
  const dialog = page.getByRole('dialog', { name: 'Invite a member' });
  await dialog.getByLabel('E-mail').fill(guest.email);
  await dialog.getByLabel('Role').selectOption({ label: 'Viewer – can only view' });
  await dialog.getByRole('button', { name: 'Send invitation' }).click();
  await expect(page.getByText('Invitation sent.')).toBeVisible();
  await expect(page.getByRole('table', { name: 'Open invitations' })).toContainText(guest.email);

  // The guest has no access to the store until the invitation is accepted.
  await signIn(theirs, guest, '/dashboard');
  expect((await theirs.goto(`/dashboard/${store.id}/members`))?.status()).toBe(404);
  const link = await linkInMail(theirs, guest.email, /^You are invited/);
  await theirs.goto(link);
  await expect(theirs.getByRole('heading', { name: `Join ${store.name}` })).toBeVisible();
  const [accepted] = await Promise.all([
    theirs.waitForResponse(/\/api\/dashboard\/invite$/),
    theirs.getByRole('button', { name: 'Accept the invitation' }).click(),
  ]);
  expect(accepted.status(), await accepted.text().catch(() => '')).toBe(200);
  await theirs.waitForURL((url) => url.pathname.startsWith('/dashboard'));
  await theirs.goto(`/dashboard/${store.id}/test/payments`);
  await expect(theirs.getByRole('heading', { level: 1, name: 'Payments' })).toBeVisible();
  await theirs.goto(`/dashboard/${store.id}/members`);
  await expect(theirs.getByRole('button', { name: 'Invite a member' })).toHaveCount(0);
  expect(
    await theirs.evaluate(
      async (path) =>
        (
          await fetch(path, {
            method: 'POST',
            headers: { 'Content-Type': 'application/json' },
            body: JSON.stringify({ name: 'Not mine' }),
          })
        ).status,
      `/api/dashboard/stores/${store.id}/test/keys`,
    ),
  ).toBe(403);

  // The link works once.
  await theirs.goto(link);
  await expect(theirs.getByRole('button', { name: 'Accept the invitation' })).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole('table').first()).toContainText('Viewer');
});

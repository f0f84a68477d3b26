// A merchant's day in the dashboard: a key is made and used, the payment is seen, refunded and exported, and the key is rolled
// while it works. Every page is looked at by axe, by its structure on a phone, and for anything that the policy forbids.

import { createHmac, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';
import { expect, test } from './story';

type Sandbox = {
  merchants: { email: string; password: string }[];
  stores: { store_id?: string; id?: string; merchant_email: string }[];
};
const sandbox = (): Sandbox => JSON.parse(readFileSync(process.env.SANDBOX_JSON ?? '.data/sandbox.json', 'utf8'));
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Key = { readonly key: string; readonly secret: string };

async function call(base: string, { key, secret }: Key, method: string, path: string, content?: object) {
  const body = content ? JSON.stringify(content) : '';
  const timestamp = String(Math.floor(Date.now() / 1000));
  const nonce = randomUUID();
  const response = await fetch(base + path, {
    method,
    headers: {
      ...(content && { 'Content-Type': 'application/json' }),
      Authorization: `Bearer ${key}`,
      'X-Service-Timestamp': timestamp,
      'X-Service-Nonce': nonce,
      'X-Service-Signature': createHmac('sha256', secret).update(`${timestamp}.${nonce}.${body}`).digest('hex'),
    },
    ...(content && { body }),
  });
  return { status: response.status, json: (await response.json()) as { id: string; error?: { code: string } } };
}

/** Signs in as a demo merchant and answers their store's path. */
async function signIn(page: Page, merchant = 0): Promise<string> {
  const { email, password } = sandbox().merchants[merchant] as { email: string; password: string };
  await page.goto('/login?callbackUrl=/dashboard');
  await page.locator('input[name=email]').fill(email);
  await page.locator('input[name=password]').fill(password);
  await page.locator('form button[type=submit]').first().click();
  await page.waitForURL(({ pathname }) => pathname === '/dashboard');
  const href = await page.locator('main a[href^="/dashboard/st_"]').first().getAttribute('href');
  return (href as string).split('/').slice(0, 3).join('/');
}

async function shownKey(page: Page): Promise<Key> {
  const shown = page.getByRole('group', { name: 'Key and secret' }).locator('code');
  await expect(shown).toHaveCount(3);
  const lines = await shown.allTextContents();
  const [key = '', secret = ''] = lines.map((line) => line.split('=')[1] ?? '');
  await page.getByRole('button', { name: 'I have kept it' }).click();
  return { key, secret };
}

async function createKey(
  page: Page,
  store: string,
  { requiresSignatureV2 = false } = {},
): Promise<Key & { name: string }> {
  const name = `Story ${randomUUID().slice(0, 8)}`;
  await page.goto(`${store}/test/keys`);
  await page.getByRole('button', { name: 'Create a key' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Create a key' });
  await dialog.getByLabel('Name').fill(name);
  if (requiresSignatureV2) await dialog.getByLabel('Require signature version 2').check();
  await dialog.getByRole('button', { name: 'Create a key' }).click();
  return { ...(await shownKey(page)), name };
}

test('a key is made, a payment is taken with it, refunded from the dashboard, and exported', async ({
  page,
  baseURL,
}) => {
  const base = baseURL as string;
  const store = await signIn(page);
  const key = await createKey(page, store);
  const order = `story-${randomUUID().slice(0, 8)}`;
  const session = await call(base, key, 'POST', '/api/v1/checkout/sessions/create', {
    amount: 1234,
    currency: 'USDT',
    order_id: order,
  });
  expect(session.status).toBe(200);
  const pay = `/api/v1/test_helpers/checkout/sessions/${session.json.id}/pay`;
  expect((await call(base, key, 'POST', pay, { network: 'bsc', currency: 'USDT' })).status).toBeLessThan(300);

  await expect(async () => {
    await page.goto(`${store}/test/payments?q=${order}`);
    await expect(page.getByRole('row', { name: new RegExp(order) })).toContainText('Paid', { timeout: 1000 });
  }).toPass();
  await page.getByRole('link', { name: order }).click();
  await expect(page.getByRole('main')).toContainText(order);
  await expect(page.getByRole('list', { name: 'Timeline' })).toContainText('final on BNB Smart Chain');

  await page.getByRole('button', { name: 'Make a refund' }).click();
  const dialog = page.getByRole('dialog', { name: 'Make a refund' });
  await dialog.getByLabel('Amount in USDT').fill('12.345');
  await dialog.getByRole('button', { name: 'Make a refund' }).click();
  await expect(dialog.getByText('Enter an amount such as 12.50.').last()).toBeVisible();
  await dialog.getByLabel('Amount in USDT').fill('2.34');
  await dialog.getByRole('button', { name: 'Refund 2.34 USDT' }).click();
  await page.waitForURL('**/refunds/re_*');
  // The page follows it by itself.
  await expect(page.getByRole('main')).toContainText('Completed', { timeout: 90_000 });

  await page.goto(`${store}/test/payments?q=${order}`);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export CSV' }).click(),
  ]);
  const text = readFileSync(await download.path(), 'utf8');
  const cells = [session.json.id, order, 'completed', 'none', '12.34', 'USDT', '12.34', 'USDT', 'bsc', '2.34'];
  expect(text).toContain(cells.map((cell) => `"${cell}"`).join(','));
  expect(text.trim().split('\r\n')).toHaveLength(2);
});

test('a key that is rolled while it is in use goes on working beside the new one, until it is revoked', async ({
  page,
  baseURL,
}) => {
  const base = baseURL as string;
  const store = await signIn(page, 1);
  const old = await createKey(page, store);
  const list = (key: Key) => call(base, key, 'GET', '/api/v1/checkout/sessions?limit=1').then(({ status }) => status);
  expect(await list(old)).toBe(200);
  await page.goto(`${store}/test/keys`);
  const row = page.getByRole('row', { name: new RegExp(old.name) });
  await row.getByRole('button', { name: 'Roll' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Roll' }).click();
  const renewed = await shownKey(page);
  expect([await list(old), await list(renewed)]).toEqual([200, 200]);
  await page.reload();
  const replaced = page.getByRole('row', { name: new RegExp(old.name) }).filter({ hasText: 'Being replaced' });
  await replaced.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await expect(page.getByText('Key revoked.')).toBeVisible();
  await expect.poll(() => list(old)).toBe(401);
  expect(await list(renewed)).toBe(200);
});

test('a key that requires signature version 2 refuses version 1 until that is allowed again', async ({
  page,
  baseURL,
}) => {
  const store = await signIn(page, 1);
  const key = await createKey(page, store, { requiresSignatureV2: true });
  const list = () => call(baseURL as string, key, 'GET', '/api/v1/checkout/sessions?limit=1');
  const { status, json } = await list();
  expect([status, json.error?.code]).toEqual([401, 'signature_version_required']);
  await page.goto(`${store}/test/keys`);
  const row = page.getByRole('row', { name: new RegExp(key.name) });
  await expect(row.getByText('Version 2 only')).toBeVisible();
  await row.getByRole('button', { name: 'Allow version 1' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Allow version 1' }).click();
  await expect(row.getByRole('button', { name: 'Require version 2' })).toBeVisible();
  await expect(row.getByText('Version 2 only')).toBeHidden();
  await expect.poll(async () => (await list()).status).toBe(200);
});

const PAGES = [
  'test/overview',
  'test/payments',
  'test/refunds',
  'test/balances',
  'test/events',
  'test/keys',
  'test/webhooks',
  'members',
  'look',
  'settings',
];

test('no page has a serious fault of accessibility, nor scrolls sideways on a phone', async ({ page }) => {
  test.setTimeout(240_000);
  const store = await signIn(page);
  const paths = ['/dashboard', ...PAGES.map((one) => `${store}/${one}`)];
  for (const list of ['payments', 'refunds']) {
    await page.goto(`${store}/test/${list}`);
    const first = page.locator(`main table a[href*="/${list}/"]`).first();
    if ((await first.count()) > 0) paths.push((await first.getAttribute('href')) as string);
  }
  for (const path of paths) {
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(path);
      await page.waitForLoadState('networkidle');
      await page.evaluate(AXE);
      const serious = await page.evaluate(async () => {
        type Found = { id: string; impact: string; nodes: { html: string }[] };
        const { axe } = window as unknown as { axe: { run: () => Promise<{ violations: Found[] }> } };
        const { violations } = await axe.run();
        return violations
          .filter(({ impact }) => impact === 'serious' || impact === 'critical')
          .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
      });
      expect(serious, `${path} at ${width}`).toEqual([]);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(overflow, `${path} at ${width}`).toBeLessThanOrEqual(0);
    }
  }
});

// Shared start of the key stories: a signed-in demo merchant, a key created in the dashboard, and signed API calls.

import { createHmac, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import { expect } from './story';

type Sandbox = {
  merchants: { email: string; password: string }[];
  stores: { store_id?: string; id?: string; merchant_email: string }[];
};
const sandbox = (): Sandbox => JSON.parse(readFileSync(process.env.SANDBOX_JSON ?? '.data/sandbox.json', 'utf8'));

export type Key = { readonly key: string; readonly secret: string };

export async function call(base: string, { key, secret }: Key, method: string, path: string, content?: object) {
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

/** Signs in as a demo merchant and returns the path of their store. */
export async function signIn(page: Page, merchant = 0): Promise<string> {
  const { email, password } = sandbox().merchants[merchant] as { email: string; password: string };
  await page.goto('/login?callbackUrl=/dashboard');
  await page.locator('input[name=email]').fill(email);
  await page.locator('input[name=password]').fill(password);
  await page.locator('form button[type=submit]').first().click();
  await page.waitForURL(({ pathname }) => pathname === '/dashboard');
  const href = await page.locator('main a[href^="/dashboard/st_"]').first().getAttribute('href');
  return (href as string).split('/').slice(0, 3).join('/');
}

/** Chooses an action from a row's menu. */
export async function choose(page: Page, row: Locator, action: string): Promise<void> {
  await row.getByRole('button', { name: 'Actions for' }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

export async function shownKey(page: Page): Promise<Key> {
  const shown = page.getByRole('group', { name: 'Key and secret' }).locator('code');
  await expect(shown).toHaveCount(3);
  const lines = await shown.allTextContents();
  const [key = '', secret = ''] = lines.map((line) => line.split('=')[1] ?? '');
  await page.getByRole('button', { name: 'I have kept it' }).click();
  return { key, secret };
}

export async function createKey(
  page: Page,
  store: string,
  { requiresSignatureV2 = false } = {},
): Promise<Key & { name: string }> {
  const name = `Story ${randomUUID().slice(0, 8)}`;
  await page.goto(`${store}/test/keys`);
  await page.getByRole('button', { name: 'Create a key' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Create a key' });
  await dialog.getByLabel('Name').fill(name);
  if (requiresSignatureV2) {
    await dialog.getByText('More settings').click();
    await dialog.getByLabel('Require signature version 2').check();
  }
  await dialog.getByRole('button', { name: 'Create a key' }).click();
  return { ...(await shownKey(page)), name };
}

// A merchant's keys: one fills the documentation's samples, one is rolled in use, one rejects weaker signatures.

import { randomUUID } from 'node:crypto';
import { call, choose, createKey, shownKey, signIn, type Key } from './merchant-keys';
import { expect, test } from './story';

test('a new test key fills in the samples of the documentation, in that tab, until it is removed or its owner signs out', async ({
  page,
}) => {
  const store = await signIn(page);
  await page.goto(`${store}/test/keys`);
  await page.getByRole('button', { name: 'Create a key' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Create a key' });
  await dialog.getByLabel('Name').fill(`Docs ${randomUUID().slice(0, 8)}`);
  await dialog.getByRole('button', { name: 'Create a key' }).click();
  const [docs] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('button', { name: 'Try it in the documentation' }).click(),
  ]);
  const { key, secret } = await shownKey(page);
  const sample = docs.getByRole('group', { name: 'Get a test key' });
  await expect(sample).toContainText(`export STABLETILL_API_KEY=${key}`);
  await expect(sample).toContainText(`export STABLETILL_API_SECRET=${secret}`);
  const keys = docs.locator('details', { hasText: 'Fill in your own test keys' }).first();
  await keys.locator('summary').click();
  await keys.getByLabel('API secret (as_test_…)').fill('as_test_$(reboot)');
  await expect(keys.getByRole('status')).toContainText('Only test keys');
  await expect(sample).not.toContainText('reboot');
  await keys.getByRole('button', { name: 'Remove the keys' }).click();
  await expect(sample).toContainText('export STABLETILL_API_KEY=ak_test_…');
  await page.goto('/docs/quick-start');
  await expect(page.getByRole('group', { name: 'Get a test key' })).toContainText(key);
  await page.goto('/dashboard');
  await page.getByRole('button', { name: /^Account menu of/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL(/\/login/);
  await page.goto('/docs/quick-start');
  await expect(page.getByRole('group', { name: 'Get a test key' })).toContainText('ak_test_…');
});

test('a rotated key keeps working beside the new one until it is revoked', async ({ page, baseURL }) => {
  const base = baseURL as string;
  const store = await signIn(page, 1);
  const old = await createKey(page, store);
  const list = (key: Key) => call(base, key, 'GET', '/api/v1/checkout/sessions?limit=1').then(({ status }) => status);
  expect(await list(old)).toBe(200);
  await page.goto(`${store}/test/keys`);
  const row = page.getByRole('row', { name: new RegExp(old.name) });
  await choose(page, row, 'Roll');
  await page.getByRole('dialog').getByRole('button', { name: 'Roll' }).click();
  const renewed = await shownKey(page);
  expect([await list(old), await list(renewed)]).toEqual([200, 200]);
  await page.reload();
  const replaced = page.getByRole('row', { name: new RegExp(old.name) }).filter({ hasText: 'Being replaced' });
  await choose(page, replaced, 'Revoke');
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
  await choose(page, row, 'Allow version 1');
  await page.getByRole('dialog').getByRole('button', { name: 'Allow version 1' }).click();
  await expect(row.getByText('Version 2 only')).toBeHidden();
  await row.getByRole('button', { name: 'Actions for' }).press('Enter');
  await expect(page.getByRole('menuitem', { name: 'Require version 2' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(row.getByRole('button', { name: 'Actions for' })).toBeFocused();
  await expect.poll(async () => (await list()).status).toBe(200);
});

// The specification's way to access: a merchant creates a store of channel type API, waits for operator approval, and
// manages its keys from the store list.

import { randomUUID } from 'node:crypto';
import { answerAt, asOperator, newPerson, otherPage, signIn } from './console';
import { Merchant } from './merchant';
import { expect, test } from './story';

test('a store is created with the channel type API, approved, and its keys are managed from the store list', async ({
  page,
  browser,
  baseURL,
}) => {
  test.setTimeout(120_000);
  const operator = await otherPage(browser, baseURL as string);
  await asOperator(operator);
  await signIn(page, await newPerson(page, operator), '/dashboard');
  const name = `Lighthouse ${randomUUID().slice(0, 8)}`;

  await page
    .getByRole('button', { name: 'New store' })
    .or(page.getByRole('button', { name: 'Create store' }))
    .first()
    .click();
  const form = page.getByRole('dialog', { name: 'New store' });
  await form.getByText('More settings').click();
  await expect(form.getByLabel('Channel type')).toHaveValue('API');
  await expect(form.getByLabel('Channel type')).not.toBeEditable();
  await form.getByLabel('Name', { exact: true }).fill(name);
  await form.getByRole('button', { name: 'Create store' }).click();
  await page.waitForURL('**/dashboard/st_*/test/overview');
  const storeId = new URL(page.url()).pathname.split('/')[2] as string;

  await page.goto(`/dashboard/${storeId}/settings`);
  await expect(page.getByLabel('Channel type')).toHaveValue('API');

  await operator.goto('/operator/stores');
  const waiting = operator.getByRole('row', { name });
  await waiting.getByRole('link', { name }).click();
  await expect(
    operator.getByRole('term').filter({ hasText: 'Channel type' }).locator('xpath=following-sibling::dd'),
  ).toHaveText('API');
  await answerAt(operator, 'Approve', 'Approve');

  await page.goto('/dashboard');
  const row = page.getByRole('row', { name });
  await expect(row).toContainText('Approved');
  await expect(page.getByRole('columnheader', { name: 'Channel type' })).toBeVisible();
  await expect(row.getByRole('cell', { name: 'API', exact: true })).toBeVisible();
  await row.getByRole('link', { name: 'Keys' }).click();
  // The sandbox has no live network.
  await page.waitForURL(`**/dashboard/${storeId}/test/keys`);

  await page.getByRole('button', { name: 'Create a key' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Create a key' });
  await dialog.getByLabel('Name').fill('Till');
  await dialog.getByRole('button', { name: 'Create a key' }).click();
  const shown = page.getByRole('group', { name: 'Key and secret' }).locator('code');
  await expect(shown).toHaveCount(3);
  const [api_key = '', api_secret = ''] = (await shown.allTextContents()).map((line) => line.split('=')[1] ?? '');
  await page.getByRole('button', { name: 'I have kept it' }).click();
  await new Merchant(baseURL as string, { api_key, api_secret }).create({ order_id: randomUUID() });
});

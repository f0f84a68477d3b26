// An operator finds any store's payment: by the customer's reference, and by store, status and network.

import { asOperator, seriousFaults } from './console';
import { Merchant } from './merchant';
import { expect, test } from './story';

test('a payment of any store is found by its order, with its store, and the filters stay in the address', async ({
  page,
  merchant,
  baseURL,
}) => {
  const order = `all-${Date.now()}`;
  await merchant.create({ order_id: order });
  await new Merchant(baseURL as string, 1).create({ order_id: order });
  await asOperator(page);
  await page.getByRole('main').getByRole('link', { name: 'All payments' }).click();
  await page.waitForURL('**/operator/all-payments');
  // The sandbox has test payments only, so the list starts with those.
  await page.getByRole('link', { name: 'Live', exact: true }).click();
  await page.waitForURL('**/operator/all-payments?environment=live');
  await page.getByRole('link', { name: 'See test payments' }).click();
  await page.waitForURL('**/operator/all-payments?environment=test');
  await page.getByRole('searchbox').fill(order);
  await page.getByRole('searchbox').press('Enter');
  await page.waitForURL(/q=/);
  const table = page.getByRole('table', { name: 'All payments' });
  await expect(table.getByRole('row', { name: order })).toHaveCount(2);
  await expect(page).toHaveTitle(/^All payments/);
  expect(await seriousFaults(page)).toEqual([]);

  const row = table.getByRole('row', { name: order }).first();
  const store = (await row.getByRole('cell').nth(1).textContent()) ?? '';
  await page.getByLabel('Any store').selectOption({ label: store });
  await page.waitForURL(/store=/);
  await expect(table.getByRole('row', { name: order })).toHaveCount(1);
  await page.getByLabel('Any status').selectOption({ label: 'Paid' });
  await expect(page.getByText('No payment matches')).toBeVisible();
  await page.goBack();
  await table.getByRole('link', { name: order }).click();
  await page.waitForURL(/\/dashboard\/st_\w+\/test\/payments\/cs_test_/);

  await page.goto(`/operator/stores?q=${encodeURIComponent(store)}`);
  await page.getByRole('link', { name: store }).first().click();
  await page.getByRole('main').getByRole('link', { name: 'Payments', exact: true }).click();
  await page.waitForURL(/\/operator\/all-payments\?store=st_/);
  await expect(page.getByLabel('Any store')).toHaveValue(/^st_/);
});

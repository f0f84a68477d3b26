// The console's lists of networks and stores: each network line opens with the keyboard, and a row's menu suspends and
// resumes a store.

import { answerInRow, asOperator, newMerchant, otherPage, seriousFaults } from './console';
import { expect, test } from './story';

for (const width of [1280, 390])
  test(`a network is one line with its state, endpoints and refund wallet, and the keyboard opens its details, at ${width} px`, async ({
    page,
  }) => {
    await page.setViewportSize({ width, height: 844 });
    await asOperator(page, '/operator/health');
    const line = page.locator('summary').filter({ hasText: 'BNB Smart Chain' });
    await expect(line).toContainText('1/1');
    await expect(line).toContainText('Refund wallet');
    expect((await line.boundingBox())?.height).toBeLessThanOrEqual(72);
    const endpoints = page.getByRole('table', { name: 'Endpoints of BNB Smart Chain' });
    await expect(endpoints).toBeHidden();
    await line.focus();
    await page.keyboard.press('Enter');
    await expect(endpoints).toContainText('Endpoint 1');
    expect(await seriousFaults(page)).toEqual([]);
  });

test('a store is found by its state, and suspended and resumed from the menu of its row', async ({
  page,
  browser,
  baseURL,
}) => {
  const mine = await otherPage(browser, baseURL as string);
  await asOperator(page);
  const { store } = await newMerchant(mine, page, baseURL as string);
  await page.goto('/operator/stores');
  await page.getByLabel('Any status').selectOption({ label: 'Approved' });
  await page.waitForURL(/status=approved/);
  const row = page.getByRole('row').filter({ hasText: store.name });
  await expect(row).toBeVisible();
  expect(await seriousFaults(page)).toEqual([]);
  await row.getByRole('button', { name: 'Actions for' }).click();
  await expect(page.getByRole('menuitem', { name: 'Payments' })).toBeVisible();
  await page.getByRole('menuitem', { name: 'Suspend' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill('The goods are under review.');
  await dialog.getByRole('button', { name: 'Suspend', exact: true }).click();
  await expect(dialog).toBeHidden();
  await page.goto('/operator/stores?status=suspended');
  await answerInRow(page, row, 'Resume');
  await page.goto('/operator/stores?status=approved');
  await expect(row).toBeVisible();
  await page.setViewportSize({ width: 390, height: 844 });
  expect((await row.boundingBox())?.height).toBeLessThanOrEqual(72);
});

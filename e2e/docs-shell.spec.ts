// Navigation in the documentation: search, the phone's menu, next pages, links to operations, and its colours.

import { expect, test } from './story';

test('a word is searched for from any page, and a result leads to its place; without scripts too', async ({
  browser,
  baseURL,
}) => {
  const context = await browser.newContext({ javaScriptEnabled: false, ...(baseURL ? { baseURL } : {}) });
  const page = await context.newPage();
  await page.goto('/docs/webhooks');
  await page.getByRole('searchbox').fill('rotate secret');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('status')).toContainText('rotate secret');
  await page.getByRole('main').getByRole('link', { name: 'Rotating the secret' }).click();
  await expect(page).toHaveURL(/\/docs\/webhooks#rotating-the-secret$/);
  await page.getByRole('searchbox').fill('zzzzzz <qqqq>');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('status')).toContainText('Nothing matches “zzzzzz <qqqq>”');
  await context.close();
});

test('on a phone the pages are behind a menu; each page leads to the next', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/docs/quick-start');
  const menu = page.getByRole('navigation', { name: 'Documentation pages' });
  await expect(menu).toBeHidden();
  await page.getByRole('button', { name: 'Menu' }).press('Enter');
  await expect(menu).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(menu).toBeHidden();
  await page.getByRole('button', { name: 'Menu' }).click();
  await menu.getByRole('link', { name: 'Quick start', exact: true }).click();
  await page.getByRole('link', { name: 'Next SDK for Node' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('SDK for Node');
});

test('the address of an operation opens it', async ({ page }) => {
  await page.goto('/docs/reference#readSession');
  await expect(page.locator('#readSession')).toHaveAttribute('open', '');
  await expect(page.locator('#createSession')).not.toHaveAttribute('open', '');
});

test('a chosen theme applies to every page of the documentation, whatever the device prefers', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto('/docs');
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.getByLabel('Appearance').selectOption('Dark');
  const dark = await ground();
  expect(dark).not.toBe(light);
  await page.goto('/docs/webhooks');
  expect(await ground()).toBe(dark);
  await expect(page.getByLabel('Appearance')).toHaveValue('dark');
  await page.getByLabel('Appearance').selectOption('System');
  expect(await ground()).toBe(light);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await ground()).toBe(dark);
});

// Payment links: created without code, opened by customers with and without scripts, paid, and closed again.

import type { Browser, Page } from '@playwright/test';
import { asOperator, call, newMerchant, otherPage, seriousFaults } from './console';
import { readCode } from './qr';
import { expect, test } from './story';

/** A new store whose owner is signed in on `page`, at its links. */
async function atLinks(page: Page, browser: Browser, baseURL: string) {
  const desk = await otherPage(browser, baseURL);
  await asOperator(desk);
  const { store, merchant } = await newMerchant(page, desk, baseURL);
  await page.goto(`/dashboard/${store.id}/test/links`);
  return { store, merchant };
}

/** Creates a link with a dashboard request; returns its address. */
const makeLink = async (page: Page, storeId: string, over: object = {}): Promise<{ id: string; url: string }> =>
  call(page, `/stores/${storeId}/test/links`, { title: 'Guided walk', currency: 'USD', amount: 1234, ...over });

const statusOf = async (url: string): Promise<string> =>
  ((await (await fetch(`${url.split('?')[0]}/status`)).json()) as { status: string }).status;

/** The customer's pay button, not the test-money button. */
const PAY = /^Pay (?!with)/;

test('a merchant creates a link, a customer pays by it, and the list counts the payment', async ({
  page,
  browser,
  baseURL,
}) => {
  test.setTimeout(240_000);
  const { store, merchant } = await atLinks(page, browser, baseURL as string);
  await expect(page.getByRole('heading', { name: 'No payment links yet' })).toBeVisible();
  await page.getByRole('button', { name: 'New payment link' }).click();
  const dialog = page.getByRole('dialog', { name: 'New payment link' });
  await dialog.getByLabel('Title').fill('Guided walk');
  await dialog.getByText('More settings').click();
  await dialog.getByLabel(/^Description/).fill('Two hours, at every tide.');
  await dialog.getByLabel('Amount in USD').fill('12,34');
  await dialog.getByRole('button', { name: 'Make link' }).click();
  const shown = page.getByRole('dialog', { name: 'Guided walk' });
  const url = (await shown.locator('code').textContent()) ?? '';
  expect(url).toMatch(/\/link\/pl_test_[0-9A-Za-z]{22}$/);
  expect(await readCode(shown.getByRole('img', { name: 'QR code of the payment link' }))).toBe(url);
  expect(await seriousFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('row', { name: /Guided walk/ })).toContainText('12.34 USD');

  const customer = await otherPage(browser, baseURL as string);
  const answer = await customer.goto(url);
  expect(answer?.headers()['x-robots-tag']).toContain('noindex');
  await expect(customer.getByRole('heading', { name: 'Guided walk' })).toBeVisible();
  await expect(customer.getByText('Two hours, at every tide.')).toBeVisible();
  expect(await seriousFaults(customer)).toEqual([]);
  await customer.getByRole('button', { name: `Pay ${store.name}` }).click();
  await customer.waitForURL('**/pay/cs_test_*');
  await expect(customer.locator('.price')).toContainText('12.34 USD');
  // A link has no shop behind it, so the store's settings name the return address.
  await expect(customer.getByRole('link', { name: `Leave and go back to ${store.name}` })).toBeVisible();
  const sessionId = new URL(customer.url()).pathname.split('/')[2] as string;
  await merchant.pay(sessionId);
  await expect.poll(() => statusOf(customer.url())).toBe('COMPLETED');
  const paid = page
    .getByRole('row', { name: /Guided walk/ })
    .getByRole('cell')
    .nth(3);
  await expect(async () => {
    // The merchant comes back to the tab. A headless browser never hides it.
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await expect(paid).toHaveText('1', { timeout: 1000 });
  }).toPass({ timeout: 30_000 });
});

test('a link that is switched off says so to customers, and takes payments again when it is on', async ({
  page,
  browser,
  baseURL,
}) => {
  test.setTimeout(240_000);
  const { store } = await atLinks(page, browser, baseURL as string);
  const { url } = await makeLink(page, store.id);
  await page.reload();
  const actions = page.getByRole('button', { name: 'Actions for Guided walk' });
  await actions.click();
  await page.getByRole('menuitem', { name: 'Switch off' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Switch off' }).click();
  await expect(page.getByRole('row', { name: /Guided walk/ })).toContainText('Off');
  const customer = await otherPage(browser, baseURL as string);
  await customer.goto(url);
  await expect(customer.getByText('The shop has switched this payment link off.')).toBeVisible();
  await expect(customer.getByRole('button', { name: PAY })).toHaveCount(0);
  expect(await seriousFaults(customer)).toEqual([]);
  await actions.click();
  await page.getByRole('menuitem', { name: 'Switch on' }).click();
  await expect(page.getByRole('row', { name: /Guided walk/ })).not.toContainText('Off');
  await customer.reload();
  await expect(customer.getByRole('button', { name: PAY })).toBeVisible();
  expect((await customer.goto('/link/pl_test_0123456789012345678901'))?.status()).toBe(404);
});

test('without scripts the customer types the amount, sees what is wrong with it, and opens one session', async ({
  page,
  browser,
  baseURL,
}) => {
  test.setTimeout(240_000);
  const { store } = await atLinks(page, browser, baseURL as string);
  const { url } = await makeLink(page, store.id, { amount: null, least_amount: 500 });
  const context = await browser.newContext({ javaScriptEnabled: false, locale: 'en-US' });
  const customer = await context.newPage();
  await customer.goto(url);
  const field = customer.getByLabel('Amount in USD');
  await field.fill('4.999');
  await customer.getByRole('button', { name: PAY }).click();
  await expect(customer.getByRole('alert')).toHaveText('Type an amount such as 12.50.');
  await expect(field).toHaveValue('4.999');
  await field.fill('4');
  await customer.getByRole('button', { name: PAY }).click();
  await expect(customer.getByRole('alert')).toHaveText('At least 5.00 USD.');
  await field.fill('7,5');
  await customer.getByRole('button', { name: PAY }).click();
  await customer.waitForURL('**/pay/cs_test_*');
  await expect(customer.locator('.price')).toContainText('7.50 USD');
  const first = customer.url();
  await customer.goBack();
  await field.fill('7.50');
  await customer.getByRole('button', { name: PAY }).click();
  await customer.waitForURL('**/pay/cs_test_*');
  expect(customer.url()).toBe(first);
  // Opening the page again starts another payment.
  await customer.goto(url);
  await field.fill('7.50');
  await customer.getByRole('button', { name: PAY }).click();
  await customer.waitForURL('**/pay/cs_test_*');
  expect(customer.url()).not.toBe(first);
  await context.close();
});

for (const colorScheme of ['light', 'dark'] as const)
  test(`at 360 pixels, ${colorScheme}, the link’s page is neither cut off nor hard to read`, async ({
    page,
    browser,
    baseURL,
  }) => {
    test.setTimeout(240_000);
    const { store } = await atLinks(page, browser, baseURL as string);
    const title = 'A rather long title of a thing that somebody pays for, all in one breath';
    const { url } = await makeLink(page, store.id, {
      title,
      amount: null,
      least_amount: 100,
      most_amount: 100_000_000,
    });
    await page.setViewportSize({ width: 360, height: 740 });
    await page.emulateMedia({ colorScheme });
    for (const language of ['en', 'de', 'ar', 'ja']) {
      await page.goto(`${url}?lang=${language}&amount=x`);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
      expect(await seriousFaults(page)).toEqual([]);
    }
    await page.goto(`/dashboard/${store.id}/test/links`);
    await expect(page.getByRole('button', { name: `Actions for ${title}` })).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    expect(await seriousFaults(page)).toEqual([]);
  });

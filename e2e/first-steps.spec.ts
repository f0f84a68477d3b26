// A merchant without code: from the list of first steps to a paid test order, with a payment link and at the till, and
// the same without scripts. Set SHOTS to a folder to keep screenshots.

import type { Page } from '@playwright/test';
import { asOperator, newStore, otherPage, seriousFaults } from './console';
import { Merchant } from './merchant';
import { expect, test } from './story';

const SIZES = [
  [360, 'light'],
  [360, 'dark'],
  [1280, 'light'],
  [1280, 'dark'],
] as const;

/** Nothing is cut off or hard to read at any size and in either theme. */
async function looksRight(page: Page, name: string): Promise<void> {
  for (const [width, colorScheme] of SIZES) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    expect(await seriousFaults(page), `${name} at ${width}, ${colorScheme}`).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    const { SHOTS } = process.env;
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}-${width}-${colorScheme}.png`, fullPage: true });
  }
}

const button = { name: 'Pay with test money' };

test('a new store gets from its first steps to a paid test order, and hides the list', async ({
  page,
  browser,
  baseURL,
}) => {
  test.setTimeout(240_000);
  const desk = await otherPage(browser, baseURL as string);
  await asOperator(desk);
  const { id } = await newStore(page, desk);
  const overview = `/dashboard/${id}/test/overview`;
  await page.goto(overview);
  const steps = page.getByRole('list', { name: 'First steps' });
  await expect(steps.getByRole('listitem')).toHaveCount(4);
  // The store has a website and a description. Approval still needs a contact.
  await expect(page.getByText('0 of 4 done')).toBeVisible();
  await looksRight(page, 'first-steps');

  // The settings request approval and link to the page for the contact.
  await page.goto(`/dashboard/${id}/settings`);
  await page.getByRole('link', { name: 'Set a contact' }).click();
  await page.waitForURL(`**/dashboard/${id}/branding`);
  await page.goto(overview);

  // Hidden for the store; the focused button shows it again.
  await page.getByRole('button', { name: 'Hide the list' }).click();
  await expect(page.getByRole('button', { name: 'Show the first steps' })).toBeFocused();
  await page.reload();
  await expect(steps).toBeHidden();
  await page.getByRole('button', { name: 'Show the first steps' }).click();
  await expect(steps).toBeVisible();

  await steps.getByRole('link', { name: 'Make a test link' }).click();
  const form = page.getByRole('dialog', { name: 'New payment link' });
  await form.getByLabel('Title').fill('Guided walk');
  await form.getByLabel('Amount in USD').fill('12.34');
  await form.getByRole('button', { name: 'Make link' }).click();
  const made = page.getByRole('dialog', { name: 'Guided walk' }).getByRole('link', { name: 'Open the page' });
  const customer = await otherPage(browser, baseURL as string);
  await customer.goto((await made.getAttribute('href')) ?? '');
  await looksRight(customer, 'link');
  await customer.getByRole('button', button).click();
  await customer.waitForURL('**/pay/cs_test_*');
  // A progress bar says "Paid" too. Only a paid order has a receipt.
  await expect(customer.getByRole('link', { name: 'Receipt' })).toBeVisible({ timeout: 90_000 });

  await page.goto(overview);
  await expect(page.getByText('1 of 4 done')).toBeVisible();
  await expect(steps.getByRole('listitem').filter({ hasText: 'First test payment' })).toContainText('(done)', {
    ignoreCase: true,
  });

  await page.goto(`/dashboard/${id}/test/till`);
  const keypad = page.getByRole('group', { name: 'Keypad' });
  for (const key of ['4', '5', '0']) await keypad.getByRole('button', { name: key, exact: true }).click();
  await page.getByRole('button', { name: 'Charge 4.50 USD' }).click();
  const sale = page.getByRole('dialog', { name: 'Sale over 4.50 USD' });
  await expect(sale.getByRole('button', button)).toBeVisible();
  await looksRight(page, 'till');
  await sale.getByRole('button', button).click();
  await expect(sale.locator('[data-sale="paid"]')).toContainText('Paid', { timeout: 90_000 });
});

test('without scripts the hosted page pays exactly the price by the chosen network and token', async ({
  browser,
  baseURL,
}) => {
  test.setTimeout(180_000);
  const session = await new Merchant(baseURL as string).create();
  const context = await browser.newContext({ baseURL: baseURL as string, locale: 'en-US', javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`/pay/${session.id}?method=bsc-USDT`);
  await page.getByRole('button', button).click();
  await page.waitForURL(`**/pay/${session.id}?method=bsc-USDT&test_money=sent`);
  await expect(async () => {
    await page.reload();
    await expect(page.getByRole('link', { name: 'Receipt' })).toBeVisible({ timeout: 1000 });
  }).toPass({ timeout: 90_000 });
  await expect(page.getByRole('button', button)).toBeHidden();
});

test('the button is in every customer’s direction, theme and size', async ({ page, baseURL }) => {
  test.setTimeout(120_000);
  const session = await new Merchant(baseURL as string).create();
  await page.goto(`/pay/${session.id}?method=bsc-USDT`);
  await expect(page.getByRole('button', button)).toBeVisible();
  await looksRight(page, 'pay');
  await page.goto(`/pay/${session.id}?method=bsc-USDT&lang=ar`);
  await looksRight(page, 'pay-ar');
});

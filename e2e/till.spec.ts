// The till: an amount on the keypad, a code for the customer, and the screen that follows the payment until it is paid.

import type { Browser, Page } from '@playwright/test';
import { asOperator, newMerchant, otherPage, seriousFaults } from './console';
import { readCode } from './qr';
import { expect, test } from './story';

/** A new store whose owner is at its till. */
async function atTill(page: Page, browser: Browser, baseURL: string) {
  const desk = await otherPage(browser, baseURL);
  await asOperator(desk);
  const { store, merchant } = await newMerchant(page, desk, baseURL);
  await page.goto(`/dashboard/${store.id}/test/till`);
  return { store, merchant };
}

const press = async (page: Page, keys: readonly string[]): Promise<void> => {
  const keypad = page.getByRole('group', { name: 'Keypad' });
  for (const key of keys) await keypad.getByRole('button', { name: key, exact: true }).click();
};
const sale = (page: Page, amount: string) => page.getByRole('dialog', { name: `Sale over ${amount}` });
const saleId = (page: Page): string => new URL(page.url()).searchParams.get('sale') ?? '';

test('an amount is charged and paid in two parts, and the screen shows each step', async ({
  page,
  browser,
  baseURL,
}) => {
  test.setTimeout(240_000);
  await page.addInitScript(() => {
    const sounds: number[] = [];
    Object.assign(globalThis, { sounds });
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (this: OscillatorNode, at?: number) {
      sounds.push(this.frequency.value);
      return start.call(this, at);
    };
  });
  const sounds = () => page.evaluate(() => (globalThis as unknown as { sounds: number[] }).sounds.length);
  const { merchant } = await atTill(page, browser, baseURL as string);
  await expect(page.getByRole('button', { name: 'Charge 0.00 USD' })).toBeDisabled();
  await press(page, ['1', '2', '3', '4', '5', 'Erase the last digit']);
  await expect(page.getByLabel('Amount', { exact: true })).toHaveText(/12\.34\s*USD/);
  await page.getByLabel(/^Note/).fill('Table 4');
  expect(await seriousFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Charge 12.34 USD' }).click();

  const screen = sale(page, '12.34 USD');
  await expect(screen.getByText('Waiting for the payment')).toBeVisible();
  await expect(screen.getByText('Table 4')).toBeVisible();
  await screen.locator('summary').click();
  await screen.getByLabel('USDC', { exact: true }).check();
  await expect(screen.getByText(/^Send only USDC on/)).toBeVisible();
  await screen.getByLabel('USDT', { exact: true }).check();
  await expect(screen.locator('[data-code="address"] svg')).toBeVisible();
  expect(await seriousFaults(page)).toEqual([]);

  const id = saleId(page);
  const { methods } = (await (await fetch(`${baseURL}/pay/${id}/status`)).json()) as {
    methods: { network: string; currency: string; address: string }[];
  };
  await screen.getByLabel('BNB Smart Chain', { exact: true }).check();
  const shown = methods.find(({ network, currency }) => network === 'bsc' && currency === 'USDT');
  expect(await readCode(screen.locator('[data-code="address"]'))).toBe(shown?.address);
  await screen.getByText('Payment page', { exact: true }).click();
  expect(await readCode(screen.locator('[data-code="page"]'))).toBe(`${baseURL}/pay/${id}`);
  await screen.getByText('Wallet', { exact: true }).click();
  await merchant.pay(id, { amount: 500 });
  await expect(screen.getByText('5.00 USDT arrived. 7.34 USDT is still missing.')).toBeVisible();
  // A reload during the sale shows the same sale.
  await page.reload();
  await expect(screen.getByText('5.00 USDT arrived. 7.34 USDT is still missing.')).toBeVisible();
  await screen.getByRole('button', { name: 'Sound when paid' }).click();
  await screen.getByRole('button', { name: 'Sound when paid' }).click();
  await merchant.pay(id, { amount: 734 });
  await expect(screen.locator('[data-sale="paid"]')).toContainText(/Paid\s*12\.34\s*USD/);
  // A touch keeps the result on screen longer.
  await screen.locator('[data-sale="paid"]').click();
  await expect.poll(sounds).toBe(3);
  expect(await seriousFaults(page)).toEqual([]);
  await screen.getByRole('button', { name: 'New sale' }).click();
  await expect(page.getByRole('button', { name: 'Charge 0.00 USD' })).toBeDisabled();
  await expect(page.getByRole('link', { name: 'Show the sale over 12.34 USD' })).toBeVisible();

  await press(page, ['1', '00']);
  await page.getByRole('button', { name: 'Charge 1.00 USD' }).click();
  const next = sale(page, '1.00 USD');
  await expect(next.getByText('Waiting for the payment')).toBeVisible();
  await merchant.pay(saleId(page));
  await expect(next.locator('[data-sale="paid"]')).toBeVisible();
  // Without input, the till resets for the next customer.
  await expect(next).toBeHidden();
});

test('the keyboard works like the keypad, the currency is remembered, and a sale can be canceled', async ({
  page,
  browser,
  baseURL,
}) => {
  test.setTimeout(240_000);
  const { store } = await atTill(page, browser, baseURL as string);
  await page.getByLabel('Currency').fill('USDC');
  await page.getByRole('option', { name: 'USDC' }).click();
  await page.reload();
  await expect(page.getByRole('button', { name: 'Charge 0.00 USDC' })).toBeVisible();
  await page.getByRole('heading', { name: 'Till' }).click();
  await page.keyboard.type('995');
  await page.keyboard.press('Backspace');
  await page.keyboard.press('0');
  await expect(page.getByRole('button', { name: 'Charge 9.90 USDC' })).toBeEnabled();
  await page.keyboard.press('Enter');
  const screen = sale(page, '9.90 USDC');
  await expect(screen.getByText('Waiting for the payment')).toBeVisible();
  const id = saleId(page);
  await screen.getByRole('button', { name: 'Cancel the sale' }).click();
  await expect(screen).toBeHidden();
  const { status } = (await (await fetch(`${baseURL}/pay/${id}/status`)).json()) as { status: string };
  expect(status).toBe('CANCELED');
  await page.goto(`/dashboard/${store.id}/test/till?sale=${id}`);
  await expect(screen.locator('[data-sale="canceled"]')).toContainText('Canceled');
});

for (const [width, colorScheme] of [
  [360, 'light'],
  [768, 'dark'],
  [1280, 'light'],
] as const)
  test(`at ${width} pixels, ${colorScheme}, the till is neither cut off nor hard to read`, async ({
    page,
    browser,
    baseURL,
  }) => {
    test.setTimeout(240_000);
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    await atTill(page, browser, baseURL as string);
    const wide = () => page.evaluate(() => document.documentElement.scrollWidth);
    await press(page, ['9', '00', '00']);
    expect(await wide()).toBeLessThanOrEqual(width);
    expect(await seriousFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Charge 900.00 USD' }).click();
    const screen = sale(page, '900.00 USD');
    await expect(screen.locator('[data-code="address"] svg')).toBeVisible();
    expect(await screen.evaluate((frame) => frame.scrollWidth)).toBeLessThanOrEqual(width);
    expect(await seriousFaults(page)).toEqual([]);
  });

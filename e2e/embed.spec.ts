// The hosted page inside a shop's page, as a pop-up or a frame: it works on the origin that the store lists and on no
// other. The shop receives only what it could see.

import { test as base, expect, type Page } from '@playwright/test';
import { Merchant } from './merchant';
import { giveTime, openShop, SHOP, STRANGER } from './shop-page';

const test = base.extend<{ merchant: Merchant }>({
  // The sandbox's second store lists the shop's origin.
  merchant: async ({ baseURL }, use) => {
    await use(new Merchant(baseURL as string, 1));
  },
});
// All tests use the one listed origin.
test.describe.configure({ mode: 'serial' });

let shop: { close: () => Promise<void> };
test.beforeAll(async ({ baseURL }) => {
  giveTime(test);
  shop = await openShop(baseURL as string);
});
test.afterAll(() => shop.close());

type Report = { session_id: string; status: string; payment_status: string };
type ShopWindow = { reports: Report[]; ended: (Report | null)[]; messages: { origin: string }[] };
const reports = (page: Page) => page.evaluate(() => (globalThis as unknown as ShopWindow).reports);
const ended = (page: Page) => page.evaluate(() => (globalThis as unknown as ShopWindow).ended);
const messages = (page: Page) => page.evaluate(() => (globalThis as unknown as ShopWindow).messages);
const at = (origin: string, pay: string, mode: string) => `${origin}/?${new URLSearchParams({ pay, mode })}`;
const statusesOf = async (page: Page) => [...new Set((await reports(page)).map(({ status }) => status))];

test('a customer pays in a frame: the shop receives each status, Esc closes it, and the focus returns', async ({
  page,
  merchant,
}) => {
  const session = await merchant.create();
  await page.goto(at(SHOP, session.url, 'frame'));
  await page.getByRole('button', { name: 'Buy' }).click();
  const inside = page.frameLocator('iframe');
  await expect(inside.locator('[data-stage="pay"]')).toBeVisible();
  await expect.poll(() => statusesOf(page)).toEqual(['PENDING']);
  await merchant.pay(session.id);
  await expect(inside.locator('[data-stage="paid"]')).toBeVisible();
  const paid = { session_id: session.id, status: 'COMPLETED', payment_status: 'paid' };
  await expect.poll(async () => (await reports(page)).at(-1)).toEqual(paid);
  expect(await ended(page)).toEqual([]);
  await inside.locator('.price').click();
  await page.keyboard.press('Escape');
  await expect(page.locator('iframe')).toHaveCount(0);
  await expect.poll(() => ended(page)).toEqual([paid]);
  await expect(page.getByRole('button', { name: 'Buy' })).toBeFocused();
});

test('in a frame the keyboard stays inside, a language is kept, and the button closes', async ({ page, merchant }) => {
  const session = await merchant.create();
  await page.goto(at(SHOP, session.url, 'frame'));
  await page.locator('#link').click();
  const inside = page.frameLocator('iframe');
  // Its script runs: a choice before that waits for the button beside it.
  await expect.poll(() => statusesOf(page)).toEqual(['PENDING']);
  await inside.locator('form.languages').getByRole('combobox').selectOption('ar');
  await expect(inside.locator('html')).toHaveAttribute('lang', 'ar');
  await inside.locator('.choice summary').click();
  await inside.locator('.networks a').last().click();
  await expect(inside.locator('.networks a[aria-current]')).toHaveCount(1);
  await expect(inside.locator('html')).toHaveAttribute('lang', 'ar');
  expect(await page.evaluate(() => document.querySelector('dialog')?.matches(':modal'))).toBe(true);
  // The page has reported its status, so the shop knows it when the page closes.
  await expect.poll(() => statusesOf(page)).toEqual(['PENDING']);
  await page.getByRole('button', { name: 'Close' }).click();
  await expect(page.locator('iframe')).toHaveCount(0);
  await expect
    .poll(async () => (await ended(page)).at(-1))
    .toMatchObject({ session_id: session.id, status: 'PENDING' });
});

test('a customer pays in a pop-up and navigates in it, and the shop receives each status', async ({
  page,
  merchant,
}) => {
  const session = await merchant.create({ currency: 'USD' });
  await page.goto(at(SHOP, session.url, 'popup'));
  const [popup] = await Promise.all([page.waitForEvent('popup'), page.getByRole('button', { name: 'Buy' }).click()]);
  await expect(popup.locator('[data-stage="pay"]')).toBeVisible();
  // Its script runs: a choice before that waits for the button beside it.
  await expect.poll(() => statusesOf(page)).toEqual(['PENDING']);
  await popup.locator('form.languages').getByRole('combobox').selectOption('zh');
  await expect(popup.locator('html')).toHaveAttribute('lang', 'zh');
  await merchant.pay(session.id);
  await expect(popup.locator('[data-stage="paid"]')).toBeVisible();
  const paid = { session_id: session.id, status: 'COMPLETED', payment_status: 'paid' };
  await expect.poll(async () => (await reports(page)).at(-1)).toEqual(paid);
  await popup.close();
  await expect.poll(() => ended(page)).toEqual([paid]);
});

test('a page that is not listed cannot frame the page; its customer gets the whole page instead', async ({
  page,
  merchant,
}) => {
  const session = await merchant.create();
  await page.goto(at(STRANGER, session.url, 'frame'));
  const refusal = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
  await page.getByRole('button', { name: 'Buy' }).click();
  expect((await refusal).text()).toContain(SHOP);
  await expect(page.frameLocator('iframe').locator('[data-stage]')).toHaveCount(0);
  await expect(page).toHaveURL(session.url);
  await expect(page.locator('[data-stage="pay"]')).toBeVisible();
});

test('a page that is not listed receives nothing from the window that it opens', async ({ page, merchant }) => {
  const session = await merchant.create();
  await page.goto(at(STRANGER, session.url, 'popup'));
  const [popup] = await Promise.all([page.waitForEvent('popup'), page.getByRole('button', { name: 'Buy' }).click()]);
  await expect(popup.locator('[data-stage="pay"]')).toBeVisible();
  await merchant.pay(session.id);
  await expect(popup.locator('[data-stage="paid"]')).toBeVisible();
  expect(await reports(page)).toEqual([]);
  expect(await messages(page)).toEqual([]);
});

test('the page of a store without listed origins cannot be framed and has no opener', async ({
  page,
  baseURL,
  request,
}) => {
  const session = await new Merchant(baseURL as string).create();
  const headers = (await request.get(session.url)).headers();
  expect(headers['content-security-policy']).toContain(`frame-ancestors 'none'`);
  expect(headers['x-frame-options']).toBe('DENY');
  expect(headers['cross-origin-opener-policy']).toBe('same-origin');
  await page.goto(at(SHOP, session.url, 'popup'));
  const [popup] = await Promise.all([page.waitForEvent('popup'), page.getByRole('button', { name: 'Buy' }).click()]);
  await expect(popup.locator('[data-stage="pay"]')).toBeVisible();
  expect(await popup.evaluate(() => window.opener)).toBeNull();
  expect(await reports(page)).toEqual([]);
});

test('only the listed origins may frame the page, and only a page of that store', async ({ request, merchant }) => {
  const session = await merchant.create();
  const headers = (await request.get(session.url)).headers();
  expect(headers['content-security-policy']).toContain(`frame-ancestors ${SHOP}`);
  expect(headers['content-security-policy']?.match(/frame-ancestors ([^;]*)/)?.[1]).toBe(SHOP);
  expect(headers['x-frame-options']).toBeUndefined();
  const other = (await request.get('/docs')).headers();
  expect(other['content-security-policy']).toContain(`frame-ancestors 'none'`);
});

test('a phone gets the whole page, and a foreign page is not opened', async ({ page, merchant }) => {
  const session = await merchant.create();
  await page.goto(at(SHOP, 'https://stranger.example/pay/cs_test_1', 'frame'));
  const fault = page.waitForEvent('pageerror');
  await page.getByRole('button', { name: 'Buy' }).click();
  expect((await fault).message).toContain('is not a page of');
  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto(at(SHOP, session.url, 'frame'));
  await page.getByRole('button', { name: 'Buy' }).click();
  await expect(page).toHaveURL(session.url);
  await expect(page.locator('[data-stage="pay"]')).toBeVisible();
});

test('the script weighs under 3 kB and may be loaded by any shop', async ({ request }) => {
  const answer = await request.get('/embed.js');
  const body = await answer.body();
  console.log(`embed.js: ${body.length} bytes`);
  expect(body.length).toBeLessThan(3000);
  const headers = answer.headers();
  expect(headers['content-type']).toContain('text/javascript');
  expect(headers['cross-origin-resource-policy']).toBe('cross-origin');
  const again = await request.get('/embed.js', { headers: { 'If-None-Match': headers.etag ?? '' } });
  expect(again.status()).toBe(304);
});

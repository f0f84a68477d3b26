// A store's branding: the merchant sets it in the dashboard. Its page is readable in both themes and loads from one origin.

import type { Page } from '@playwright/test';
import { asOperator, newMerchant, otherPage, seriousFaults } from './console';
import { Merchant } from './merchant';
import { seriousViolationsOf } from './axe';
import { expect, test } from './story';

test('a customer sees the shop’s name and contact, light and dark', async ({ page, baseURL }) => {
  const session = await new Merchant(baseURL as string, 1).create();
  const accents = new Set<string>();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width: 320, height: 700 });
    await page.goto(session.url);
    await expect(page.locator('.store-name bdi')).toHaveText('Noor Tea');
    const logo = page.locator('.store-logo');
    await expect(logo).toBeVisible();
    expect(await logo.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(48);
    const support = page.locator('[data-support]');
    await expect(support).toHaveText('help@teahouse.example');
    await expect(support).toHaveAttribute('href', `mailto:help@teahouse.example?subject=${session.id}`);
    accents.add(await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--accent')));
    const violations = await seriousViolationsOf(page);
    expect(violations.map(({ id }) => id)).toEqual([]);
  }
  expect([...accents]).toEqual(['#0f766e', expect.stringMatching(/^#[0-9a-f]{6}$/)]);
});

test('a logo is served immutably and only as a picture', async ({ request, baseURL }) => {
  const session = await new Merchant(baseURL as string, 1).create();
  const address = /\/logo\/[0-9a-f]{64}/.exec(await (await request.get(session.url)).text())?.[0] ?? '';
  const answer = await request.get(address);
  expect(answer.status()).toBe(200);
  expect(answer.headers()).toMatchObject({
    'content-type': 'image/png',
    'x-content-type-options': 'nosniff',
    'cache-control': 'public, max-age=31536000, immutable',
    'content-security-policy': `default-src 'none'; frame-ancestors 'none'; sandbox`,
  });
  expect((await request.get(`/logo/${'0'.repeat(64)}`)).status()).toBe(404);
  expect((await request.get('/logo/..%2Fembed.js')).status()).toBe(404);
});

/** A tea cup of 48 by 48 pixels. */
const LOGO = Buffer.from(
  [
    'iVBORw0KGgoAAAANSUhEUgAAADAAAAAwAQMAAABtzGvEAAAABlBMVEUPdm7////55LhXAAAAPUlEQVR42mNgoBQoKRBLYQPs//+j',
    'Ug8g1AcIZYCgmP//s4BQBsgUWCUzRB8zxBTG/38IUajAHqIdlSIPAADsaTGJFgj8dAAAAABJRU5ErkJggg==',
  ].join(''),
  'base64',
);
const accentOf = (of: Page) =>
  of.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--accent'));

test('a merchant sets name, colour, logo and contact in the dashboard, and customers see them', async ({
  page,
  browser,
  baseURL,
}) => {
  test.slow();
  const desk = await otherPage(browser, baseURL as string);
  await asOperator(desk);
  const { store, merchant } = await newMerchant(page, desk, baseURL as string);
  const form = page.getByRole('main');
  const origins = form.getByLabel('Embedding origins');
  const shades = form.getByRole('list', { name: 'Shades that are used' });

  await page.goto(`/dashboard/${store.id}/settings`);
  await page.getByRole('link', { name: 'Branding', exact: true }).click();
  await expect(form.getByRole('heading', { level: 1, name: 'Branding' })).toBeVisible();
  await form.getByLabel('Display name').fill('Harbour Rope');
  // Too light to read on white, so the form shows it darkened before saving.
  await form.getByLabel('Brand colour').fill('#FFE066');
  await expect(shades.getByRole('listitem')).toHaveCount(2);
  await expect(shades).toContainText('your colour made readable');
  await expect(shades).toContainText('#ffe066 – your colour as it is');
  // The payment page in a frame, with the form's values.
  const preview = page.frameLocator('iframe[data-preview]');
  const previewAccent = () =>
    preview.locator(':root').evaluate((root) => getComputedStyle(root).getPropertyValue('--accent'));
  await expect(preview.locator('.store-name bdi')).toHaveText('Harbour Rope');
  const light = await shades.locator('code').first().textContent();
  await expect.poll(previewAccent).toBe(light);
  await form.getByRole('button', { name: 'Dark' }).click();
  await expect.poll(previewAccent).toBe('#ffe066');
  await form.getByRole('tab', { name: 'Paid' }).click();
  await expect(preview.locator('[data-stage=paid]')).toBeVisible();
  await expect(preview.locator('.store-name bdi')).toHaveText('Harbour Rope');
  await preview.getByRole('link', { name: 'Receipt' }).click();
  await expect(preview.locator('[data-stage=paid]')).toBeVisible();
  await form.getByRole('tab', { name: 'Paid' }).press('ArrowRight');
  await expect(preview.locator('[data-receipt] h1')).toBeVisible();
  const address = (await form.locator('iframe[data-preview]').getAttribute('src')) ?? '';
  const stranger = await otherPage(browser, baseURL as string);
  await stranger.goto(address);
  await expect(stranger).toHaveURL(/\/login\?callbackUrl=/);
  await stranger.context().close();
  // An unsaved form reaches the preview only.
  expect(await (await page.request.get((await merchant.create()).url)).text()).not.toContain('Harbour Rope');
  await form.getByLabel('Support contact').fill('help@harbour.example');
  await origins.fill('http://harbour.example');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(origins).toHaveAttribute('aria-invalid', 'true');
  await origins.fill('https://Harbour.example/');
  await form.getByRole('button', { name: 'Save' }).click();
  // The server stores the origin as browsers write it, and the page shows the stored value.
  await expect(origins).toHaveValue('https://harbour.example');
  await expect(form.getByLabel('Brand colour')).toHaveValue('#ffe066');

  await form
    .getByLabel('Picture')
    .setInputFiles({ name: 'logo.txt', mimeType: 'image/png', buffer: Buffer.from('no') });
  await form.getByRole('button', { name: 'Upload' }).click();
  await expect(form.getByLabel('Picture')).toHaveAttribute('aria-invalid', 'true');
  await form.getByLabel('Picture').setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: LOGO });
  await form.getByRole('button', { name: 'Upload' }).click();
  await expect(form.getByRole('button', { name: 'Remove logo' })).toBeVisible();
  expect(await seriousFaults(page)).toEqual([]);
  await page.setViewportSize({ width: 320, height: 800 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  await expect(preview.locator('.store-logo')).toBeVisible();
  expect(await preview.locator(':root').evaluate((root) => root.scrollWidth - root.clientWidth)).toBe(0);

  const customer = await otherPage(browser, baseURL as string);
  await customer.emulateMedia({ colorScheme: 'dark' });
  const session = await merchant.create();
  await customer.goto(session.url);
  await expect(customer.locator('.store-name bdi')).toHaveText('Harbour Rope');
  await expect(customer.locator('.store-logo')).toBeVisible();
  await expect(customer.locator('[data-support]')).toHaveText('help@harbour.example');
  expect(await accentOf(customer)).toBe('#ffe066');

  await form.getByRole('button', { name: 'Remove logo' }).click();
  await expect(form.getByText('No logo yet.')).toBeVisible();
  await customer.reload();
  await expect(customer.locator('.store-name bdi')).toHaveText('Harbour Rope');
  await expect(customer.locator('.store-logo')).toHaveCount(0);
  await customer.context().close();
  await desk.context().close();
});

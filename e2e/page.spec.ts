// Qualities of the hosted page: accessible on every device, in every language, with or without scripts, and inert.

import { readCode } from './qr';
import type { Page } from '@playwright/test';
import { seriousViolationsOf } from './axe';
import { expect, test } from './story';

const LANGUAGES = ['en', 'zh', 'ar'] as const;

/** The accessibility rules that the page seriously breaks. */
async function seriousFaults(page: Page): Promise<string[]> {
  const violations = await seriousViolationsOf(page);
  return violations.map(({ id }) => id);
}

test('the page is complete without scripts: address, amount, QR code, wallet link and the choice of method', async ({
  browser,
  baseURL,
  merchant,
}) => {
  const session = await merchant.create({ currency: 'USD' });
  const context = await browser.newContext({ javaScriptEnabled: false, ...(baseURL ? { baseURL } : {}) });
  const page = await context.newPage();
  await page.goto(session.url);
  const address = await page.locator('[data-address]').getAttribute('data-address');
  expect(address).toMatch(/^0x[0-9a-fA-F]{40}$/);
  await expect(page.locator('.amount')).toContainText('12.34 USDT');
  await expect(page.locator('[data-code="address"] svg')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Open in wallet' })).toHaveAttribute(
    'href',
    new RegExp(`address=${address}&uint256=12340000`),
  );
  await expect(page.locator('.pay-before')).toBeVisible();
  await expect(page.getByRole('button', { name: /Copy/ })).toHaveCount(0);
  await page.getByRole('link', { name: /BNB Smart Chain/ }).click();
  await expect(page.locator('.warn-send')).toContainText('BEP20');
  await context.close();
});

/** The maximum top of each part in the phone's first view, in pixels. */
const BEGINS = { '.amount': 120, '[data-address]': 260, '.receive-code': 400, '.open-wallet': 600 };

test('on a phone amount, address, QR code and "Open in wallet" begin in the first view', async ({
  browser,
  merchant,
}) => {
  const session = await merchant.create({ currency: 'USD' });
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  const page = await context.newPage();
  for (const method of ['bsc-USDT', 'tron-USDT', 'solana-USDC', 'ethereum-USDT']) {
    await page.goto(`${session.url}?method=${method}`);
    for (const [part, most] of Object.entries(BEGINS)) {
      const box = await page.locator(part).first().boundingBox();
      expect(box?.y ?? Infinity, `${part} of ${method}`).toBeLessThan(most);
    }
  }
  await context.close();
});

test('the choice is one line with a network preselected; it opens, and folds once a network is pressed', async ({
  browser,
  merchant,
}) => {
  const session = await merchant.create({ currency: 'USD' });
  const context = await browser.newContext({ viewport: { width: 360, height: 740 } });
  const page = await context.newPage();
  await page.goto(session.url);
  const line = page.locator('.choice summary');
  const tron = page.getByRole('link', { name: /TRON/ });
  await expect(tron).toBeHidden();
  await line.click();
  await page.getByRole('link', { name: 'USDC' }).click();
  await expect(page.locator('.amount')).toContainText('USDC');
  await page.getByRole('link', { name: 'USDT' }).click();
  await expect(page.locator('.amount')).toContainText('USDT');
  await tron.click();
  await expect(line).toContainText('USDT · TRON TRC20');
  await expect(tron).toBeHidden();
  await line.click();
  await expect(tron).toBeVisible();
  await expect(page.locator('.choice-all .hint')).toContainText('TRX');
  await page.getByRole('link', { name: /Solana/ }).click();
  await expect(page.locator('.warn-send')).toContainText('Solana');
  // It closes again although it was opened by hand; the keyboard continues from there.
  await expect(tron).toBeHidden();
  await line.click();
  await tron.focus();
  await page.keyboard.press('Enter');
  await expect(page.locator('.warn-send')).toContainText('TRON');
  await expect(line).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Copy address' })).toBeFocused();
  // It also closes when the customer keeps the current choice.
  await line.click();
  await tron.click();
  await expect(tron).toBeHidden();
  await context.close();
});

test('where one token is offered, the customer chooses no token', async ({ page, merchant }) => {
  const session = await merchant.create();
  await page.goto(`${session.url}?method=bsc-USDT`);
  await page.locator('.choice summary').click();
  await expect(page.getByRole('navigation', { name: 'Token' })).toHaveCount(0);
  await expect(page.getByRole('navigation', { name: 'Network' })).toBeVisible();
});

test('every QR code encodes exactly the shown values', async ({ page, merchant }) => {
  const session = await merchant.create();
  await page.goto(session.url);
  const address = await page.locator('[data-address]').getAttribute('data-address');
  expect((await page.locator('[data-address]').textContent())?.trim()).toBe(address);
  expect(await readCode(page.locator('[data-code="address"]'))).toBe(address);
  const link = await page.getByRole('link', { name: 'Open in wallet' }).getAttribute('href');
  await page.locator('.code-choice summary').click();
  await page.getByRole('link', { name: 'Other wallets (EIP-681)' }).click();
  expect(await readCode(page.locator('[data-code="wallet"]'))).toBe(link);
  await page.getByRole('link', { name: 'MetaMask' }).click();
  const own = page.getByRole('link', { name: 'Open in MetaMask' });
  await expect(own).toHaveAttribute('href', new RegExp(`^https://link\\.metamask\\.io/send/.*address=${address}`));
  expect(await readCode(page.locator('[data-code="wallet"]'))).toBe(await own.getAttribute('href'));
});

for (const language of LANGUAGES) {
  test(`in ${language} the page fits phones and has no serious fault of accessibility, light and dark`, async ({
    page,
    merchant,
  }) => {
    const session = await merchant.create({
      currency: 'USD',
      description: 'A'.repeat(300),
      line_items: [
        { price_data: { currency: 'USD', unit_amount: 1234, product_data: { name: 'ً'.repeat(3) + 'W'.repeat(200) } } },
      ],
    });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      for (const width of [320, 360, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        await page.goto(`${session.url}?lang=${language}`);
        await expect(page.locator('html')).toHaveAttribute('lang', language);
        await expect(page.locator('html')).toHaveAttribute('dir', language === 'ar' ? 'rtl' : 'ltr');
        expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(
          0,
        );
        expect(await seriousFaults(page)).toEqual([]);
      }
    }
  });
}

test('the language follows the browser, can be switched, and is remembered', async ({ browser, merchant }) => {
  const session = await merchant.create();
  const context = await browser.newContext({ locale: 'ar-EG' });
  const page = await context.newPage();
  await page.goto(session.url);
  await expect(page.locator('html')).toHaveAttribute('dir', 'rtl');
  const languages = page.locator('form.languages');
  await languages.getByRole('combobox').selectOption('zh');
  await expect(page.locator('html')).toHaveAttribute('lang', 'zh');
  await page.goto(session.url);
  await expect(page.locator('html')).toHaveAttribute('lang', 'zh');
  await page.goto(`${session.url}?lang=../../etc`);
  await expect(page.locator('html')).toHaveAttribute('lang', 'zh');
  await context.close();
});

test('hostile names are inert text', async ({ page, merchant }) => {
  const name = `</script><img src=x onerror="document.title='hit'">{{7*7}}`;
  const session = await merchant.create({
    currency: 'USD',
    description: name,
    line_items: [{ price_data: { currency: 'USD', unit_amount: 1234, product_data: { name } } }],
  });
  await page.goto(session.url);
  await expect(page.getByText(name)).toHaveCount(2);
  await expect(page.locator('img')).toHaveCount(0);
  await expect(page).not.toHaveTitle('hit');
});

test('every response has its own nonce and the strict policy, and may be neither cached nor framed', async ({
  request,
  merchant,
}) => {
  const session = await merchant.create();
  const [first, second] = await Promise.all([request.get(session.url), request.get(session.url)]);
  const headers = first.headers();
  const policy = headers['content-security-policy'] ?? '';
  expect(policy).not.toBe(second.headers()['content-security-policy']);
  expect(policy).not.toMatch(/unsafe-|https?:|\*/);
  for (const part of [
    `default-src 'none'`,
    `object-src 'none'`,
    `base-uri 'none'`,
    `form-action 'self'`,
    `frame-ancestors 'none'`,
    `connect-src 'self'`,
  ]) {
    expect(policy).toContain(part);
  }
  expect(headers['cache-control']).toContain('no-store');
  expect(headers['x-robots-tag']).toContain('noindex');
  expect(headers['referrer-policy']).toBe('no-referrer');
  expect(headers['x-content-type-options']).toBe('nosniff');
  expect((await request.get('/_next/image?url=%2Ficon.svg&w=64&q=75')).status()).toBe(404);
});

test('the documentation explains each error and has no serious fault of accessibility', async ({ page }) => {
  await page.goto('/docs/errors');
  const codes = await page.locator('.codes a').allTextContents();
  expect(codes.length).toBeGreaterThan(20);
  for (const path of ['/docs', '/docs/signing', `/docs/errors/${codes[0]}`]) {
    await page.goto(path);
    expect(await seriousFaults(page)).toEqual([]);
  }
  expect((await page.goto('/docs/errors/NO_SUCH_CODE'))?.status()).toBe(404);
});

// A customer names an order's refund address: shown for confirmation, stored once, with or without scripts.

import type { Page } from '@playwright/test';
import type { Merchant, Session } from './merchant';
import { seriousViolationsOf } from './axe';
import { expect, test } from './story';
import { EVM_WALLET, injectEvmWallet } from './wallet-evm';

const MINE = '0x9858EfFD232B4033E47d90003D41EC34EcaEda94';
const GROUPS = ['0x9858', 'EfFD', '232B', '4033', 'E47d', '9000', '3D41', 'EC34', 'EcaE', 'da94'];
const LABEL = /^Your address on/;
const SIGN = 'Sign with the wallet you paid from';

async function seriousFaults(page: Page): Promise<string[]> {
  const violations = await seriousViolationsOf(page);
  return violations.map(({ id }) => id);
}

/** A paid order whose page this browser saw before. */
async function paid(merchant: Merchant, page: Page, network = 'ethereum'): Promise<Session> {
  // Without a return address, the page stays.
  const session = await merchant.create({ currency: 'USD', success_url: null });
  await page.goto(session.url);
  await merchant.pay(session.id, { network });
  await expect
    .poll(async () => ((await (await fetch(`${session.url}/status`)).json()) as { status: string }).status)
    .toBe('COMPLETED');
  return session;
}

const stepOf = (session: Session, address: string): string =>
  `${session.url}/refund-address?${new URLSearchParams({ address })}`;

test('a customer gives an address, compares it in groups, and finds it saved for good', async ({ page, merchant }) => {
  const session = await paid(merchant, page);
  await page.goto(session.url);
  await expect(page.locator('[data-payer]')).toHaveText(/^0x[0-9a-fA-F]{6}…[0-9a-fA-F]{6}$/);
  await page.locator('#refund-fold summary').click();
  await page.getByLabel(LABEL).fill(`  ${MINE.toLowerCase()} `);
  await page.getByRole('button', { name: 'Check this address' }).click();

  await expect(page.getByRole('heading', { name: 'Is this your address?' })).toBeVisible();
  await expect(page.locator('[data-address] span')).toHaveText(GROUPS);
  await expect(page.locator('.address-end')).toHaveText([...GROUPS.slice(0, 2), ...GROUPS.slice(-2)]);
  await expect(page.locator('.address-confirm')).toContainText('USDT on Ethereum (ERC20)');
  await page.getByRole('button', { name: 'Yes, use this address' }).click();

  await expect(page).toHaveURL(`${session.url}#refund-address`);
  await expect(page.locator('[data-refund-address="given"] [data-address]')).toHaveAttribute('data-address', MINE);
  await expect(page.getByLabel(LABEL)).toHaveCount(0);
  // An old tab of the form leads to the stored address.
  await page.goto(stepOf(session, '0x6Fac4D18c912343BF86fa7049364Dd4E424Ab9C0'));
  await expect(page.locator('[data-refund-address="given"] [data-address]')).toHaveAttribute('data-address', MINE);
});

test('it works with the keyboard alone and without scripts, and "no" saves nothing', async ({
  browser,
  baseURL,
  merchant,
}) => {
  const context = await browser.newContext({ javaScriptEnabled: false, ...(baseURL ? { baseURL } : {}) });
  const page = await context.newPage();
  const session = await paid(merchant, page, 'bsc');
  await page.goto(session.url);
  await page.locator('#refund-fold summary').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await expect(page.getByLabel(LABEL)).toBeFocused();
  await page.keyboard.type(MINE);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'No, give another one' }).click();
  await page.getByLabel(LABEL).fill(MINE);
  await page.getByRole('button', { name: 'Check this address' }).click();
  await page.getByRole('button', { name: 'Yes, use this address' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.locator('[data-refund-address="given"] [data-address]')).toHaveAttribute('data-address', MINE);
  await context.close();
});

test('each kind of wrong address has its own message beside the field, and the typed text stays', async ({
  page,
  merchant,
}) => {
  const session = await paid(merchant, page);
  const ours = await merchant.create({ currency: 'USD' });
  const { methods } = (await (await fetch(`${ours.url}/status`)).json()) as {
    methods: { network: string; address: string }[];
  };
  const own = methods.find(({ network }) => network === 'ethereum')?.address as string;
  for (const [address, words] of [
    ['hello', 'This is not an address on Ethereum'],
    [MINE.replace('EfFD', 'effd'), 'contains a typing mistake'],
    ['TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH', 'an address on another network'],
    ['0xdac17f958d2ee523a2206206994597c13d831ec7', 'the address of a token'],
    [`0x${'0'.repeat(40)}`, 'Nobody owns this address'],
    [own, 'belongs to this payment service'],
    [`0x${'0'.repeat(39)}1`, 'cannot receive USDT on Ethereum'],
  ] as const) {
    await page.goto(stepOf(session, address));
    await expect(page.locator('.field-error')).toContainText(words);
    const field = page.getByLabel(LABEL);
    await expect(field).toHaveValue(address);
    await expect(field).toHaveAttribute('aria-invalid', 'true');
    await expect(page.getByRole('button', { name: 'Yes, use this address' })).toHaveCount(0);
  }
});

test('no other site and no visitor who did not see the address can give one', async ({ page, merchant }) => {
  const session = await paid(merchant, page);
  const { request } = page;
  const give = `${session.url}/refund-address/give`;
  const html = await (await request.get(stepOf(session, MINE))).text();
  const shown = /name="shown" value="([^"]+)"/.exec(html)?.[1] as string;
  for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }])
    expect((await request.post(give, { form: { shown }, headers, maxRedirects: 0 })).status()).toBe(403);
  expect((await request.post(give, { form: { shown: MINE }, maxRedirects: 0 })).status()).toBe(403);
  expect((await request.get(give, { maxRedirects: 0 })).status()).toBe(405);
  expect(await (await request.get(session.url)).text()).toContain('data-refund-address="here"');
  const kept = await request.post(give, { form: { shown }, maxRedirects: 0 });
  expect([kept.status(), kept.headers().location]).toEqual([303, `/pay/${session.id}#refund-address`]);
});

test('a visitor who only knows the order must sign with the wallet that paid, and can give no address without it', async ({
  page,
  request,
  merchant,
}) => {
  const session = await paid(merchant, page);
  const shown = /name="shown" value="([^"]+)"/.exec(await (await page.request.get(stepOf(session, MINE))).text())?.[1];
  const give = `${session.url}/refund-address/give`;
  expect((await request.post(give, { form: { shown: shown as string }, maxRedirects: 0 })).status()).toBe(403);
  await page.context().clearCookies();
  await page.goto(session.url);
  await expect(page.locator('[data-refund-address="signed"]')).toContainText(
    'sign for it with the wallet you paid from',
  );
  await page.goto(stepOf(session, MINE));
  await expect(page.getByRole('button', { name: SIGN })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Yes, use this address' })).toHaveCount(0);
  await expect(page.locator('.address-sign')).toContainText('in the browser that you paid from');
  await page.getByRole('button', { name: SIGN }).click();
  await expect(page.locator('[data-wallet="failed"]')).toContainText('No such wallet was found');
  expect(await seriousFaults(page)).toEqual([]);
});

test('the wallet that paid signs for the address, in a browser that did not open the payment, after it declined once', async ({
  page,
  merchant,
}) => {
  const wallet = { on: 'bsc', knows: ['bsc'], tokens: 20n, coin: 10n ** 18n };
  const calledMethods = await injectEvmWallet(page, { ...wallet, rejectsOnce: 'personal_sign' });
  const session = await merchant.create({ success_url: null });
  await page.goto(`${session.url}?method=bsc-USDT`);
  await page.getByRole('button', { name: new RegExp(`Pay with .?${EVM_WALLET}`) }).click();
  await expect(page.locator('[data-stage="paid"]')).toBeVisible();
  await page.context().clearCookies();
  await page.goto(stepOf(session, MINE));
  const sign = page.getByRole('button', { name: SIGN });
  await sign.click();
  await expect(page.locator('[data-wallet="failed"]')).toContainText('You declined in');
  await sign.click();
  await expect(page).toHaveURL(`${session.url}#refund-address`);
  await expect(page.locator('[data-refund-address="given"] [data-address]')).toHaveAttribute('data-address', MINE);
  expect(calledMethods.filter((method) => method === 'personal_sign')).toHaveLength(2);
});

test('an order that is not paid has no such form', async ({ page, merchant }) => {
  const session = await merchant.create();
  await page.goto(session.url);
  await expect(page.locator('[data-refund-address]')).toHaveCount(0);
  expect((await page.goto(stepOf(session, MINE)))?.status()).toBe(404);
});

test('an unknown claim link says what to do, and is neither cached, indexed nor traced', async ({ page }) => {
  for (const token of ['a'.repeat(43), 'x']) {
    const answer = await page.goto(`/claim/${token}`);
    expect(answer?.status()).toBe(404);
    await expect(page.getByRole('heading')).toHaveText('This link is not valid');
    await expect(page.getByText('Ask the shop for a new link')).toBeVisible();
    await expect(page.getByRole('link', { name: 'Go to the start page' })).toHaveAttribute('href', '/');
    await expect(page.getByRole('combobox', { name: 'Language' })).toBeVisible();
    const headers = answer?.headers() ?? {};
    expect(headers['cache-control']).toContain('no-store');
    expect(headers['x-robots-tag']).toContain('noindex');
    expect(headers['referrer-policy']).toBe('no-referrer');
  }
});

for (const language of ['en', 'zh', 'ar'] as const) {
  test(`in ${language} the form, its step and its errors fit phones and have no serious fault of accessibility`, async ({
    page,
    merchant,
  }) => {
    const session = await paid(merchant, page);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      for (const width of [320, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        for (const address of [`${session.url}?`, stepOf(session, MINE), stepOf(session, 'hello')]) {
          await page.goto(`${address}&lang=${language}`);
          const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
          expect(overflow).toBeLessThanOrEqual(0);
          expect(await seriousFaults(page)).toEqual([]);
        }
      }
    }
  });
}

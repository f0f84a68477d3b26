// A customer keeps a receipt: on the screen, on paper, in their language.

import type { Page } from '@playwright/test';
import type { Merchant, Session } from './merchant';
import { seriousViolationsOf } from './axe';
import { asOperator, newMerchant, otherPage, protectAccount } from './console';
import { expect, test } from './story';

async function seriousFaults(page: Page): Promise<string[]> {
  const violations = await seriousViolationsOf(page);
  return violations.map(({ id }) => id);
}

type Paid = Session & { readonly hash: string; readonly due: string };

/** A euro order, so that a rate applies. */
async function paid(merchant: Merchant): Promise<Paid> {
  // Without a return address, the paid page stays.
  const session = await merchant.create({ currency: 'EUR', description: 'One blue mug', success_url: null });
  const status = async () =>
    (await (await fetch(`${session.url}/status`)).json()) as {
      status: string;
      amount_due: string;
      methods: { currency: string }[];
    };
  const { amount_due: due, methods } = await status();
  const { transaction_hash: hash } = (await merchant.pay(session.id, {
    amount: Number(due.replace('.', '')),
    ...(methods[0] ? { currency: methods[0].currency } : {}),
  })) as { transaction_hash: string };
  await expect.poll(async () => (await status()).status).toBe('COMPLETED');
  return { ...session, hash, due };
}

test('a customer opens the receipt of a payment from the paid page: amount, rate, transaction, number', async ({
  page,
  merchant,
}) => {
  const session = await paid(merchant);
  await page.goto(session.url);
  await page.getByRole('link', { name: 'Receipt', exact: true }).click();
  const receipt = page.locator(`[data-receipt="${session.id}"]`);
  await expect(receipt.getByRole('heading')).toHaveText('Receipt of payment');
  await expect(receipt.locator('.price')).toHaveText('12.34 EUR');
  await expect(receipt.locator('.receipt-paid')).toContainText(session.due);
  await expect(receipt).toContainText(/1 EUR = \d+\.\d+ USD[TC]/);
  await expect(receipt.getByText('One blue mug')).toHaveCount(1);
  await expect(receipt.locator('.receipt-total')).toHaveText(/Total\s*12\.34 EUR/);
  await expect(receipt).not.toContainText('Order amount');
  await expect(receipt.locator('.hash-short')).toBeVisible();
  await expect(receipt.locator('.hash-whole')).toBeHidden();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await receipt.getByRole('button', { name: 'Copy: Transaction hash' }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(session.hash);
  await expect(receipt).toContainText('BNB Smart Chain');
  await expect(receipt).toContainText('UTC');
  await expect(receipt).toContainText('Test receipt');
});

test('an owner saves the legal details, and each receipt then shows the seller, the VAT number and the next number', async ({
  page,
  browser,
  baseURL,
}) => {
  test.setTimeout(240_000);
  const desk = await otherPage(browser, baseURL as string);
  await asOperator(desk);
  const { store, merchant } = await newMerchant(page, desk, baseURL as string);
  await protectAccount(page);
  await page.goto(`/dashboard/${store.id}/settings`);
  const details = page.locator('form', { has: page.getByLabel('Legal name') });
  const save = details.getByRole('button', { name: 'Save', exact: true });
  await expect(save).toBeEnabled();
  await details.getByLabel('Legal name').fill('Hafen Handel GmbH');
  await details.getByLabel('Address').fill('Am Kai 1\n20457 Hamburg');
  await details.getByLabel('VAT number').fill('DE12');
  await save.click();
  await expect(details.getByLabel('VAT number')).toBeFocused();
  await expect(details.getByLabel('VAT number')).toHaveAttribute('aria-invalid', 'true');
  await details.getByLabel('VAT number').fill('de 123 456 789');
  await save.click();
  await expect(page.getByText('Saved.', { exact: true })).toBeVisible();
  await page.reload();
  await expect(details.getByLabel('VAT number')).toHaveValue('DE123456789');

  const [one, other] = [await paid(merchant), await paid(merchant)];
  for (const [session, number] of [
    [one, 'T1-000001'],
    [other, 'T1-000002'],
    [one, 'T1-000001'],
  ] as const) {
    await page.goto(`${session.url}/receipt`);
    const receipt = page.locator(`[data-receipt="${session.id}"]`);
    const row = (name: string) => receipt.locator('dl > div', { has: page.getByText(name, { exact: true }) });
    await expect(row('Receipt number').getByRole('definition')).toHaveText(number);
    await expect(row('Seller').getByRole('paragraph')).toHaveText(['Hafen Handel GmbH', 'Am Kai 1', '20457 Hamburg']);
    await expect(row('VAT number').getByRole('definition')).toHaveText('DE123456789');
    await expect(row('Reference').getByRole('definition')).toHaveText(session.id);
  }
  expect(await seriousFaults(page)).toEqual([]);
});

test('the payer can have the receipt mailed; other visitors are not offered it', async ({
  page,
  merchant,
  browser,
}) => {
  const session = await merchant.create({ success_url: null });
  await page.goto(session.url);
  await merchant.pay(session.id);
  await expect(page.getByRole('link', { name: 'Receipt', exact: true })).toBeVisible({ timeout: 30_000 });
  // The paid page offers it already; the confirmation is on the receipt's page.
  const email = `ana-${session.id.slice(-8).toLowerCase()}@example.com`;
  await page.getByText('Send by email').click();
  await page.getByLabel('Email address').fill(email);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(page.locator('#receipt-mail[role=status]')).toContainText('The receipt is on its way');
  await expect(page.locator('#receipt-mail')).toHaveClass(/notice-good/);
  expect(await seriousFaults(page)).toEqual([]);

  await page.goto('/sandbox/mail');
  await page.getByRole('listitem').filter({ hasText: email }).getByRole('link', { name: 'Receipt of payment' }).click();
  await expect(page.locator('main')).toContainText(session.id);

  const other = await browser.newPage();
  await other.goto(`${session.url}/receipt`);
  await expect(other.getByRole('heading', { name: 'Receipt of payment' })).toBeVisible();
  await expect(other.getByText('Send by email')).toHaveCount(0);
  await other.close();
});

test('on paper it is black on white and has no buttons, whatever the screen’s theme', async ({ page, merchant }) => {
  const session = await paid(merchant);
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await page.goto(`${session.url}/receipt`);
  const colours = await page
    .locator('.receipt dd')
    .evaluateAll((all) => [
      ...new Set(all.map((one) => getComputedStyle(one).color)),
      getComputedStyle(document.body).backgroundColor,
      getComputedStyle(document.querySelector('main') as Element).backgroundColor,
    ]);
  expect(colours).toEqual(['rgb(0, 0, 0)', 'rgb(255, 255, 255)', 'rgb(255, 255, 255)']);
  await expect(page.getByRole('button')).toHaveCount(0);
  await expect(page.locator('.hash-whole')).toHaveText(session.hash);
  await expect(page.locator('.hash-whole')).toBeVisible();
  await expect(page.locator('.foot')).toBeHidden();
});

test('it is neither cached, indexed nor traced, and does not exist before the payment is complete', async ({
  page,
  merchant,
}) => {
  const session = await paid(merchant);
  const headers = (await page.goto(`${session.url}/receipt`))?.headers() ?? {};
  expect(headers['cache-control']).toContain('no-store');
  expect(headers['x-robots-tag']).toContain('noindex');
  expect(headers['referrer-policy']).toBe('no-referrer');
  const waiting = await merchant.create();
  for (const path of [`${waiting.url}/receipt`, `/receipt/rcp_${'a'.repeat(22)}`, '/receipt/x', '/pay/x/receipt']) {
    expect((await page.goto(path))?.status()).toBe(404);
    await expect(page.getByRole('heading')).toHaveText('This receipt does not exist');
  }
});

for (const language of ['en', 'zh', 'ar'] as const) {
  test(`in ${language} it fits phones and has no serious fault of accessibility`, async ({ page, merchant }) => {
    const session = await paid(merchant);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const width of [320, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        await page.goto(`${session.url}/receipt?lang=${language}`);
        await expect(page.locator('html')).toHaveAttribute('dir', language === 'ar' ? 'rtl' : 'ltr');
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        expect(overflow).toBeLessThanOrEqual(0);
        expect(await seriousFaults(page)).toEqual([]);
      }
    }
  });
}

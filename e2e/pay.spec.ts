// A customer's goals on the hosted page, one story each.

import type { Page } from '@playwright/test';
import { expect, test } from './story';

/** Of sessions that are paid until one is seen while it is being confirmed. */
const MOST_PAYMENTS = 5;
const stage = (name: string) => `[data-stage="${name}"]`;

type Face = { readonly stage: string; readonly hasProgress: boolean; readonly hasAddress: boolean };

/** Records every state that the page shows from now on, because one may pass before the test can query it. */
async function facesOf(page: Page): Promise<Face[]> {
  const faces: Face[] = [];
  await page.exposeFunction('show', (face: Face) => faces.push(face));
  await page.addInitScript(() => {
    const { show } = globalThis as unknown as { show: (face: Face) => void };
    new MutationObserver(() => {
      const has = (selector: string) => document.querySelector(selector) !== null;
      const shown = document.querySelector('[data-stage]')?.getAttribute('data-stage') ?? '';
      show({ stage: shown, hasProgress: has('progress'), hasAddress: has('[data-address]') });
    }).observe(document, { subtree: true, childList: true, attributes: true });
  });
  return faces;
}

test('a customer pays the exact amount, and the page shows it as paid automatically', async ({ page, merchant }) => {
  const faces = await facesOf(page);
  // Ethereum is the slower chain. On a busy machine a payment may still be final before the page polls again: then another one is made.
  for (
    let paid = 0;
    paid === 0 || (paid < MOST_PAYMENTS && !faces.some(({ stage: at }) => at === 'confirming'));
    paid++
  ) {
    const session = await merchant.create();
    await page.goto(session.url);
    await expect(page.locator(stage('pay'))).toBeVisible();
    await expect(page.locator('[data-link="success"]')).toHaveCount(0);
    await merchant.pay(session.id, { network: 'ethereum' });
    await expect(page.locator(stage('paid'))).toBeVisible();
  }
  expect(faces).toContainEqual({ stage: 'confirming', hasProgress: true, hasAddress: false });
  // The page requests no second payment.
  expect(faces.filter(({ stage: at, hasAddress }) => at === 'confirming' && hasAddress)).toEqual([]);
  await expect(page.locator('[data-link="success"]')).toHaveAttribute('href', 'https://shop.example/thanks');
  await expect(page).toHaveTitle(/^Paid/);
});

test('a customer who pays a part sees what is missing, and pays the rest', async ({ page, merchant }) => {
  const session = await merchant.create();
  await page.goto(session.url);
  await merchant.pay(session.id, { amount: 500 });
  await expect(page.locator(stage('pay'))).toContainText('7.34 USDT is still missing');
  await expect(page.locator('.amount-figure')).toHaveText('7.34');
  await merchant.pay(session.id, { amount: 734 });
  await expect(page.locator(stage('paid'))).toBeVisible();
});

test('a customer of an expired payment sees the warning not to send anything', async ({ page, merchant }) => {
  const session = await merchant.create();
  await page.goto(session.url);
  await merchant.expire(session.id);
  await expect(page.locator(stage('expired'))).toContainText('do not send anything');
  await expect(page.locator('[data-address]')).toHaveCount(0);
});

test('a customer whose payment the shop cancels sees that, and a way back to the shop', async ({ page, merchant }) => {
  const session = await merchant.create();
  await page.goto(session.url);
  await merchant.cancel(session.id);
  await expect(page.locator(stage('canceled'))).toBeVisible();
  await expect(page.locator('[data-link="cancel"]')).toHaveAttribute('href', 'https://shop.example/cart');
});

test('a customer who sends the wrong token sees that it does not count and is not lost', async ({ page, merchant }) => {
  const session = await merchant.create();
  await page.goto(session.url);
  await merchant.pay(session.id, { scenario: 'wrong_token' });
  await expect(page.locator(stage('pay'))).toContainText('12.34 USDC arrived: the wrong token');
  await expect(page.locator(stage('pay'))).toContainText('It is not lost');
  await expect(page.locator(stage('pay'))).toContainText('Please do not pay again.');
  // The customer's reference for the shop is beside the sentence about it, and no clock runs.
  await expect(page.locator('.panel .reference code')).toHaveText(session.id);
  await expect(page.locator('.panel .reference').getByRole('button', { name: 'Copy: Reference' })).toBeVisible();
  await expect(page.locator('.foot')).not.toContainText(session.id);
  await expect(page.getByRole('timer')).toHaveCount(0);
  await expect(page.locator('.amount-figure')).toBeHidden();
  await page.getByText('Pay anyway').click();
  await expect(page.locator('.amount-figure')).toHaveText('12.34');
});

test('a customer who chooses another network gets its address, amount and warning, and keeps the choice on reload', async ({
  page,
  merchant,
}) => {
  const session = await merchant.create({ currency: 'USD' });
  await page.goto(session.url);
  await page.locator('.choice summary').click();
  await page.getByRole('link', { name: /BNB Smart Chain/ }).click();
  await expect(page).toHaveURL(/method=bsc-USDT/);
  await page.locator('.choice summary').click();
  await page.getByRole('link', { name: 'USDC' }).click();
  await expect(page).toHaveURL(/method=bsc-USDC/);
  await expect(page.locator('.warn-send')).toContainText('Send only USDC on BNB Smart Chain (BEP20)');
  await page.reload();
  await expect(page.locator('.amount')).toContainText('USDC');
  await expect(page.locator('.warn-send')).toContainText('BEP20');
});

test('a customer copies the amount and the address exactly', async ({ page, merchant, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const session = await merchant.create();
  await page.goto(session.url);
  const address = await page.locator('[data-address]').getAttribute('data-address');
  await page.getByRole('button', { name: 'Copy address' }).click();
  const proof = page.locator('.send-to .copy-proof');
  await expect(proof).toHaveText('Compare the whole address in your wallet');
  const [box, whole] = await Promise.all([proof.boundingBox(), page.locator('.send-to').boundingBox()]);
  expect(box?.y).toBeGreaterThanOrEqual(whole?.y ?? Infinity);
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(address);
  await page.getByRole('button', { name: 'Copy amount' }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('12.34');
});

test('a customer who goes offline sees a notice, and the page catches up automatically', async ({ page, merchant }) => {
  const session = await merchant.create();
  await page.goto(session.url);
  await page.route('**/status', (route) => route.abort());
  await expect(page.locator('.offline')).toContainText('You are offline');
  await merchant.cancel(session.id);
  await page.unroute('**/status');
  await expect(page.locator(stage('canceled'))).toBeVisible();
});

test('an unknown payment shows a page that says so', async ({ page }) => {
  const answer = await page.goto('/pay/cs_test_11111111111111111111111111111111');
  expect(answer?.status()).toBe(404);
  await expect(page.getByRole('heading')).toHaveText('This payment does not exist');
});

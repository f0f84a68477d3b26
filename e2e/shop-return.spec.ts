// A finished payment returns to the shop automatically, and never moves a customer who chose to stay: on the full page,
// with and without scripts. shop-return-embed.spec.ts covers pop-up and frame.

import type { BrowserContext, Page } from '@playwright/test';
import { countdown, LONG_MS, paid, statusOf, stayButton } from './shop-return-kit';
import { violationsOf } from './axe';
import { expect, test } from './story';

const THANKS = '/docs/errors';
const CART = '/docs/limits';

/** This service's own pages stand in for the shop's, so that no request leaves this machine. */
const backTo = (home: string) => ({ success_url: `${home}${THANKS}`, cancel_url: `${home}${CART}` });

/** A page whose clock only the story moves. */
async function withOwnClock(page: Page): Promise<void> {
  await page.clock.install();
}

test('a customer who has paid reads a countdown in words and is back in the shop after five seconds', async ({
  page,
  merchant,
  baseURL,
}) => {
  const session = await merchant.create(backTo(baseURL as string));
  await page.goto(session.url);
  await merchant.pay(session.id);
  const { host } = new URL(baseURL as string);
  await expect(countdown(page)).toHaveText(`You go back to ${host} in 5 seconds.`);
  const shown = Date.now();
  await expect(page.getByRole('link', { name: `Back to ${host}` })).toHaveAttribute('href', `${baseURL}${THANKS}`);
  await expect(countdown(page)).toHaveText(`You go back to ${host} in 2 seconds.`);
  await page.waitForURL(`${baseURL}${THANKS}`);
  expect(Date.now() - shown).toBeGreaterThan(4000);

  // A customer who comes back wants to be on the page.
  await page.goBack();
  await expect(page.locator('[data-stage="paid"]')).toBeVisible();
  await expect(page.locator('[data-return="staying"]')).toBeVisible();
});

test('a payment that was paid before the page was opened redirects too, and a link redirects at once', async ({
  page,
  merchant,
  baseURL,
}) => {
  const session = await paid(merchant, backTo(baseURL as string));
  await withOwnClock(page);
  await page.goto(session.url);
  await expect(page.locator('[data-return="counting"]')).toBeVisible();
  await page.clock.runFor(5500);
  await expect(page).toHaveURL(`${baseURL}${THANKS}`);

  const second = await paid(merchant, backTo(baseURL as string));
  await page.goto(second.url);
  await page.locator('[data-link="success"]').click();
  await expect(page).toHaveURL(`${baseURL}${THANKS}`);
});

test('a customer who stays is not redirected: after polls, a redraw and a reload, with the keyboard alone', async ({
  page,
  merchant,
  baseURL,
}) => {
  const session = await paid(merchant, backTo(baseURL as string));
  await withOwnClock(page);
  await page.goto(session.url, { waitUntil: 'networkidle' });
  await expect(stayButton(page)).toBeVisible();
  await page.locator('[data-link="success"]').focus();
  await page.keyboard.press('Tab');
  await expect(stayButton(page)).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(countdown(page)).toHaveText('You stay on this page.');
  await expect(countdown(page)).toBeFocused();
  await expect(stayButton(page)).toHaveCount(0);
  await page.clock.runFor(LONG_MS);
  await page.reload();
  await expect(countdown(page)).toHaveText('You stay on this page.');
  await page.clock.runFor(LONG_MS);

  await merchant.refund(session.id, { amount: 100 });
  await page.clock.runFor(LONG_MS);
  await expect(page.getByText('1.00 USDT')).toBeVisible();
  await page.clock.runFor(LONG_MS);
  await expect(page).toHaveURL(session.url);
  await expect(page.locator('[data-link="success"]')).toBeVisible();
});

test('a customer who starts to use the page is not redirected', async ({ page, merchant, baseURL }) => {
  const session = await merchant.create(backTo(baseURL as string));
  // Only the browser that saw the payment page may give an address.
  await page.goto(session.url);
  await merchant.pay(session.id);
  await expect.poll(() => statusOf(session)).toBe('COMPLETED');
  await withOwnClock(page);
  await page.goto(session.url, { waitUntil: 'networkidle' });
  await page.locator('#refund-fold summary').click();
  await page.clock.runFor(LONG_MS);
  await expect(countdown(page)).toHaveText('You stay on this page.');
  await expect(page).toHaveURL(session.url);
});

test('the countdown pauses while the tab is hidden', async ({ page, merchant, baseURL }) => {
  const session = await paid(merchant, backTo(baseURL as string));
  await withOwnClock(page);
  await page.goto(session.url);
  await expect(page.locator('[data-return="counting"]')).toBeVisible();
  const turn = (state: 'hidden' | 'visible') =>
    page.evaluate((now) => {
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => now });
      document.dispatchEvent(new Event('visibilitychange'));
    }, state);
  await turn('hidden');
  await page.clock.runFor(LONG_MS);
  await expect(page).toHaveURL(session.url);
  await turn('visible');
  await page.clock.runFor(5500);
  await expect(page).toHaveURL(`${baseURL}${THANKS}`);
});

test('a canceled payment leads to the cancel address, and an expired one stays', async ({
  page,
  merchant,
  baseURL,
}) => {
  const canceled = await merchant.create(backTo(baseURL as string));
  const expired = await merchant.create(backTo(baseURL as string));
  await merchant.cancel(canceled.id);
  await merchant.expire(expired.id);
  await page.goto(canceled.url);
  await page.waitForURL(`${baseURL}${CART}`);

  await expect.poll(() => statusOf(expired)).toBe('EXPIRED');
  await withOwnClock(page);
  await page.goto(expired.url);
  await expect(page.locator('[data-stage="expired"]')).toBeVisible();
  await page.clock.runFor(LONG_MS);
  await expect(page).toHaveURL(expired.url);
  await expect(page.locator('[data-link="cancel"]')).toHaveAttribute('href', `${baseURL}${CART}`);
  await expect(page.locator('[data-return], noscript meta')).toHaveCount(0);
});

test('a page that reports an overpayment stays', async ({ page, merchant, baseURL }) => {
  const session = await merchant.create(backTo(baseURL as string));
  await merchant.pay(session.id, { scenario: 'over' });
  await expect.poll(() => statusOf(session)).toBe('COMPLETED');
  await page.goto(session.url);
  await expect(page.locator('.notices')).toContainText('12.34 USDT was due and 13.57 USDT arrived: 1.23 USDT extra');
  await expect(page.locator('[data-return]')).toHaveCount(0);
  await expect(page.locator('[data-link="success"]')).toBeVisible();
});

test('no parameter of the page’s address changes the return address', async ({ request, merchant, baseURL }) => {
  const session = await paid(merchant, backTo(baseURL as string));
  const evil = encodeURIComponent('https://evil.example/');
  const html = await (
    await request.get(`${session.url}?success_url=${evil}&url=${evil}&return=${evil}&next=${evil}`)
  ).text();
  expect(html).toContain(`content="5;url=${baseURL}${THANKS}"`);
  expect(html.match(/<a [^>]*href="[^"]*evil/g)).toBeNull();
});

test.describe('without scripts', () => {
  const open = async (context: BrowserContext, url: string) => {
    const page = await context.newPage();
    await page.goto(url);
    return page;
  };

  test('the browser returns by itself after five seconds, or stays on request', async ({
    browser,
    merchant,
    baseURL,
  }) => {
    const context = await browser.newContext({ javaScriptEnabled: false, locale: 'en-US' });
    const session = await paid(merchant, backTo(baseURL as string));
    const [leaving, staying] = [await open(context, session.url), await open(context, session.url)];
    await expect(countdown(staying)).toContainText('in 5 seconds');
    await stayButton(staying).click();
    await expect(staying).toHaveURL(`${session.url}?stay=1`);
    await expect(staying.locator('[data-return]')).toHaveCount(0);
    await leaving.waitForURL(`${baseURL}${THANKS}`);

    await staying.reload();
    expect(await staying.content()).not.toContain('http-equiv="refresh"');
    await staying.locator('form.languages').getByRole('combobox').selectOption('ar');
    await staying.locator('form.languages').getByRole('button').click();
    await expect(staying).toHaveURL(/stay=1&lang=ar/);
    expect(await staying.content()).not.toContain('http-equiv="refresh"');
    await context.close();
  });
});

test('the countdown fits every screen, breaks no rule of accessibility and mirrors in Arabic', async ({
  page,
  merchant,
  baseURL,
}) => {
  test.setTimeout(180_000);
  const sessions = { paid: await paid(merchant, backTo(baseURL as string)), canceled: await merchant.create() };
  await merchant.cancel(sessions.canceled.id);
  // The tab is hidden, so the countdown waits.
  await page.addInitScript(() =>
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => 'hidden' }),
  );
  const faults: string[] = [];
  for (const [name, { url }] of Object.entries(sessions)) {
    for (const language of ['en', 'de', 'ar']) {
      await page.goto(`${url}?lang=${language}`);
      await expect(page.locator('[data-return="counting"]')).toBeVisible();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        for (const width of [320, 360, 1280]) {
          await page.setViewportSize({ width, height: 800 });
          const at = `${name} ${language} ${colorScheme} ${width}`;
          const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
          if (over > 0) faults.push(`${at}: wider than the screen`);
          const violations = await violationsOf(page);
          faults.push(...violations.map(({ id, nodes }) => `${at}: ${id} ${nodes[0]?.html ?? ''}`));
          if (process.env.SHOTS) {
            await page.screenshot({
              path: `${process.env.SHOTS}/return-${at.replaceAll(' ', '-')}.png`,
              fullPage: true,
            });
          }
        }
      }
    }
  }
  expect(faults).toEqual([]);
});

// A finished payment leads back to the shop by itself, and never moves a customer who chose to stay: on the full page, without
// scripts, in a pop-up and in a frame.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test as base, type BrowserContext, type Page } from '@playwright/test';
import { Merchant, type Session } from './merchant';
import { openShop, SHOP, STRANGER } from './shop-page';
import { expect, test } from './story';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
type Axe = { axe: { run: () => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> } };

const THANKS = '/docs/errors';
const CART = '/docs/limits';
/** Far more than the countdown needs. */
const LONG_MS = 30_000;

const countdown = (page: Page) => page.locator('.shop-return-text');
const stayButton = (page: Page) => page.getByRole('button', { name: 'Stay on this page' });
const statusOf = async ({ url }: Session) =>
  ((await (await fetch(`${url}/status`)).json()) as { status: string }).status;

/** Where this service's own pages stand in for the shop's, so that no request leaves this machine. */
const backTo = (home: string) => ({ success_url: `${home}${THANKS}`, cancel_url: `${home}${CART}` });

async function paid(merchant: Merchant, over: Record<string, unknown>): Promise<Session> {
  const session = await merchant.create(over);
  await merchant.pay(session.id);
  await expect.poll(() => statusOf(session)).toBe('COMPLETED');
  return session;
}

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

test('a payment that was paid before the page was opened goes back too, and a link goes at once', async ({
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

test('a customer who stays is not moved: after polls, a new drawing and a reload, with the keyboard alone', async ({
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

test('a customer who starts to use the page is not moved', async ({ page, merchant, baseURL }) => {
  const session = await merchant.create(backTo(baseURL as string));
  // Only the browser that saw the payment's page may give an address.
  await page.goto(session.url);
  await merchant.pay(session.id);
  await expect.poll(() => statusOf(session)).toBe('COMPLETED');
  await withOwnClock(page);
  await page.goto(session.url, { waitUntil: 'networkidle' });
  await page.getByText('Give an address of your own', { exact: true }).click();
  await page.clock.runFor(LONG_MS);
  await expect(countdown(page)).toHaveText('You stay on this page.');
  await expect(page).toHaveURL(session.url);
});

test('a page that nobody looks at waits until somebody does', async ({ page, merchant, baseURL }) => {
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

test('a page that tells of too much money stays', async ({ page, merchant, baseURL }) => {
  const session = await merchant.create(backTo(baseURL as string));
  await merchant.pay(session.id, { scenario: 'over' });
  await expect.poll(() => statusOf(session)).toBe('COMPLETED');
  await page.goto(session.url);
  await expect(page.locator('.notices')).toContainText('More arrived than was asked for');
  await expect(page.locator('[data-return]')).toHaveCount(0);
  await expect(page.locator('[data-link="success"]')).toBeVisible();
});

test('nothing in the page’s address changes where it leads', async ({ request, merchant, baseURL }) => {
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

  test('the browser goes back by itself after five seconds, or stays when asked', async ({
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
  // Nobody looks at it, so that it waits.
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
          await page.evaluate(axe);
          const { violations } = await page.evaluate(() => (globalThis as unknown as Axe).axe.run());
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

// The shop's page is on another origin, which the story of this service's own pages forbids.
const inShop = base.extend<{ merchant: Merchant }>({
  merchant: async ({ baseURL }, use) => {
    // The sandbox's second store lists the shop's origin.
    await use(new Merchant(baseURL as string, 1));
  },
});

inShop.describe('opened from the shop’s page', () => {
  inShop.describe.configure({ mode: 'serial' });
  const shopUrls = { success_url: `${SHOP}/thanks`, cancel_url: `${SHOP}/cart` };
  const at = (origin: string, pay: string, mode: string) => `${origin}/?${new URLSearchParams({ pay, mode })}`;
  const buy = (page: Page) => page.getByRole('button', { name: 'Buy' }).click();
  const openPopup = async (page: Page): Promise<Page> => {
    const [popup] = await Promise.all([page.waitForEvent('popup'), buy(page)]);
    return popup;
  };

  let shop: { close: () => Promise<void> };
  inShop.beforeAll(async ({ baseURL }) => {
    shop = await openShop(baseURL as string);
  });
  inShop.afterAll(() => shop.close());

  inShop('the pop-up closes and the shop’s page goes to the success address', async ({ page, merchant }) => {
    const session = await merchant.create(shopUrls);
    await page.goto(at(SHOP, session.url, 'popup'));
    const popup = await openPopup(page);
    await expect(popup.locator('[data-stage="pay"]')).toBeVisible();
    const closed = popup.waitForEvent('close');
    await merchant.pay(session.id);
    await expect(countdown(popup)).toContainText('in 5 seconds');
    await closed;
    await expect(page).toHaveURL(`${SHOP}/thanks`);
  });

  inShop('the frame closes and the whole page goes, also by the link at once', async ({ page, merchant }) => {
    const session = await merchant.create(shopUrls);
    await page.goto(at(SHOP, session.url, 'frame'));
    await buy(page);
    await expect(page.frameLocator('iframe').locator('[data-stage="pay"]')).toBeVisible();
    await merchant.pay(session.id);
    await page.waitForURL(`${SHOP}/thanks`);

    const second = await paid(merchant, shopUrls);
    await page.goto(at(SHOP, second.url, 'frame'));
    await buy(page);
    await page.frameLocator('iframe').locator('[data-link="success"]').click();
    await page.waitForURL(`${SHOP}/thanks`);
  });

  inShop('a customer who stays keeps the frame open', async ({ page, merchant }) => {
    const session = await paid(merchant, shopUrls);
    await page.clock.install();
    const start = at(SHOP, session.url, 'frame');
    await page.goto(start);
    await buy(page);
    const inside = page.frameLocator('iframe');
    await inside.getByRole('button', { name: 'Stay on this page' }).click();
    await expect(inside.locator('[data-return="counting"]')).toHaveCount(0);
    await page.clock.runFor(LONG_MS);
    await expect(inside.locator('[data-stage="paid"]')).toBeVisible();
    await expect(page).toHaveURL(start);
  });

  inShop('a shop that shows its own thanks keeps its page', async ({ page, merchant }) => {
    type Shop = {
      Stabletill: { open: (url: string, options: object) => void };
      back: unknown[];
    };
    const session = await paid(merchant, shopUrls);
    const start = at(SHOP, session.url, 'frame');
    await page.goto(start);
    await page.evaluate((url) => {
      const window = globalThis as unknown as Shop;
      window.back = [];
      window.Stabletill.open(url, {
        mode: 'frame',
        onReturn: (back: unknown) => {
          window.back.push(back);
          return false;
        },
      });
    }, session.url);
    await expect(page.locator('iframe')).toBeVisible();
    await expect(page.locator('iframe')).toHaveCount(0, { timeout: 15_000 });
    expect(await page.evaluate(() => (globalThis as unknown as Shop).back)).toEqual([
      { session_id: session.id, url: `${SHOP}/thanks` },
    ]);
    await expect(page).toHaveURL(start);

    // The same by a link alone.
    await page.evaluate(() =>
      document.addEventListener('stabletill:return', (event) => {
        (globalThis as unknown as Shop).back.push((event as CustomEvent<unknown>).detail);
        event.preventDefault();
      }),
    );
    await page.locator('#link').click();
    await page.frameLocator('iframe').locator('[data-link="success"]').click();
    await expect(page.locator('iframe')).toHaveCount(0);
    expect(await page.evaluate(() => (globalThis as unknown as Shop).back.length)).toBe(2);
    await expect(page).toHaveURL(start);
  });

  inShop('a pop-up of a page that is not listed goes back in its own window', async ({ page, merchant }) => {
    const session = await paid(merchant, shopUrls);
    const start = at(STRANGER, session.url, 'popup');
    await page.goto(start);
    const popup = await openPopup(page);
    await popup.waitForURL(`${SHOP}/thanks`);
    await expect(page).toHaveURL(start);
  });
});

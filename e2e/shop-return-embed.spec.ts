// A finished payment in a pop-up or a frame returns the shop's own page to the shop.

import { test as base, type Page } from '@playwright/test';
import { Merchant } from './merchant';
import { giveTime, openShop, SHOP, STRANGER } from './shop-page';
import { countdown, LONG_MS, paid } from './shop-return-kit';
import { expect } from './story';

// The shop's page has another origin, which the standard test of story.ts forbids.
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
    giveTime(inShop);
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
    await expect(page.locator('iframe')).toHaveCount(0);
    await expect
      .poll(() => page.evaluate(() => (globalThis as unknown as Shop).back))
      .toEqual([{ session_id: session.id, url: `${SHOP}/thanks` }]);
    await expect(page).toHaveURL(start);

    // The same with a link alone.
    await page.evaluate(() =>
      document.addEventListener('stabletill:return', (event) => {
        (globalThis as unknown as Shop).back.push((event as CustomEvent<unknown>).detail);
        event.preventDefault();
      }),
    );
    await page.locator('#link').click();
    await page.frameLocator('iframe').locator('[data-link="success"]').click();
    await expect(page.locator('iframe')).toHaveCount(0);
    await expect.poll(() => page.evaluate(() => (globalThis as unknown as Shop).back.length)).toBe(2);
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

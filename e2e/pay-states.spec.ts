// Every state of the hosted page, in both writing directions, both themes and from 320 to 1280 pixels: no axe finding,
// no sideways scrolling.

import type { Page } from '@playwright/test';
import type { Merchant } from './merchant';
import { violationsOf } from './axe';
import { expect, test } from './story';

const WIDTHS = [320, 360, 768, 1280];
const LANGUAGES = ['en', 'ar'];
/** Of sessions that are paid until one is seen while it is being confirmed. */
const MOST_PAYMENTS = 5;
const THEMES = ['light', 'dark'] as const;

/** Every rule that the page breaks, whatever its severity. */
async function faultsOf(page: Page): Promise<string[]> {
  const violations = await violationsOf(page);
  return violations.map(({ id, impact, nodes }) => `${impact}: ${id} ${nodes[0]?.html ?? ''}`);
}

const overflow = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
const order = {
  currency: 'USD',
  description: 'One blue mug',
  line_items: [{ price_data: { currency: 'USD', unit_amount: 1234, product_data: { name: 'Blue mug' } } }],
};

/** Brings a new session to a state; returns the page's address. */
type Scene = { readonly shows: string; readonly make: (merchant: Merchant, page: Page) => Promise<string> };

const opened = async (merchant: Merchant): Promise<{ id: string; url: string }> => merchant.create(order);
const shown = (page: Page, stage: string) => expect(page.locator(`[data-stage="${stage}"]`)).toBeVisible();

const SCENES: Readonly<Record<string, Scene>> = {
  'waiting, with the code of a wallet': {
    shows: 'pay',
    make: async (merchant) => `${(await opened(merchant)).url}?method=ethereum-USDC&wallet=metamask`,
  },
  'short, with the finder asked': {
    shows: 'pay',
    make: async (merchant, page) => {
      const { id, url } = await opened(merchant);
      await merchant.pay(id, { amount: 500 });
      await page.goto(url);
      await expect(page.getByText('Confirmed', { exact: true })).toBeVisible();
      return `${url}?transaction=nothing`;
    },
  },
  'paid, and more than asked for': {
    shows: 'paid',
    make: async (merchant, page) => {
      const { id, url } = await opened(merchant);
      await merchant.pay(id, { scenario: 'over' });
      await page.goto(url);
      await shown(page, 'paid');
      return url;
    },
  },
  expired: {
    shows: 'expired',
    make: async (merchant, page) => {
      const { id, url } = await opened(merchant);
      await merchant.expire(id);
      await page.goto(url);
      await shown(page, 'expired');
      return url;
    },
  },
  canceled: {
    shows: 'canceled',
    make: async (merchant, page) => {
      const { id, url } = await opened(merchant);
      await merchant.cancel(id);
      await page.goto(url);
      await page.getByRole('button', { name: 'Stay on this page' }).click();
      return url;
    },
  },
  'failed for want of the rest': {
    shows: 'failed',
    make: async (merchant, page) => {
      const { id, url } = await opened(merchant);
      await merchant.pay(id, { amount: 500 });
      await page.goto(url);
      await expect(page.getByText('Confirmed', { exact: true })).toBeVisible();
      await merchant.expire(id);
      await shown(page, 'failed');
      return url;
    },
  },
};

for (const [name, { shows, make }] of Object.entries(SCENES)) {
  test(`${name}: the page fits every screen and breaks no rule of accessibility`, async ({ page, merchant }) => {
    const address = await make(merchant, page);
    const faults: string[] = [];
    for (const language of LANGUAGES) {
      await page.goto(`${address}${address.includes('?') ? '&' : '?'}lang=${language}`);
      await shown(page, shows);
      await expect(page.locator('html')).toHaveAttribute('dir', language === 'ar' ? 'rtl' : 'ltr');
      for (const colorScheme of THEMES) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 800 });
          const at = `${language} ${colorScheme} ${width}`;
          if ((await overflow(page)) > 0) faults.push(`${at}: wider than the screen`);
          faults.push(...(await faultsOf(page)).map((fault) => `${at}: ${fault}`));
          if (process.env.SHOTS) {
            const path = `${process.env.SHOTS}/${shows}-${name.slice(0, 8)}-${language}-${colorScheme}-${width}.png`;
            await page.screenshot({ path, fullPage: true });
          }
        }
      }
    }
    expect(faults).toEqual([]);
  });
}

test('while it is being confirmed, the payment shows its amount, its progress and about how long it takes', async ({
  page,
  merchant,
}) => {
  const stages: string[] = [];
  // The next blocks are seconds away. On a busy machine the payment may be final before the page is there: then another one is made.
  while (stages.at(-1) !== 'confirming' && stages.length < MOST_PAYMENTS) {
    const { id, url } = await opened(merchant);
    await merchant.pay(id, { network: 'ethereum' });
    const methods = async () => ((await (await fetch(`${url}/status`)).json()) as { methods: unknown[] }).methods;
    await expect.poll(methods, { intervals: [100] }).toEqual([]);
    await page.goto(url);
    // What the server rendered, read at once, because the page goes on.
    const seen = await page.evaluate(() => {
      const textOf = (selector: string) => document.querySelector(selector)?.textContent ?? '';
      const at = document.querySelector('[data-stage]')?.getAttribute('data-stage') ?? '';
      const hasProgress = document.querySelector('progress') !== null;
      return { at, amount: textOf('[data-stage] bdi'), wait: textOf('.payment-wait'), hasProgress };
    });
    stages.push(seen.at);
    if (seen.at !== 'confirming') continue;
    expect(seen).toMatchObject({ amount: expect.stringMatching(/^\d+\.\d\d USDT$/), hasProgress: true });
    expect(seen.wait).toMatch(/About \d+ seconds to go/);
    expect(await faultsOf(page)).toEqual([]);
  }
  expect(stages.at(-1)).toBe('confirming');
});

// Live and test in the dashboard: the switch and the band have the same place on every page of a store.

import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { seriousFaults, signIn } from './console';
import { expect, test } from './story';

type Person = { email: string; password: string };

/** Signs in as the demo merchant and returns the path of their store. */
async function asMerchant(page: Page): Promise<string> {
  const file = process.env.SANDBOX_JSON ?? '.data/sandbox.json';
  const { merchants } = JSON.parse(readFileSync(file, 'utf8')) as { merchants: Person[] };
  await signIn(page, merchants[0] as Person, '/dashboard');
  const href = await page.locator('main a[href^="/dashboard/st_"]').first().getAttribute('href');
  return (href as string).split('/').slice(0, 3).join('/');
}

/** The top of the content below the band and the header, and the position of the switch. */
async function places(page: Page) {
  const start = await page.getByRole('main').boundingBox();
  const choice = await page.getByRole('navigation', { name: 'Live or test' }).boundingBox();
  return { start: start?.y, choice: choice && { x: choice.x, y: choice.y, width: choice.width } };
}

test('nothing moves between the pages of test payments, of live payments and of the store itself', async ({ page }) => {
  const store = await asMerchant(page);
  const paths = ['/test/payments', '/live/payments', '/members', '/branding', '/settings'];
  const both = page.getByText('This page applies to live and test.');
  for (const width of [320, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    const seen = [];
    for (const path of paths) {
      await page.goto(store + path);
      seen.push(await places(page));
      await expect(both).toHaveCount(/^\/(test|live)/.test(path) ? 0 : 1);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    }
    expect(new Set(seen.map((one) => JSON.stringify(one))).size).toBe(1);
  }
  expect(await seriousFaults(page)).toEqual([]);
  // From a page of both environments, the switch leads to the store's overview there.
  const choice = page.getByRole('navigation', { name: 'Live or test' });
  await expect(choice.locator('[aria-current]')).toHaveCount(0);
  await choice.getByRole('link', { name: 'Test' }).press('Enter');
  await expect(page).toHaveURL(`${store}/test/overview`);
  await expect(choice.locator('[aria-current]')).toHaveText('Test');
  // The list of stores belongs to neither environment.
  await page.goto('/dashboard');
  await expect(choice).toHaveCount(0);
});

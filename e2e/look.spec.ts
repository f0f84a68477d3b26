// A store's look on its page: name, logo, colour and where to ask for help, readable in both themes and all from one origin.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Merchant } from './merchant';
import { expect, test } from './story';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
type Axe = { axe: { run: () => Promise<{ violations: { id: string; impact: string }[] }> } };

test('a customer sees whose shop it is and whom to ask, light and dark', async ({ page, baseURL }) => {
  const session = await new Merchant(baseURL as string, 1).create();
  const accents = new Set<string>();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width: 320, height: 700 });
    await page.goto(session.url);
    await expect(page.locator('.store bdi')).toHaveText('Noor Tea');
    const logo = page.locator('.store-logo');
    await expect(logo).toBeVisible();
    expect(await logo.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(48);
    const support = page.locator('[data-support]');
    await expect(support).toHaveText('help@teahouse.example');
    await expect(support).toHaveAttribute('href', `mailto:help@teahouse.example?subject=${session.id}`);
    accents.add(await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--accent')));
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => (globalThis as unknown as Axe).axe.run());
    expect(
      violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id }) => id),
    ).toEqual([]);
  }
  expect([...accents]).toEqual(['#0f766e', expect.stringMatching(/^#[0-9a-f]{6}$/)]);
});

test('a logo is kept for ever and can be nothing but a picture', async ({ request, baseURL }) => {
  const session = await new Merchant(baseURL as string, 1).create();
  const address = /\/logo\/[0-9a-f]{64}/.exec(await (await request.get(session.url)).text())?.[0] ?? '';
  const answer = await request.get(address);
  expect(answer.status()).toBe(200);
  expect(answer.headers()).toMatchObject({
    'content-type': 'image/png',
    'x-content-type-options': 'nosniff',
    'cache-control': 'public, max-age=31536000, immutable',
    'content-security-policy': `default-src 'none'; sandbox`,
  });
  expect((await request.get(`/logo/${'0'.repeat(64)}`)).status()).toBe(404);
  expect((await request.get('/logo/..%2Fembed.js')).status()).toBe(404);
});

// Every visitor can see how far every network is read, without an account and without scripts.

import { expect, test } from './story';

const NETWORKS = ['TRON', 'Ethereum', 'BNB Smart Chain', 'Solana'];

test('the start page leads to a status page with all four networks, and to the same as data', async ({
  page,
  request,
}) => {
  await page.goto('/');
  await page.getByRole('main').getByRole('link', { name: 'Status' }).click();
  await expect(page).toHaveURL(/\/status$/);
  for (const name of NETWORKS) await expect(page.getByRole('heading', { name })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Webhooks' })).toBeVisible();
  // Days before the installation have no measurements, so they have no bar.
  const bars = page.locator('.status-networks > li').first().locator('svg');
  await expect(bars.locator('.bar-none title')).toHaveText('No data');
  await expect
    .poll(async () => (await page.reload()) && bars.locator('rect').count(), { timeout: 60_000 })
    .toBeGreaterThan(0);
  expect(await bars.locator('rect').count()).toBeLessThan(90);
  // Block numbers are behind a toggle; the days are also there as text.
  const details = page.locator('.status-details').first();
  await expect(details.getByText('Newest block read').first()).toBeHidden();
  await details.getByText('Details').click();
  await expect(details.getByText('Newest block read')).toHaveCount(NETWORKS.length);
  await expect(details.getByText('No data').last()).toBeVisible();
  const data = await (await request.get('/status.json')).json();
  const read = data.networks.filter((one: { environment: string }) => one.environment === 'test');
  expect(read).toHaveLength(NETWORKS.length);
  // Endpoint addresses often contain keys.
  expect(JSON.stringify(data)).not.toMatch(/https?:|127\.0\.0\.1/);
});

for (const language of ['en', 'zh', 'ar']) {
  test(`in ${language} the status page fits a small phone and needs no scripts`, async ({ browser, baseURL }) => {
    const context = await browser.newContext({
      javaScriptEnabled: false,
      locale: language,
      viewport: { width: 320, height: 640 },
      ...(baseURL ? { baseURL } : {}),
    });
    const page = await context.newPage();
    await page.goto('/status');
    await expect(page.locator('html')).toHaveAttribute('lang', new RegExp(`^${language}`));
    await expect(page.locator('.status-networks > li')).toHaveCount(NETWORKS.length);
    const wide = await page.evaluate('document.documentElement.scrollWidth');
    expect(wide).toBeLessThanOrEqual(320);
    await context.close();
  });
}

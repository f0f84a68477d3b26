// A merchant's day in the dashboard: create and use a key, see the payment, refund and export it. Each page is checked
// with axe, for its structure on a phone, and for policy violations.

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { call, createKey, signIn } from './merchant-keys';
import { seriousViolationsOf } from './axe';
import { expect, test } from './story';

test('a merchant creates a key, takes a payment with it, refunds it from the dashboard and exports it', async ({
  page,
  baseURL,
}) => {
  const base = baseURL as string;
  const store = await signIn(page);
  const key = await createKey(page, store);
  const order = `story-${randomUUID().slice(0, 8)}`;
  const session = await call(base, key, 'POST', '/api/v1/checkout/sessions/create', {
    amount: 1234,
    currency: 'USDT',
    order_id: order,
  });
  expect(session.status).toBe(200);
  const pay = `/api/v1/test_helpers/checkout/sessions/${session.json.id}/pay`;
  expect((await call(base, key, 'POST', pay, { network: 'bsc', currency: 'USDT' })).status).toBeLessThan(300);

  await expect(async () => {
    await page.goto(`${store}/test/payments?q=${order}`);
    await expect(page.getByRole('row', { name: new RegExp(order) })).toContainText('Paid', { timeout: 1000 });
  }).toPass();
  await page.getByRole('link', { name: order }).click();
  await expect(page.getByRole('main')).toContainText(order);
  await expect(page.getByRole('list', { name: 'Timeline' })).toContainText('final on BNB Smart Chain');

  await page.getByRole('button', { name: 'Make a refund' }).click();
  const dialog = page.getByRole('dialog', { name: 'Make a refund' });
  // The dialog shows the destination before the refund is made.
  await expect(dialog).toContainText('The address that it was paid from');
  await expect(dialog).toContainText(/0x[0-9a-fA-F]/);
  await dialog.getByLabel('Amount in USDT').fill('12.345');
  await dialog.getByRole('button', { name: 'Make a refund' }).click();
  await expect(dialog.getByText('Enter an amount such as 12.50.').last()).toBeVisible();
  await dialog.getByLabel('Amount in USDT').fill('2.34');
  await dialog.getByRole('button', { name: 'Refund 2.34 USDT' }).click();
  await page.waitForURL('**/refunds/re_*');
  // The page updates automatically.
  await expect(page.getByRole('main')).toContainText('Completed', { timeout: 90_000 });

  const row = page.getByRole('row', { name: new RegExp(order) });
  await page.goto(`${store}/test/payments`);
  await page.getByText('More filters').click();
  await page.getByLabel('With or without refund').selectOption('Partly refunded');
  await page.waitForURL('**/payments?refund=part');
  await expect(row).toContainText('Partly refunded');
  await page.getByLabel('With or without refund').selectOption('Refunded');
  await page.waitForURL('**/payments?refund=whole');
  await expect(row).toBeHidden();

  await page.goto(`${store}/test/payments?q=${order}`);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export CSV' }).click(),
  ]);
  const text = readFileSync(await download.path(), 'utf8');
  const cells = [session.json.id, order, 'completed', 'none', '12.34', 'USDT', '12.34', 'USDT', 'bsc', '2.34'];
  expect(text).toContain(cells.map((cell) => `"${cell}"`).join(','));
  expect(text.trim().split('\r\n')).toHaveLength(2);

  await page.goto(`${store}/test/balances`);
  const [statement] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'CSV', exact: true }).click(),
  ]);
  const lines = readFileSync(await statement.path(), 'utf8')
    .trim()
    .split('\r\n');
  const paid = lines.find((line) => line.includes(`"${session.json.id}"`) && line.includes('"Payment received"'));
  expect(paid).toContain('"bsc","USDT","available","12.34",""');
  expect(lines.at(-1)).toMatch(/^"closing"/);

  const [report] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Payments of the period: CSV' }).click(),
  ]);
  const payments = readFileSync(await report.path(), 'utf8')
    .trim()
    .split('\r\n');
  expect(payments.find((line) => line.includes(`"${session.json.id}"`))).toContain('"bsc","USDT","12.34","1234"');
  expect(payments.at(-1)).toMatch(/^"complete"/);
});

test('a short page fits the window, and a page opened by a link begins at its top', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 900 });
  const store = await signIn(page);
  await page.goto(`${store}/test/webhooks`);
  await page.evaluate('scrollTo(0, 60)');
  expect(await page.evaluate('scrollY')).toBe(60);
  await page.getByRole('link', { name: 'Events', exact: true }).first().click();
  await page.waitForURL('**/test/events');
  await expect.poll(() => page.evaluate('scrollY')).toBe(0);
  await page.goto(`${store}/test/refunds?q=nothing-like-this`);
  expect(await page.evaluate('document.documentElement.scrollHeight - innerHeight')).toBe(0);
});

const PAGES = [
  'test/overview',
  'test/payments',
  'test/refunds',
  'test/balances',
  'test/events',
  'test/keys',
  'test/webhooks',
  'members',
  'branding',
  'settings',
];

test('no page has a serious fault of accessibility, nor scrolls sideways on a phone', async ({ page }) => {
  test.setTimeout(240_000);
  const store = await signIn(page);
  const paths = ['/dashboard', ...PAGES.map((one) => `${store}/${one}`)];
  for (const list of ['payments', 'refunds']) {
    await page.goto(`${store}/test/${list}`);
    const first = page.locator(`main table a[href*="/${list}/"]`).first();
    if ((await first.count()) > 0) paths.push((await first.getAttribute('href')) as string);
  }
  for (const path of paths) {
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(path);
      await page.waitForLoadState('networkidle');
      const serious = (await seriousViolationsOf(page)).map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
      expect(serious, `${path} at ${width}`).toEqual([]);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(overflow, `${path} at ${width}`).toBeLessThanOrEqual(0);
    }
  }
});

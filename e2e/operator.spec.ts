// The operator console as operators use it: approve a store with a reason, suspend one while a customer pays, and
// approve a large refund by two operators. All its pages are accessible.

import type { Page } from '@playwright/test';
import {
  answerAt,
  answerInRow,
  asOperator,
  newMerchant,
  newPerson,
  newStore,
  otherPage,
  seriousFaults,
  signIn,
} from './console';
import { expect, test } from './story';
import { Stranger } from './external-wallet';

const PAGES = [
  '/operator',
  '/operator/alarms',
  '/operator/all-payments?environment=test',
  '/operator/stores',
  '/operator/stores?status=approved',
  '/operator/payments',
  '/operator/refunds',
  '/operator/health',
  '/operator/wallets',
  '/operator/treasury',
  '/operator/screening',
  '/operator/treasury/sweeps',
  '/operator/users',
  '/operator/security',
  '/operator/audit',
  '/operator/jobs',
  '/operator/jobs?show=quarantine',
  '/operator/jobs?show=deliveries',
  '/operator/jobs?show=mails',
];

type Status = {
  readonly status: string;
  readonly methods: readonly { network: string; currency: string; address: string }[];
};
const statusOf = async (url: string): Promise<Status> => (await (await fetch(`${url}/status`)).json()) as Status;
const addressOf = async (url: string): Promise<string> =>
  (await statusOf(url)).methods.find(({ network, currency }) => network === 'bsc' && currency === 'USDT')?.address ??
  '';
const completed = (url: string) => expect.poll(async () => (await statusOf(url)).status).toBe('COMPLETED');

test.describe.configure({ timeout: 300_000 });

test('a store is approved with a reason, which its merchant reads', async ({ page, browser, baseURL }) => {
  const merchant = await otherPage(browser, baseURL as string);
  await asOperator(page);
  const store = await newStore(merchant, page);
  await page.goto('/operator/stores');
  await page.getByRole('link', { name: store.name }).click();
  await expect(page.getByRole('heading', { name: store.name })).toBeVisible();
  await answerAt(page, 'Approve', 'Approve', 'Welcome. Live limits follow after your first month.');
  await expect(page.getByRole('main').getByText('Approved').first()).toBeVisible();
  await expect(page.getByText('store.approve')).toBeVisible();

  await merchant.goto('/dashboard');
  await expect(
    merchant.getByRole('main').getByText('Welcome. Live limits follow after your first month.'),
  ).toBeVisible();
});

for (const [mine, theirs, then] of [
  ['Reject', 'Approve', 'Approved'],
  ['Approve', 'Reject', 'Rejected'],
] as const)
  test(`to ${mine.toLowerCase()} a matter that another operator decided meanwhile is refused, and the page then shows the decision`, async ({
    page,
    browser,
    baseURL,
  }) => {
    const [merchant, other] = [
      await otherPage(browser, baseURL as string),
      await otherPage(browser, baseURL as string),
    ];
    await asOperator(page);
    const store = await newStore(merchant, page);
    await asOperator(other, `/operator/stores/${store.id}`);
    await page.goto(`/operator/stores/${store.id}`);
    await page.getByRole('button', { name: mine }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('We know nothing of you.');
    await answerAt(other, theirs, theirs, 'We know you.');
    await page.getByRole('dialog').getByRole('button', { name: mine }).click();
    await expect(page.getByRole('dialog').getByText('The store was changed since you read it.')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('main').getByText(then).first()).toBeVisible();
    await expect(page.getByRole('button', { name: mine })).toHaveCount(0);
  });

test('a suspended store’s keys stop, and its open session can still be paid', async ({ page, browser, baseURL }) => {
  const mine = await otherPage(browser, baseURL as string);
  const customer = new Stranger();
  await asOperator(page);
  const { store, merchant } = await newMerchant(mine, page, baseURL as string);
  const session = await merchant.create();
  const address = await addressOf(session.url);
  await page.goto(`/operator/stores/${store.id}`);
  await answerAt(page, 'Suspend', 'Suspend', 'A look at your wares is needed.');
  await expect
    .poll(() =>
      merchant.create().then(
        () => 'made',
        (error: Error) => error.message,
      ),
    )
    .toContain('store_not_active');
  await customer.pay(address, 1234);
  await completed(session.url);
  await answerAt(page, 'Resume', 'Resume');
  await expect
    .poll(() =>
      merchant.create().then(
        () => 'made',
        (error: Error) => error.message,
      ),
    )
    .toBe('made');
  customer.close();
});

test('a limit set by the operator applies from the next request on', async ({ page, browser, baseURL }) => {
  const mine = await otherPage(browser, baseURL as string);
  await asOperator(page);
  const { store, merchant } = await newMerchant(mine, page, baseURL as string);
  await page.goto(`/operator/stores/${store.id}`);
  await page.getByLabel(/^Most per session/).fill('12.33');
  await page.getByLabel(/^Most per UTC day/).fill('20');
  await page.getByRole('button', { name: 'Set limits' }).click();
  await expect(page.getByText('Saved.')).toBeVisible();
  await expect(merchant.create()).rejects.toThrow('SESSION_LIMIT_EXCEEDED');
  await merchant.create({ amount: 1200 });
  await expect(merchant.create({ amount: 1200 })).rejects.toThrow('DAILY_VOLUME_EXCEEDED');
});

test('a refund above the threshold is sent only after a second operator approves it', async ({
  page,
  browser,
  baseURL,
}) => {
  const [mine, second] = [await otherPage(browser, baseURL as string), await otherPage(browser, baseURL as string)];
  const customer = new Stranger();
  await asOperator(page);
  const colleague = await newPerson(second, page);
  // One person creates both operators, and the second is a minute old: only a local sandbox accepts them as two.
  await answerInRow(page, page.getByRole('row').filter({ hasText: colleague.email }), 'Make operator');
  const { merchant } = await newMerchant(mine, page, baseURL as string);
  const session = await merchant.create({ amount: 60_000 });
  await customer.pay(await addressOf(session.url), 60_000);
  await completed(session.url);
  const { refund_id } = await merchant.refund(session.id, { amount: 60_000 });
  await expect.poll(async () => (await merchant.readRefund(refund_id)).hold?.reason).toBe('approval_needed');

  await page.goto('/operator/refunds?hold=approval_needed');
  const row = page.getByRole('row').filter({ hasText: refund_id });
  await row.getByRole('link', { name: refund_id }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Refund of 600.00 USDT' })).toBeVisible();
  await expect(page.getByRole('main').getByText(refund_id).first()).toBeVisible();
  await page.goto('/operator/refunds?hold=approval_needed');
  await row.getByRole('button', { name: 'Ask for approval' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.locator(`[data-address="${customer.address.toLowerCase()}"]`)).toBeVisible();
  await expect(dialog.getByText('The address that the payment provably came from.')).toBeVisible();
  expect(await seriousFaults(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Ask for approval' }).click();
  await expect(row.getByText('Requested by you; another operator must approve.')).toBeVisible();
  await expect(row.getByRole('button', { name: 'Approve' })).toHaveCount(0);
  expect((await merchant.readRefund(refund_id)).status).not.toBe('completed');

  await signIn(second, colleague, '/operator/refunds');
  const theirs = second.getByRole('row').filter({ hasText: refund_id });
  await theirs.getByRole('button', { name: 'Approve' }).click();
  await second.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
  await expect.poll(async () => (await merchant.readRefund(refund_id)).status).toBe('completed');
  expect(await customer.cents()).toBe(60_000);
  customer.close();
});

test('several payment exceptions are decided at once; one that another operator decided meanwhile is named and left unchanged', async ({
  page,
  browser,
  baseURL,
}) => {
  const mine = await otherPage(browser, baseURL as string);
  const other = await otherPage(browser, baseURL as string);
  await asOperator(page);
  const { store, merchant } = await newMerchant(mine, page, baseURL as string);
  const sessions = await Promise.all([1, 2, 3].map((n) => merchant.create({ order_id: `bulk-${n}-${store.id}` })));
  await Promise.all(sessions.map(({ id }) => merchant.pay(id, { scenario: 'over' })));
  await Promise.all(sessions.map(({ url }) => completed(url)));
  const rowOf = (on: Page, n: number) => on.getByRole('row').filter({ hasText: `bulk-${n}-${store.id}` });
  await expect(async () => {
    await page.goto('/operator/payments');
    for (const n of [1, 2, 3]) await expect(rowOf(page, n)).toBeVisible({ timeout: 1000 });
  }).toPass({ timeout: 30_000 });
  for (const n of [1, 2, 3]) await rowOf(page, n).getByRole('checkbox').check();
  await expect(page.getByText('3 selected')).toBeVisible();
  expect(await seriousFaults(page)).toEqual([]);

  await asOperator(other, '/operator/payments');
  await answerInRow(other, rowOf(other, 2), 'Send back');
  await page.getByRole('button', { name: 'Keep', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill('The customers asked for it.');
  await dialog.getByRole('button', { name: 'Keep' }).click();
  await expect(dialog.getByText('2 of 3 were decided.')).toBeVisible();
  await expect(dialog.getByText(`bulk-2-${store.id}`)).toContainText('decided');
  await expect(dialog.getByText(`bulk-1-${store.id}`)).toHaveCount(0);
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  for (const n of [1, 2, 3]) await expect(rowOf(page, n)).toHaveCount(0);
  await page.goto('/operator/payments?state=kept');
  for (const n of [1, 3]) await expect(rowOf(page, n)).toContainText('The customers asked for it.');
  await page.goto('/operator/payments?state=refund');
  await expect(rowOf(page, 2)).toBeVisible();
});

test('the audit log verifies, and is downloaded as a file', async ({ page }) => {
  await asOperator(page, '/operator/audit');
  await page.getByRole('button', { name: 'Verify the log' }).click();
  await expect(page.getByText(/^Verified: /)).toBeVisible();
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download as JSON lines' }).click();
  expect((await downloading).suggestedFilename()).toBe('stabletill-audit.jsonl');
});

test('axe finds no serious fault on any page of the console, at either width', async ({ page }) => {
  await asOperator(page);
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 900 });
    for (const path of PAGES) {
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      expect({ path, width, faults: await seriousFaults(page) }).toEqual({ path, width, faults: [] });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    }
  }
});

test('a merchant sees nothing of the operator console', async ({ page, browser, baseURL }) => {
  const mine = await otherPage(browser, baseURL as string);
  await asOperator(page);
  await signIn(mine, await newPerson(mine, page), '/dashboard');
  for (const path of PAGES) expect((await mine.goto(path))?.status()).toBe(404);
});

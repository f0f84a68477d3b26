// A bad day of the operator. On Ethereum the issuer of a token freezes one deposit address, and the account that pays the fees is emptied;
// on TRON the energy is used up; on BNB Smart Chain no blocks are made while a sweep is on its way. The page Treasury says what waits and what
// to do, no other money waits for it, and merchants sell and refund all day. Each story has a network to itself.

import type { Browser, Locator, Page } from '@playwright/test';
import { asOperator, newMerchant, otherPage, seriousFaults } from './console';
import { Stranger } from './external-wallet';
import { expect, test } from './story';

type Status = {
  readonly status: string;
  readonly methods: readonly { network: string; currency: string; address: string }[];
};
const statusOf = async (url: string): Promise<Status> => (await (await fetch(`${url}/status`)).json()) as Status;

const PRICE = 1234;
const SOON = { timeout: 90_000 };

const card = (page: Page, name = /Ethereum.*Test/): Locator => page.getByRole('region', { name });

/** Whether the card of a network shows a text, once the worker has reported it. */
const shows = (page: Page, text: string | RegExp, name?: RegExp): Promise<void> =>
  expect(async () => {
    await page.goto('/operator/treasury');
    await expect(card(page, name).getByText(text).first()).toBeVisible({ timeout: 1000 });
  }).toPass(SOON);

/** A merchant who sells on one network. */
async function sellerOn(
  network: string,
  { page, browser, baseURL }: { page: Page; browser: Browser; baseURL: string },
) {
  const mine = await otherPage(browser, baseURL);
  await asOperator(page);
  const { merchant } = await newMerchant(mine, page, baseURL);
  /** An order that is paid in USDT. Resolves to its deposit address. */
  return async (): Promise<string> => {
    const { id, url } = await merchant.create();
    const { methods } = await statusOf(url);
    await merchant.pay(id, { network });
    await expect.poll(async () => (await statusOf(url)).status).toBe('COMPLETED');
    return methods.find((one) => one.network === network && one.currency === 'USDT')?.address ?? '';
  };
}

/** The page on which things go wrong. */
async function badDay(browser: Browser, baseURL: string, name: string) {
  const desk = await otherPage(browser, baseURL);
  const at = desk.getByRole('region', { name, exact: true });
  return {
    page: desk,
    async press(button: string): Promise<void> {
      await desk.goto('/sandbox');
      await at.getByRole('button', { name: button }).click();
      await expect(desk).toHaveURL(/\/sandbox$/);
    },
    says: (text: string) => expect(at.getByText(text)).toBeVisible(),
  };
}

test('a frozen deposit address and an empty sponsor are shown with what to do, hold back no other money, and end by themselves', async ({
  page,
  browser,
  baseURL,
}) => {
  test.setTimeout(300_000);
  const mine = await otherPage(browser, baseURL as string);
  const chain = new Stranger('ethereum');
  await asOperator(page);
  const { merchant } = await newMerchant(mine, page, baseURL as string);
  const order = async () => {
    const { id, url } = await merchant.create();
    const { methods } = await statusOf(url);
    const deposit = methods.find((one) => one.network === 'ethereum' && one.currency === 'USDT')?.address ?? '';
    return { id, url, deposit };
  };
  const pay = async ({ id, url }: { id: string; url: string }): Promise<void> => {
    await merchant.pay(id, { network: 'ethereum' });
    await expect.poll(async () => (await statusOf(url)).status).toBe('COMPLETED');
  };

  // The issuer freezes the address of an order. It is paid and completed all the same, and the order beside it is swept.
  const [blocked, beside] = [await order(), await order()];
  await chain.block(blocked.deposit);
  await pay(blocked);
  await pay(beside);
  await expect.poll(() => chain.centsOf(beside.deposit), SOON).toBe(0);
  await expect(async () => {
    await page.goto('/operator/treasury');
    const row = card(page)
      .getByRole('row')
      .filter({ hasText: 'The token did not move it. Its issuer may have blocked the address.' });
    await expect(row.first()).toBeVisible({ timeout: 1000 });
  }).toPass(SOON);
  expect(await chain.centsOf(blocked.deposit)).toBe(PRICE);
  expect(await seriousFaults(page)).toEqual([]);

  // The account that pays the fees is emptied. Orders are paid and refunded; their money waits, and the page says why.
  const sponsor = await sponsorOf(page);
  const coin = await chain.setCoin(sponsor, 0n);
  const waiting = await order();
  try {
    await pay(waiting);
    await shows(page, 'Too little coin for network fees');
    await expect(card(page).getByText(/^Send ETH to the address below that pays the fees/)).toBeVisible();
    expect(await chain.centsOf(waiting.deposit)).toBe(PRICE);
    expect(await seriousFaults(page)).toEqual([]);
    const { refund_id: refund } = await merchant.refund(beside.id);
    await expect.poll(async () => (await merchant.readRefund(refund)).status, SOON).toBe('completed');
  } finally {
    // The operator does what the page says.
    await chain.setCoin(sponsor, coin);
  }

  // It has coin again, as the page asks. Sweeps go on without a further step.
  await expect.poll(() => chain.centsOf(waiting.deposit), SOON).toBe(0);
  await shows(page, 'Sweeps are on');
  expect(await chain.centsOf(blocked.deposit)).toBe(PRICE);
  chain.close();
});

test('energy that is used up on TRON holds back no money: sweeps burn coin, the page counts it, and nothing burns once there is energy again', async ({
  page,
  browser,
  baseURL,
}) => {
  test.setTimeout(300_000);
  const TRON = /^TRON.*Test/;
  const sold = await sellerOn('tron', { page, browser, baseURL: baseURL as string });
  const day = await badDay(browser, baseURL as string, 'TRON');
  /** The newest one that is completed: a list has only so many rows on its first page. */
  const newest = async (kind: string): Promise<string | null> => {
    await page.goto('/operator/treasury/sweeps');
    const rows = page.getByRole('table', { name: 'Sweeps' }).getByRole('row').filter({ hasText: 'TRON' });
    const ended = rows.filter({ hasText: kind }).filter({ hasText: 'Completed' });
    return (await ended.count()) === 0 ? null : ended.first().getByRole('link').first().getAttribute('href');
  };
  const burned = 'Coin for one address';
  await day.press('Use up the day’s energy');
  await day.says('The energy of the account that pays for sweeps is used up for the day.');
  expect(await seriousFaults(day.page)).toEqual([]);
  try {
    const [coins, moved] = [await newest(burned), await newest('Sweep of one address')];
    await sold();
    await expect.poll(() => newest(burned), SOON).not.toBe(coins);
    await expect.poll(() => newest('Sweep of one address'), SOON).not.toBe(moved);
    await shows(page, 'Network cost in 24 hours', TRON);
    expect(await seriousFaults(page)).toEqual([]);
  } finally {
    await day.press('Give the energy back');
  }
  const coins = await newest(burned);
  const lent = await newest('Energy lent to one address');
  await sold();
  await expect.poll(() => newest('Energy lent to one address'), SOON).not.toBe(lent);
  expect(await newest(burned)).toBe(coins);
});

test('a sweep that no block takes is shown as on its way, its price is raised, and its money arrives once when blocks are made again', async ({
  page,
  browser,
  baseURL,
}) => {
  test.setTimeout(300_000);
  const BSC = /BNB Smart Chain.*Test/;
  const chain = new Stranger('bsc');
  const sold = await sellerOn('bsc', { page, browser, baseURL: baseURL as string });
  const day = await badDay(browser, baseURL as string, 'BNB Smart Chain');
  const press = async (name: string): Promise<void> => {
    await page.goto('/operator/treasury');
    await card(page, BSC).getByRole('button', { name }).click();
    await page.getByRole('dialog').getByRole('button', { name }).click();
    await expect(page.getByRole('dialog')).toBeHidden();
  };
  await press('Pause sweeps');
  const deposits = [await sold(), await sold()];
  await day.press('Stop making blocks');
  await day.says('No blocks are made.');
  try {
    await press('Resume sweeps');
    const row = page
      .getByRole('table', { name: 'Sweeps' })
      .getByRole('row')
      .filter({ hasText: 'BNB Smart Chain' })
      .filter({ hasText: 'Sent' });
    await expect(async () => {
      await page.goto('/operator/treasury/sweeps');
      await row.first().getByRole('link').first().click({ timeout: 1000 });
    }).toPass(SOON);
    // A reload before the page is there would stay on the list.
    await expect(page).toHaveURL(/\/operator\/treasury\/sweeps\/\d+$/);
    await expect(async () => {
      await page.reload();
      await expect(page.getByText('It was signed again at a higher price.')).toBeVisible({ timeout: 1000 });
    }).toPass(SOON);
    expect(await seriousFaults(page)).toEqual([]);
    for (const deposit of deposits) expect(await chain.centsOf(deposit)).toBe(PRICE);
  } finally {
    await day.press('Make blocks again');
  }
  await expect(async () => {
    await page.reload();
    await expect(page.getByText('Completed').first()).toBeVisible({ timeout: 1000 });
  }).toPass(SOON);
  for (const deposit of deposits) await expect.poll(() => chain.centsOf(deposit), SOON).toBe(0);
  await shows(page, 'Sweeps are on', BSC);
  chain.close();
});

/** The address that pays the fees of sweeps, as the page has it for copying. */
async function sponsorOf(page: Page): Promise<string> {
  await page.goto('/operator/treasury');
  const fact = card(page)
    .locator('dt', { hasText: 'Address that pays the fees' })
    .locator('xpath=following-sibling::dd[1]');
  return /0x[0-9a-fA-F]{40}/.exec(await fact.innerText())?.[0] ?? '';
}

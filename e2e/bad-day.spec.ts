// A bad day of the operator on Ethereum: the issuer of a token freezes one deposit address, and the account that pays the fees is
// emptied. The page Treasury says what waits and what to do, no other money waits for it, and merchants sell and refund all day.

import type { Locator, Page } from '@playwright/test';
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

const card = (page: Page): Locator => page.getByRole('region', { name: /Ethereum.*Test/ });

/** Whether the card of Ethereum shows a text, once the worker has reported it. */
const shows = (page: Page, text: string): Promise<void> =>
  expect(async () => {
    await page.goto('/operator/treasury');
    await expect(card(page).getByText(text).first()).toBeVisible({ timeout: 1000 });
  }).toPass(SOON);

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

/** The address that pays the fees of sweeps, as the page has it for copying. */
async function sponsorOf(page: Page): Promise<string> {
  await page.goto('/operator/treasury');
  const fact = card(page)
    .locator('dt', { hasText: 'Address that pays the fees' })
    .locator('xpath=following-sibling::dd[1]');
  return /0x[0-9a-fA-F]{40}/.exec(await fact.innerText())?.[0] ?? '';
}

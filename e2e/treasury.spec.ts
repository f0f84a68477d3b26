// The treasury as an operator sees it: what is swept and what it cost, a pause during which money stays where it was paid, and its end.
// The pause is on Ethereum. BNB Smart Chain goes on: what is swept there shows that the worker had the time.

import type { Locator, Page } from '@playwright/test';
import { asOperator, newMerchant, otherPage, seriousFaults, sweptCents } from './console';
import { Stranger } from './external-wallet';
import { expect, test } from './story';

type Status = {
  readonly status: string;
  readonly methods: readonly { network: string; currency: string; address: string }[];
};
const statusOf = async (url: string): Promise<Status> => (await (await fetch(`${url}/status`)).json()) as Status;

const PRICE = 1234;
const SOON = { timeout: 60_000 };

const card = (page: Page): Locator => page.getByRole('region', { name: /Ethereum.*Test/ });

/** Whether a card shows a state, once the worker has reported it. */
const shows = (page: Page, text: string | RegExp): Promise<void> =>
  expect(async () => {
    await page.reload();
    await expect(card(page).getByText(text).first()).toBeVisible({ timeout: 1000 });
  }).toPass(SOON);

test('the operator sees where the money is, pauses sweeps of a network and lets them go on', async ({
  page,
  browser,
  baseURL,
}) => {
  test.setTimeout(240_000);
  const mine = await otherPage(browser, baseURL as string);
  const chains = { ethereum: new Stranger('ethereum'), bsc: new Stranger('bsc') };
  await asOperator(page);
  const { merchant } = await newMerchant(mine, page, baseURL as string);
  const paid = async (network: 'ethereum' | 'bsc'): Promise<string> => {
    const { id, url } = await merchant.create();
    const { methods } = await statusOf(url);
    await merchant.pay(id, { network });
    await expect.poll(async () => (await statusOf(url)).status).toBe('COMPLETED');
    return methods.find((one) => one.network === network && one.currency === 'USDT')?.address ?? '';
  };
  const left = (network: 'ethereum' | 'bsc', deposit: string) => () => chains[network].centsOf(deposit);

  await expect.poll(left('ethereum', await paid('ethereum')), SOON).toBe(0);
  await page.goto('/operator/wallets');
  await page.getByRole('main').getByRole('link', { name: 'Treasury' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Treasury' })).toBeVisible();
  await shows(page, 'Sweeps are on');
  // The sweep is in a block before it is final.
  await expect.poll(() => sweptCents(page, 'Ethereum'), SOON).toBeGreaterThanOrEqual(PRICE);
  expect(await seriousFaults(page)).toEqual([]);

  await card(page).getByRole('button', { name: 'Pause sweeps' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Pause sweeps' }).click();
  await expect(card(page).getByText(/^Paused by /)).toBeVisible();
  const waiting = await paid('ethereum');
  await expect.poll(left('bsc', await paid('bsc')), SOON).toBe(0);
  expect(await left('ethereum', waiting)()).toBe(PRICE);
  await shows(page, /^Paused by /);
  expect(await seriousFaults(page)).toEqual([]);

  await card(page).getByRole('button', { name: 'Resume sweeps' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByText('Treasury wallet')).toBeVisible();
  await dialog.getByRole('button', { name: 'Resume sweeps' }).click();
  await expect(dialog).toBeHidden();
  await expect.poll(left('ethereum', waiting), SOON).toBe(0);
  await shows(page, 'Sweeps are on');

  await page.getByRole('main').getByRole('link', { name: 'Sweeps', exact: true }).click();
  const rows = page.getByRole('table', { name: 'Sweeps' }).getByRole('row');
  await rows.filter({ hasText: 'Completed' }).filter({ hasText: 'USDT' }).first().getByRole('link').first().click();
  await expect(page.getByRole('table', { name: 'Addresses' }).getByText('Swept').last()).toBeVisible();
  expect(await seriousFaults(page)).toEqual([]);

  await page.goto('/operator/audit');
  await expect(page.getByText('sweeps.pause').first()).toBeVisible();
  await expect(page.getByText('sweeps.resume').first()).toBeVisible();
  for (const one of Object.values(chains)) one.close();
});

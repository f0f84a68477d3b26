// An operator pauses the payouts of a network, on which no other story of the day pays.

import { randomUUID } from 'node:crypto';
import { asOperator, call, newMerchant, otherPage, protectAccount, seriousFaults } from './console';
import { newWallet } from './new-wallet';
import { expect, test } from './story';

test('payouts that an operator pauses wait, the merchant reads why, and they are paid when they go on', async ({
  page,
  browser,
  baseURL,
}) => {
  test.setTimeout(300_000);
  const mine = await otherPage(browser, baseURL as string);
  await asOperator(page);
  const { merchant, store } = await newMerchant(mine, page, baseURL as string);
  await protectAccount(mine);
  const api = `/stores/${store.id}/test`;
  const payouts = `/dashboard/${store.id}/test/payouts`;
  await mine.goto(payouts);
  const home = newWallet('solana');
  await call(mine, `${api}/payout-addresses`, { network: 'solana', address: home });
  const { id, url } = await merchant.create();
  await merchant.pay(id, { network: 'solana' });
  await expect
    .poll(async () => ((await (await fetch(`${url}/status`)).json()) as { status: string }).status)
    .toBe('COMPLETED');

  await page.goto('/operator/treasury');
  const row = page.getByRole('region', { name: /^Solana.*Test/ }).locator('[data-outgoing="payouts"]');
  await row.getByRole('button', { name: 'Pause payouts' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByText('Merchants wait for their money')).toBeVisible();
  expect(await seriousFaults(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Pause payouts' }).click();
  await expect(row.getByText('Paused', { exact: true })).toBeVisible();
  const payout = { payout_id: randomUUID(), network: 'solana', currency: 'USDT', amount: 1234 };
  await call(mine, `${api}/payouts`, payout);
  await expect(async () => {
    await mine.goto(payouts);
    await expect(mine.getByText('The operator has paused payouts on this network.')).toBeVisible({ timeout: 2000 });
  }).toPass({ timeout: 90_000 });
  expect(await seriousFaults(mine)).toEqual([]);

  await row.getByRole('button', { name: 'Resume payouts' }).click();
  await dialog.getByRole('button', { name: 'Resume payouts' }).click();
  await expect(row.getByText('On', { exact: true })).toBeVisible();
  await expect(async () => {
    await mine.reload();
    const paid = mine.locator('[data-payout="completed"]').filter({ has: mine.locator(`[data-address="${home}"]`) });
    await expect(paid).toBeVisible({ timeout: 2000 });
  }).toPass({ timeout: 150_000 });
  await page.goto('/operator/audit');
  await expect(page.getByText('payments.pause').first()).toBeVisible();
  await expect(page.getByText('payments.resume').first()).toBeVisible();
});

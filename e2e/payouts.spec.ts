// The money of a store goes home: its customers pay, the owner adds an address, pays the balance out to it by hand or by a schedule, and sees
// the transaction.

import type { Page } from '@playwright/test';
import { Wallet } from 'ethers';
import {
  answerInRow,
  asOperator,
  call,
  newMerchant,
  newPerson,
  otherPage,
  protectAccount,
  seriousFaults,
  signIn,
} from './console';
import { sell } from './sell';
import { expect, test } from './story';

test('an owner pays the store’s balance out to a new address, and cancels a payout that still waits', async ({
  page,
  browser,
  baseURL,
}) => {
  test.setTimeout(240_000);
  const desk = await otherPage(browser, baseURL as string);
  await asOperator(desk);
  const { store, merchant } = await newMerchant(page, desk, baseURL as string);
  await protectAccount(page);
  const payouts = `/dashboard/${store.id}/test/payouts`;
  const home = Wallet.createRandom().address;

  await page.goto(payouts);
  await expect(page.getByText('Add a payout address below first')).toBeVisible();
  await sell(merchant);
  await call(page, `/stores/${store.id}/test/payout-addresses`, { network: 'bsc', address: home });

  // The address is new for some seconds, in which the payout waits for it and can be canceled.
  await page.reload();
  await page.getByRole('button', { name: 'Pay out' }).click();
  const dialog = page.getByRole('dialog', { name: 'Pay out' });
  await expect(dialog.getByLabel('Amount')).toHaveValue('12.34');
  await dialog.getByLabel('Amount').fill('2.34');
  await dialog.getByRole('button', { name: 'Pay out 2.34 USDT' }).click();
  await expect(dialog).toBeHidden();
  const open = page.locator('[data-payout="processing"], [data-payout="pending"]');
  await open.getByRole('button', { name: /^Cancel/ }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Cancel payout/ })
    .click();
  await expect(page.locator('[data-payout="canceled"]')).toBeVisible();

  await page.getByRole('button', { name: 'Pay out' }).click();
  await dialog.getByLabel('Amount').fill('12.35');
  await dialog.getByRole('button', { name: /^Pay out/ }).click();
  await expect(dialog.getByText('The balance is 0.01 USDT too small').last()).toBeVisible();
  expect(await seriousFaults(page)).toEqual([]);
  await dialog.getByLabel('Amount').fill('12.34');
  await dialog.getByRole('button', { name: 'Pay out 12.34 USDT' }).click();
  await expect(dialog).toBeHidden();
  const paid = page.locator('[data-payout="completed"]');
  await expect(paid).toBeVisible({ timeout: 90_000 });
  await expect(paid.locator(`[data-address="${home}"]`)).toBeVisible();
  await expect(paid.getByText('Paid', { exact: true })).toBeVisible();
  await expect(paid.getByText(/Requested .+ · Paid .+ UTC/)).toBeVisible();
  expect(await seriousFaults(page)).toEqual([]);

  await paid.getByRole('link', { name: '12.34 USDT' }).click();
  await page.waitForURL(`**${payouts}/po_*`);
  await expect(page.getByRole('heading', { level: 1, name: 'Payout of 12.34 USDT' })).toBeVisible();
  const fact = (name: string) => page.locator(`xpath=//dt[.="${name}"]/following-sibling::dd`);
  await expect(fact('Requested by')).toContainText('@shop.example');
  await expect(fact('Goes to').locator(`[data-address="${home}"]`)).toBeVisible();
  await expect(fact('Signed').locator('time')).toBeVisible();
  await expect(fact('Paid').locator('time')).toBeVisible();
  await expect(fact('Transaction').locator('code')).toHaveText(/^0x/);
  // A local chain has no explorer.
  await expect(fact('Transaction').getByRole('link')).toHaveCount(0);
  await expect(fact('Network cost')).toHaveText('Paid by the operator');
  await expect(page.getByText(/^Transaction \d+$/).last()).toBeVisible();
  expect(await seriousFaults(page)).toEqual([]);
  await page.goto(`/dashboard/${store.id}/test/balances`);
  await expect(page.getByText('Payout paid')).toBeVisible();
});

test('a large payout is sent only after a second operator approved it, and one that an operator declines returns its amount', async ({
  page,
  browser,
  baseURL,
}) => {
  test.setTimeout(300_000);
  const [desk, second] = [await otherPage(browser, baseURL as string), await otherPage(browser, baseURL as string)];
  await asOperator(desk);
  const colleague = await newPerson(second, desk);
  // Only a local sandbox accepts a new operator as the second one.
  await answerInRow(desk, desk.getByRole('row').filter({ hasText: colleague.email }), 'Make operator');
  await signIn(second, colleague, '/operator/refunds');
  const { store, merchant } = await newMerchant(page, desk, baseURL as string);
  await protectAccount(page);
  const home = Wallet.createRandom().address;
  await call(page, `/stores/${store.id}/test/payout-addresses`, { network: 'bsc', address: home });
  for (const _ of [1, 2]) await sell(merchant, 60_000);
  const held = page.locator('[data-payout="processing"]');
  const request = async (): Promise<void> => {
    await page.goto(`/dashboard/${store.id}/test/payouts`);
    await page.getByRole('button', { name: 'Pay out' }).click();
    const dialog = page.getByRole('dialog', { name: 'Pay out' });
    await dialog.getByLabel('Amount').fill('600');
    await dialog.getByRole('button', { name: 'Pay out 600.00 USDT' }).click();
    await expect(dialog).toBeHidden();
    await expect(async () => {
      await page.reload();
      await expect(held.getByText('This payout waits for the operator’s approval')).toBeVisible({ timeout: 2000 });
    }).toPass({ timeout: 90_000 });
  };
  const rowOn = (on: Page) => on.getByRole('row').filter({ hasText: store.name });
  const ask = async (): Promise<void> => {
    await desk.goto('/operator/refunds?hold=approval_needed');
    await rowOn(desk).getByRole('button', { name: 'Ask for approval' }).click();
    const dialog = desk.getByRole('dialog');
    await expect(dialog.getByText('The store’s payout address')).toBeVisible();
    expect(await seriousFaults(desk)).toEqual([]);
    await dialog.getByRole('button', { name: 'Ask for approval' }).click();
    await expect(rowOn(desk).getByText('Requested by you; another operator must approve.')).toBeVisible();
    await expect(rowOn(desk).getByRole('button', { name: 'Approve' })).toHaveCount(0);
  };
  const answer = async (name: 'Approve' | 'Decline'): Promise<void> => {
    await second.goto('/operator/refunds?hold=approval_needed');
    await rowOn(second).getByRole('button', { name }).click();
    await second.getByRole('dialog').getByRole('button', { name }).click();
    await expect(second.getByRole('dialog')).toBeHidden();
  };
  const shows = (state: 'completed' | 'failed', text: string) =>
    expect(async () => {
      await page.reload();
      await expect(page.locator(`[data-payout="${state}"]`).getByText(text).first()).toBeVisible({ timeout: 2000 });
    }).toPass({ timeout: 90_000 });
  await request();
  expect(await seriousFaults(page)).toEqual([]);
  await ask();
  await answer('Approve');
  await shows('completed', '600.00');
  await request();
  await ask();
  await answer('Decline');
  await shows('failed', 'The operator declined it.');
  await page.getByRole('button', { name: 'Pay out' }).click();
  await expect(page.getByRole('dialog', { name: 'Pay out' }).getByLabel('Amount')).toHaveValue('600.00');
});

test('an owner sets a threshold, sells, and is paid out without a request', async ({ page, browser, baseURL }) => {
  test.setTimeout(240_000);
  const desk = await otherPage(browser, baseURL as string);
  await asOperator(desk);
  const { store, merchant } = await newMerchant(page, desk, baseURL as string);
  await protectAccount(page);
  const home = Wallet.createRandom().address;
  await page.goto(`/dashboard/${store.id}/test/payouts`);
  await call(page, `/stores/${store.id}/test/payout-addresses`, { network: 'bsc', address: home });

  await call(page, `/stores/${store.id}/test/refund-reserve`, { network: 'bsc', currency: 'USDT', amount: 200 });
  await page.getByRole('button', { name: 'Add a schedule' }).click();
  const dialog = page.getByRole('dialog', { name: 'Automatic payouts' });
  await dialog.getByLabel('Token and network').selectOption('USDT bsc');
  await dialog.getByLabel('How often').selectOption('threshold');
  await dialog.getByLabel('Least amount').fill('0.99');
  await dialog.getByRole('button', { name: 'Save the schedule' }).click();
  await expect(dialog.getByText('A payout is at least 1.00').last()).toBeVisible();
  expect(await seriousFaults(page)).toEqual([]);
  await dialog.getByLabel('Least amount').fill('5.50');
  await dialog.getByRole('button', { name: 'Save the schedule' }).click();
  await expect(dialog).toBeHidden();
  const schedule = page.locator('[data-payout-schedule="threshold"]');
  await expect(schedule.getByText('as soon as it would be 5.50 USDT or more')).toBeVisible();

  await sell(merchant);
  const paid = page.locator('[data-payout="completed"]');
  await expect(async () => {
    await page.reload();
    await expect(paid).toBeVisible({ timeout: 3000 });
  }).toPass({ timeout: 120_000 });
  await expect(paid.getByText('10.34 USDT')).toBeVisible();
  await expect(paid.getByText('Automatic', { exact: true })).toBeVisible();
  await expect(paid.locator(`[data-address="${home}"]`)).toBeVisible();
  expect(await seriousFaults(page)).toEqual([]);

  await schedule.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expect(schedule).toBeHidden();
  await expect(page.getByText('No automatic payouts')).toBeVisible();
});

test('an operator sets what a store’s payouts cost, the owner sees it before paying out, and the operator has earned it', async ({
  page,
  browser,
  baseURL,
}) => {
  test.setTimeout(240_000);
  const desk = await otherPage(browser, baseURL as string);
  await asOperator(desk);
  const { store, merchant } = await newMerchant(page, desk, baseURL as string);
  await protectAccount(page);
  const payouts = `/dashboard/${store.id}/test/payouts`;
  await page.goto(payouts);
  await expect(page.getByText('Payouts cost the store nothing')).toBeVisible();
  await call(page, `/stores/${store.id}/test/payout-addresses`, {
    network: 'bsc',
    address: Wallet.createRandom().address,
  });

  await desk.goto(`/operator/stores/${store.id}`);
  const fees = desk.locator('#payout-fees');
  await fees.getByLabel('Share of the amount, in percent').fill('11');
  await fees.getByRole('button', { name: 'Set fees' }).click();
  await expect(fees.getByText('Write a percentage from 0 to 10').last()).toBeVisible();
  await fees.getByLabel('Share of the amount, in percent').fill('1.5');
  await fees.getByLabel('Least fee').fill('0.50');
  await fees.getByLabel('Network cost on BNB Smart Chain').selectOption('fixed');
  await fees.getByLabel('Price of a payout').fill('0.30');
  await fees.getByRole('button', { name: 'Set fees' }).click();
  const costs = '1.5% of the amount · at least 0.50 · 0.30 for BNB Smart Chain';
  await expect(fees.getByText(costs)).toBeVisible();
  expect(await seriousFaults(desk)).toEqual([]);
  await sell(merchant);
  await page.reload();
  await expect(page.locator('[data-payout-costs]')).toContainText(costs);
  await page.getByRole('button', { name: 'Pay out' }).click();
  const dialog = page.getByRole('dialog', { name: 'Pay out' });
  await expect(dialog.getByLabel('Amount')).toHaveValue('11.54');
  await expect(dialog.locator('[data-costs]')).toHaveText('It costs 0.80 USDT. 12.34 USDT leave the balance.');
  expect(await seriousFaults(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Pay out 11.54 USDT' }).click();
  await expect(dialog).toBeHidden();
  const paid = page.locator('[data-payout="completed"]');
  await expect(paid).toBeVisible({ timeout: 90_000 });
  await expect(paid.getByText(/Fee 0\.50 USDT · Network 0\.30 USDT/)).toBeVisible();
  await page.goto(`/dashboard/${store.id}/test/balances`);
  await expect(page.getByText('Payout fee', { exact: true })).toBeVisible();

  await desk.goto('/operator/treasury');
  await desk.getByRole('link', { name: 'Payout fees' }).click();
  await expect(desk.getByRole('row', { name: /USDT · BNB Smart Chain/ })).toBeVisible();
  expect(await seriousFaults(desk)).toEqual([]);
  await desk.goto(`/operator/stores/${store.id}`);
  await fees.getByRole('button', { name: 'Use the fees of all stores' }).click();
  await desk.getByRole('dialog').getByRole('button', { name: 'Use the fees of all stores' }).click();
  await expect(fees.getByText('The fees of all stores', { exact: true })).toBeVisible();
});

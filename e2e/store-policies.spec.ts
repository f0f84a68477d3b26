// What an owner sets for a store by hand: how much of the balance payouts leave for refunds, and which tokens customers of a country are offered.

import { Wallet } from 'ethers';
import { asOperator, call, newMerchant, otherPage, protectAccount, seriousFaults } from './console';
import { sell } from './sell';
import { expect, test } from './story';

test('an owner sets a refund reserve, which a payout leaves, and lowers it again', async ({
  page,
  browser,
  baseURL,
}) => {
  test.setTimeout(240_000);
  const desk = await otherPage(browser, baseURL as string);
  await asOperator(desk);
  const { store, merchant } = await newMerchant(page, desk, baseURL as string);
  await protectAccount(page);
  const address = Wallet.createRandom().address;
  await call(page, `/stores/${store.id}/test/payout-addresses`, { network: 'bsc', address });
  await sell(merchant);

  const setReserve = async (amount: string): Promise<void> => {
    await page.goto(`/dashboard/${store.id}/test/payouts`);
    await page.getByRole('button', { name: 'Set the reserve' }).click();
    const dialog = page.getByRole('dialog', { name: 'Refund reserve' });
    await dialog.getByLabel('Token and network').selectOption({ label: 'USDT · BNB Smart Chain' });
    await dialog.getByLabel('Refund reserve in USDT').fill(amount);
    expect(await seriousFaults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save the reserve' }).click();
    await expect(dialog).toBeHidden();
  };
  await setReserve('10');
  await expect(page.locator('[data-refund-reserve="USDT bsc"]')).toContainText('10.00');
  await page.getByRole('button', { name: 'Pay out' }).click();
  const dialog = page.getByRole('dialog', { name: 'Pay out' });
  await expect(dialog.getByLabel('Amount')).toHaveValue('2.34');
  await dialog.getByLabel('Amount').fill('3');
  await dialog.getByRole('button', { name: /^Pay out/ }).click();
  await expect(dialog.getByText('the refund reserve keeps').last()).toBeVisible();
  expect(await seriousFaults(page)).toEqual([]);
  await page.goto(`/dashboard/${store.id}/test/balances`);
  await expect(page.getByText('Refund reserve').first()).toBeVisible();
  expect(await seriousFaults(page)).toEqual([]);

  await setReserve('0');
  await expect(page.getByText('No refund reserve is set')).toBeVisible();
  await page.getByRole('button', { name: 'Pay out' }).click();
  await expect(dialog.getByLabel('Amount')).toHaveValue('12.34');
});

test('an owner offers customers in the EEA one token only, and a wrong code is refused', async ({
  page,
  browser,
  baseURL,
}) => {
  test.setTimeout(240_000);
  const desk = await otherPage(browser, baseURL as string);
  await asOperator(desk);
  const { store, merchant } = await newMerchant(page, desk, baseURL as string);
  await protectAccount(page);
  await page.goto(`/dashboard/${store.id}/settings`);
  const countries = page.getByLabel('Countries', { exact: true });
  await countries.fill('UK');
  await page.getByRole('button', { name: 'Add the rule' }).click();
  await expect(page.getByText('Write codes such as DE or GB').last()).toBeVisible();
  expect(await seriousFaults(page)).toEqual([]);
  await countries.fill('eea');
  await page.getByRole('button', { name: 'Add the rule' }).click();
  const rule = page.locator('[data-country-rule]');
  await expect(rule).toContainText('EEA: USDC only');
  expect(await seriousFaults(page)).toEqual([]);

  const offered = async (more: object): Promise<readonly string[]> => {
    const { url } = await merchant.create({ amount: 500, currency: 'USD', ...more });
    const { methods } = (await (await fetch(`${url}/status`)).json()) as { methods: readonly { currency: string }[] };
    return [...new Set(methods.map(({ currency }) => currency))].toSorted();
  };
  await expect.poll(() => offered({ customer_country: 'DE' })).toEqual(['USDC']);
  expect(await offered({ customer_country: 'US' })).toEqual(['USDC', 'USDT']);
  expect(await offered({})).toEqual(['USDC', 'USDT']);
  await rule.getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByText('This store has no rules of its own.')).toBeVisible();
  await expect.poll(() => offered({ customer_country: 'DE' })).toEqual(['USDC', 'USDT']);
});

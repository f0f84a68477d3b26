// The money of a store goes home on all four networks: customers pay, the service sweeps, and a daily schedule, which a sandbox can run
// before its time, pays the merchant's own wallets.

import { asOperator, call, newMerchant, otherPage, protectAccount, seriousFaults, sweptCents } from './console';
import { newWallet, type Network } from './new-wallet';
import { expect, test } from './story';

const NAMES: Readonly<Record<Network, string>> = {
  ...{ ethereum: 'Ethereum', bsc: 'BNB Smart Chain' },
  ...{ tron: 'TRON', solana: 'Solana' },
};
const NETWORKS = Object.keys(NAMES) as Network[];
const SOON = { timeout: 120_000 };

test('what is sold on four networks is swept, and daily schedules that are run pay it to the merchant’s wallets', async ({
  page,
  browser,
  baseURL,
}) => {
  test.setTimeout(480_000);
  const desk = await otherPage(browser, baseURL as string);
  await asOperator(desk);
  const { store, merchant } = await newMerchant(page, desk, baseURL as string);
  await protectAccount(page);
  const payouts = `/dashboard/${store.id}/test/payouts`;
  await page.goto(payouts);
  const homes = new Map(NETWORKS.map((network) => [network, newWallet(network)]));
  for (const [network, address] of homes) {
    await call(page, `/stores/${store.id}/test/payout-addresses`, { network, address });
    const daily = { network, currency: 'USDT', interval: 'daily', least: 1000 };
    await call(page, `/stores/${store.id}/test/payout-schedules`, daily);
  }

  for (const network of NETWORKS) {
    const before = await sweptCents(desk, NAMES[network]);
    const { id, url } = await merchant.create();
    await merchant.pay(id, { network });
    const status = async () => ((await (await fetch(`${url}/status`)).json()) as { status: string }).status;
    await expect.poll(status).toBe('COMPLETED');
    await expect.poll(() => sweptCents(desk, NAMES[network]), SOON).toBeGreaterThanOrEqual(before + 1234);
    // Its level is that of the refund wallet, whose excess goes to the cold wallet.
    await expect(
      desk.getByRole('region', { name: `Refund wallet and cold wallet: USDT · ${NAMES[network]}` }),
    ).toBeVisible();
  }
  expect(await seriousFaults(desk)).toEqual([]);

  for (const network of NETWORKS) {
    await page.goto(payouts);
    const schedule = page.locator('[data-payout-schedule="daily"]').filter({ hasText: NAMES[network] });
    await schedule.getByRole('button', { name: 'Run now' }).click();
    await expect(page.getByText('The worker checks the balance now')).toBeVisible();
  }
  expect(await seriousFaults(page)).toEqual([]);
  for (const home of homes.values())
    await expect(async () => {
      await page.reload();
      const paid = page.locator('[data-payout="completed"]').filter({ has: page.locator(`[data-address="${home}"]`) });
      await expect(paid.getByText('12.34 USDT')).toBeVisible({ timeout: 2000 });
    }).toPass(SOON);
  await page.goto(`/dashboard/${store.id}/test/balances`);
  await expect(page.getByText('Payout paid').first()).toBeVisible();
});

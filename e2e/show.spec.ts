// The money of a store goes home on all four networks: customers pay, also in the demo shop, the service sweeps, levels move, and a daily
// schedule, which a sandbox can run before its time, pays the merchant's own wallets. Then the books are in order and the reserves proven.

import { execFileSync } from 'node:child_process';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { asOperator, call, newMerchant, otherPage, protectAccount, seriousFaults, sweptCents } from './console';
import { newWallet, type Network } from './new-wallet';
import { ROOT } from './http-client';
import { expect, test } from './story';

const NAMES: Readonly<Record<Network, string>> = {
  ...{ ethereum: 'Ethereum', bsc: 'BNB Smart Chain' },
  ...{ tron: 'TRON', solana: 'Solana' },
};
const NETWORKS = Object.keys(NAMES) as Network[];
/** Another story pauses the sweeps of a network for a while. */
const SOON = { timeout: 240_000 };
/** Wallets are read every half minute on local chains. */
const READ_SOON = { timeout: 180_000 };

/** Buys a mug in the demo shop and pays it with the test wallet on a network. */
async function buyInShop(page: Page, network: Network): Promise<void> {
  await page.goto('/shop');
  await page.getByRole('button', { name: 'Buy' }).click();
  await expect(page).toHaveURL(/\/pay\/cs_test_/);
  const order = (await page.locator('[data-link="cancel"]').getAttribute('href')) as string;
  await page.goto(order);
  await page.locator('details:has(input[type="radio"]) summary').click();
  await page.getByRole('radio', { name: `USDT on ${NAMES[network]}` }).check();
  await page.getByRole('button', { name: 'Pay' }).click();
  await expect(page.getByText('Sent by the test wallet')).toBeVisible();
  await expect(async () => {
    await page.goto(order);
    await expect(page.locator('.status')).toHaveText('Paid', { timeout: 2000 });
  }).toPass(SOON);
}

/** What the wallets of a network hold of USDT, as Treasury shows it. */
async function heldInWallets(desk: Page, network: Network): Promise<string> {
  await desk.goto('/operator/treasury');
  const table = desk.getByRole('table', { name: new RegExp(`^Wallets: ${NAMES[network]}.*Test`) });
  return (await table.getByRole('row').filter({ hasText: 'USDT' }).getByRole('cell').allInnerTexts()).join(' ');
}

/** The lines of `stabletill check-books` on the running sandbox. Throws an Error when an invariant is broken. */
const checkBooks = (): string =>
  execFileSync(process.execPath, [path.join(ROOT, 'scripts/stabletill.mjs'), 'check-books'], {
    env: { ...process.env, DATA_DIR: path.dirname(process.env.SANDBOX_JSON ?? '.data/sandbox.json') },
    encoding: 'utf8',
  });

test('what is sold on four networks is swept, daily schedules that are run pay it to the merchant’s wallets, and books and reserves are in order', async ({
  page,
  browser,
  baseURL,
}) => {
  test.setTimeout(600_000);
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

  const before = new Map<Network, { readonly swept: number; readonly held: string }>();
  for (const network of NETWORKS) {
    const held = await heldInWallets(desk, network);
    before.set(network, { held, swept: await sweptCents(desk, NAMES[network]) });
    await buyInShop(page, network);
    const { id, url } = await merchant.create();
    await merchant.pay(id, { network });
    const status = async () => ((await (await fetch(`${url}/status`)).json()) as { status: string }).status;
    await expect.poll(status).toBe('COMPLETED');
  }
  for (const [network, { swept, held }] of before) {
    await expect.poll(() => sweptCents(desk, NAMES[network]), SOON).toBeGreaterThanOrEqual(swept + 1234 + 1250);
    await expect.poll(() => heldInWallets(desk, network), READ_SOON).not.toBe(held);
    // Its level is that of the refund wallet, whose excess goes to the cold wallet.
    await expect(
      desk.getByRole('region', { name: `Refund wallet and cold wallet: USDT · ${NAMES[network]}` }),
    ).toBeVisible();
  }
  expect(await seriousFaults(desk)).toEqual([]);

  await desk.goto('/operator/treasury/reserves');
  await desk.getByRole('button', { name: 'Sign a proof now' }).click();
  await desk.getByRole('dialog').getByRole('button', { name: 'Sign a proof now' }).click();
  await expect(async () => {
    await page.goto(`/dashboard/${store.id}/test/balances`);
    await page.getByRole('link', { name: 'Proof of reserves' }).click();
    for (const network of NETWORKS) {
      const own = page.getByRole('row').filter({ hasText: `USDT · ${NAMES[network]}` });
      await expect(own.first()).toContainText('Covered', { timeout: 1000 });
    }
  }).toPass(READ_SOON);

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

  const books = checkBooks().trim().split('\n');
  expect(books.length).toBeGreaterThan(20);
  expect(books.filter((line) => !line.startsWith('ok'))).toEqual([]);
});

// An owner adds the address that the store is paid out to, gets the mail about it, and stops it by the mail's link without signing in. A
// look-alike of the stopped address is taken only after both were shown in full. The address's wallet can sign that it is the store's.

import type { Page } from '@playwright/test';
import { Wallet } from 'ethers';
import { asOperator, linkInMail, newPerson, otherPage, protectAccount, seriousFaults, signIn, call } from './console';
import { expect, test } from './story';

const MINE = '0x9858EfFD232B4033E47d90003D41EC34EcaEda94';
const TWIN = '0x985811111111111111111111111111111111da94';

const addresses = (page: Page, state: string) => page.locator(`[data-payout-address="${state}"]`);

/** Fills the form and sends it. */
async function add(page: Page, address: string): Promise<void> {
  await page.getByRole('button', { name: 'Add an address' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add an address' });
  await dialog.getByLabel('Network').selectOption('ethereum');
  await dialog.getByLabel('Address', { exact: true }).fill(address);
  await dialog.getByRole('button', { name: 'Add the address' }).click();
}

test('an owner adds a payout address, and a reader of the mail stops it without signing in', async ({
  page,
  browser,
  baseURL,
}) => {
  test.setTimeout(240_000);
  const desk = await otherPage(browser, baseURL as string);
  await asOperator(desk);
  const owner = await newPerson(page, desk);
  await signIn(page, owner, '/dashboard');
  await protectAccount(page);
  const store = await call<{ id: string }>(page, '/stores', { name: 'Rope & Tar' });
  const payouts = `/dashboard/${store.id}/test/payouts`;

  await page.goto(payouts);
  await expect(page.getByText('No payout address yet')).toBeVisible();
  await add(page, `${MINE.slice(0, -1)}5`);
  const dialog = page.getByRole('dialog', { name: 'Add an address' });
  await expect(dialog.getByText('Address: a character is wrong').last()).toBeVisible();
  await expect(dialog.getByLabel('Address', { exact: true })).toBeFocused();
  expect(await seriousFaults(page)).toEqual([]);
  await dialog.getByLabel('Address', { exact: true }).fill(MINE);
  await dialog.getByRole('button', { name: 'Add the address' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.locator(`[data-address="${MINE}"]`)).toBeVisible();

  const link = await linkInMail(desk, owner.email, /New payout address on ethereum/, /payout-addresses\/stop/);
  await page.reload();
  await expect(addresses(page, 'waiting').or(addresses(page, 'current'))).toHaveCount(1);

  // Another person's browser, not signed in and without scripts.
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL: baseURL as string, locale: 'en-US' });
  const reader = await context.newPage();
  for (let opened = 0; opened < 2; opened++) {
    await reader.goto(link);
    await expect(reader.getByRole('heading', { name: 'Stop this payout address?' })).toBeVisible();
    await expect(reader.locator(`[data-address="${MINE}"]`)).toBeVisible();
  }
  await page.reload();
  await expect(addresses(page, 'stopped')).toHaveCount(0);
  await reader.getByRole('button', { name: 'Stop this address' }).click();
  await expect(reader.getByRole('heading', { name: 'This payout address is stopped' })).toBeVisible();
  await reader.reload();
  await expect(reader.getByRole('heading', { name: 'This payout address is stopped' })).toBeVisible();
  await expect(reader.getByRole('button', { name: 'Stop this address' })).toHaveCount(0);
  await reader.goto(`${link.slice(0, -4)}AAAA`);
  await expect(reader.getByRole('heading', { name: 'This link stops nothing' })).toBeVisible();
  await context.close();

  await page.reload();
  await page.getByText('Earlier addresses').click();
  await expect(addresses(page, 'stopped').locator(`[data-address="${MINE}"]`)).toBeVisible();

  await add(page, TWIN);
  await expect(dialog.getByText(MINE).last()).toBeVisible();
  await expect(dialog.getByText(new RegExp(TWIN, 'i')).last()).toBeVisible();
  await dialog.getByLabel('I compared the whole address').check();
  await dialog.getByRole('button', { name: 'Add the address' }).click();
  await expect(dialog).toBeHidden();
  await expect(async () => {
    await page.reload();
    await expect(addresses(page, 'current')).toHaveCount(1, { timeout: 1000 });
  }).toPass({ timeout: 60_000 });
  expect(await seriousFaults(page)).toEqual([]);
  await addresses(page, 'current').getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stop', exact: true }).click();
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(page.getByText('No payout address yet')).toBeVisible();
});

test('an owner proves an address by a message that its wallet signs, and a signature of another wallet is refused', async ({
  page,
  browser,
  baseURL,
}) => {
  test.setTimeout(240_000);
  const desk = await otherPage(browser, baseURL as string);
  await asOperator(desk);
  const owner = await newPerson(page, desk);
  await signIn(page, owner, '/dashboard');
  await protectAccount(page);
  const store = await call<{ id: string }>(page, '/stores', { name: 'Sail & Sign' });
  const wallet = Wallet.createRandom();

  await page.goto(`/dashboard/${store.id}/test/payouts`);
  await page.getByRole('button', { name: 'Add an address' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add an address' });
  await dialog.getByLabel('Network').selectOption('ethereum');
  await dialog.getByLabel('Address', { exact: true }).fill(wallet.address);
  await dialog.getByText('Prove that it is yours (optional)').click();
  await dialog.getByRole('button', { name: 'Show the text to sign' }).click();
  const toSign = dialog.locator('pre');
  await expect(toSign).toContainText(wallet.address);
  await expect(toSign).toContainText(store.id);
  const text = (await toSign.textContent()) ?? '';
  expect(await seriousFaults(page)).toEqual([]);

  const signature = dialog.getByRole('textbox', { name: 'Signature' });
  await signature.fill(await Wallet.createRandom().signMessage(text));
  await dialog.getByRole('button', { name: 'Add the address' }).click();
  await expect(dialog.getByText('Signature: it is not of this address').last()).toBeVisible();
  await expect(signature).toBeFocused();
  await signature.fill(await wallet.signMessage(text));
  await dialog.getByRole('button', { name: 'Add the address' }).click();
  await expect(dialog).toBeHidden();

  const added = page.getByRole('listitem').filter({ has: page.locator(`[data-address="${wallet.address}"]`) });
  await expect(added.getByText('Ownership proven')).toBeVisible();
  await linkInMail(desk, owner.email, /New payout address on ethereum/, /payout-addresses\/stop/);
  await expect(desk.getByText('The wallet of this address signed for it: ownership proven.')).toBeVisible();
});

// A merchant's first minutes: two stores in sequence, and every page of their menus, without a full page load.

import { randomUUID } from 'node:crypto';
import type { Page } from '@playwright/test';
import { expect, test } from './story';

const PASSWORD = 'four herons on the wet jetty';

/** Ends in the dashboard, signed in. */
async function signUp(page: Page): Promise<void> {
  const email = `heron-${randomUUID()}@shop.example`;
  await page.goto('/signup');
  await expect(page.getByRole('button', { name: 'Create account' })).toBeEnabled();
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByText(`We have sent a message to ${email}`)).toBeVisible();
  // The mailbox of the sandbox opens at the mail that was just sent.
  await page.getByRole('link', { name: 'Open the sandbox’s mailbox' }).click();
  await page.waitForURL('**/sandbox/mail/*');
  await expect(page.getByRole('heading', { name: 'Confirm your e-mail address' })).toBeVisible();
  await expect(page.getByText(`To: ${email}`)).toBeVisible();
  await page.getByRole('link', { name: /token=/ }).click();
  await expect(page.getByRole('button', { name: 'Set password and sign in' })).toBeEnabled();
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Set password and sign in' }).click();
  await page.waitForURL(/\/dashboard(\/new)?$/);
}

/** A full page load clears this mark. */
const mark = (page: Page): Promise<void> =>
  page.evaluate(() => void ((globalThis as unknown as { sameLoad: boolean }).sameLoad = true));
const isSameLoad = (page: Page): Promise<boolean> =>
  page.evaluate(() => (globalThis as unknown as { sameLoad?: boolean }).sameLoad === true);

async function makeStore(page: Page, name: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'New store' });
  const create = dialog.getByRole('button', { name: 'Create store' });
  // What is typed before the scripts run may be lost.
  await expect(create).toBeEnabled();
  await dialog.getByLabel('Name', { exact: true }).fill(name);
  await create.click();
  await page.waitForURL('**/dashboard/st_*/test/overview');
  await expect(page.getByRole('button', { name: `Switch store: ${name}` })).toBeVisible();
}

/** Opens every page of the menu by its link; returns their names. */
async function openAll(page: Page, name: string): Promise<string[]> {
  const menu = page.getByRole('navigation', { name: 'Main' }).first();
  // The last one; the names are read at once.
  await expect(menu.getByRole('link', { name: 'Settings', exact: true })).toBeVisible();
  const names = (await menu.getByRole('link').allInnerTexts()).map((one) => one.trim());
  for (const place of names) {
    await menu.getByRole('link', { name: place, exact: true }).click();
    await expect(menu.getByRole('link', { name: place, exact: true })).toHaveAttribute('aria-current', 'page');
    await expect(page.getByRole('main').getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page.getByRole('button', { name: `Switch store: ${name}` })).toBeVisible();
  }
  return names;
}

test('a new merchant creates a first and a second store, and every menu item opens without a reload', async ({
  page,
}) => {
  // Some thirty pages, also on a slow machine.
  test.setTimeout(600_000);
  await signUp(page);
  await page.goto('/dashboard/new');
  await mark(page);
  const [first, second] = [`Jetty ${randomUUID().slice(0, 8)}`, `Pier ${randomUUID().slice(0, 8)}`];
  await makeStore(page, first);
  const names = await openAll(page, first);
  expect(names).toEqual(
    expect.arrayContaining(['Overview', 'Payments', 'Refunds', 'Balances', 'Till', 'API keys', 'Webhooks', 'Settings']),
  );

  await page.getByRole('button', { name: `Switch store: ${first}` }).click();
  await page.getByRole('menuitem', { name: 'New store' }).click();
  await makeStore(page, second);
  expect(await openAll(page, second)).toEqual(names);
  expect(await isSameLoad(page)).toBe(true);
});

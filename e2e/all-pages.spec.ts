// Every page of a signed-in user and the account pages before it, each loaded once and checked four times: narrow and
// wide, light and dark. A new page must be added to the lists of all-pages.ts.

import type { Page } from '@playwright/test';
import { generateSync } from 'otplib';
import { asOperator, call, linkInMail, newPerson, otherPage, seriousFaults, signIn } from './console';
import {
  OPERATOR_PAGES,
  fill,
  HALF_WAY,
  MONEY_PAGES,
  NO_PAGE_OF_ITS_OWN,
  OPEN_PAGES,
  pagesOfFiles,
  STORE_PAGES,
  sweptPayment,
  type Things,
} from './all-pages';
import { sandbox } from './http-client';
import { expect, test } from './story';

type Seen = { readonly at: string; readonly faults: readonly string[] };

/** The folder for screenshots; without it none are kept. */
const SHOTS = process.env.E2E_SHOTS;
const nameOf = (at: string): string =>
  at
    .replace(/st_\w+\//, '')
    .replaceAll(/[^a-z0-9]+/gi, '-')
    .slice(1, 60);

/** Loads a page and returns its faults, narrow and wide, light and dark. */
async function checkPage(page: Page, at: string): Promise<Seen> {
  const faults: string[] = [];
  const hear = (message: { type: () => string; text: () => string }) => {
    if (message.type() === 'error') faults.push(`console: ${message.text()}`);
  };
  page.on('console', hear);
  const answer = await page.goto(at);
  if (answer?.status() !== 200) faults.push(`status ${answer?.status()}`);
  const main = page.getByRole('heading', { level: 1 });
  await expect(main.first(), at).toBeVisible();
  await page.evaluate(() => document.fonts.ready);
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    if (over > 0) faults.push(`${over} pixels too wide at ${width}`);
    if ((await main.count()) !== 1) faults.push(`${await main.count()} first headings at ${width}`);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.waitForFunction(() => document.getAnimations().length === 0);
      for (const fault of await seriousFaults(page)) faults.push(`${colorScheme} ${width}: ${fault}`);
      if (SHOTS) await page.screenshot({ path: `${SHOTS}/${nameOf(at)}-${width}-${colorScheme}.png`, fullPage: true });
    }
  }
  page.off('console', hear);
  return { at, faults };
}

/** Collects the faults of all pages, so that one run shows all of them. */
async function checkPages(page: Page, paths: readonly string[]): Promise<void> {
  const seen: Seen[] = [];
  for (const at of paths) seen.push(await checkPage(page, at));
  expect(seen.filter(({ faults }) => faults.length > 0)).toEqual([]);
}

const pathsOf = (pages: typeof MONEY_PAGES, things: Things): string[] =>
  Object.values(pages).flatMap((paths) => paths(things));

test('every page file is checked below', () => {
  const named = [MONEY_PAGES, STORE_PAGES, OPERATOR_PAGES, OPEN_PAGES].flatMap((pages) => Object.keys(pages));
  expect([...named, HALF_WAY, NO_PAGE_OF_ITS_OWN].toSorted()).toEqual(pagesOfFiles());
});

test('an owner’s pages are readable at every width and in both themes', async ({ page, merchant, baseURL }) => {
  test.setTimeout(480_000);
  await signIn(page, sandbox().merchants[0], '/dashboard');
  const things = await fill(page, merchant, baseURL as string);
  await checkPages(page, [...pathsOf(MONEY_PAGES, things), ...pathsOf(STORE_PAGES, things)]);
});

test('the operator’s pages are readable at every width and in both themes', async ({ page, merchant }) => {
  test.setTimeout(480_000);
  await asOperator(page);
  const sweep = await sweptPayment(page, merchant);
  const things = { store: sandbox().stores[0].id, session: '', refund: '', payout: '', delivery: '', sweep };
  await checkPages(page, pathsOf(OPERATOR_PAGES, things));
});

test('the pages before the dashboard are readable at every width and in both themes', async ({
  page,
  browser,
  baseURL,
}) => {
  test.setTimeout(480_000);
  const none = { store: '', session: '', refund: '', payout: '', delivery: '', sweep: '' };
  await checkPages(page, pathsOf(OPEN_PAGES, none));
  const desk = await otherPage(browser, baseURL as string);
  await asOperator(desk);
  const person = await newPerson(page, desk);
  await desk.context().close();
  await page.goto('/reset');
  await page.getByLabel('E-mail').fill(person.email);
  await page.getByRole('button', { name: 'Send the link' }).click();
  const [confirm, reset] = [/^Confirm your e-mail/, /^Set a new password/];
  const links = [await linkInMail(page, person.email, confirm), await linkInMail(page, person.email, reset)];
  await signIn(page, person, '/dashboard');
  const email = `new-${person.email}`;
  await call(page, '/account/email', { email });
  links.push(await linkInMail(page, email, /^Confirm your new e-mail/));
  for (const link of links) {
    await checkPages(page, [link]);
    await expect(page.locator('main form')).toBeVisible();
  }
  const { secret } = await call<{ secret: string }>(page, '/account/totp/enrol', {});
  await call(page, '/account/totp/confirm', { code: generateSync({ secret }) });
  await page.context().clearCookies();
  await page.goto('/login');
  await page.getByLabel('E-mail').fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill(person.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL('**/two-factor');
  await checkPages(page, [HALF_WAY]);
});

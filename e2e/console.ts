// Shared start of the console stories: a signed-in operator, a second one, and a separate store with a private key. A
// story can suspend that store without breaking other stories.

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Browser, Locator, Page } from '@playwright/test';
import { generateSync } from 'otplib';
import { Merchant } from './merchant';
import { seriousViolationsOf } from './axe';
import { expect } from './story';

const PASSWORD = 'nine herons over the old harbour';

/** axe's serious findings on the current page, with the first element of each. */
export async function seriousFaults(page: Page): Promise<string[]> {
  // Waits for fade-ins to finish. Does not wait for endless animations.
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every((one) => one.playState !== 'running' || one.effect?.getComputedTiming().endTime === Infinity),
  );
  const violations = await seriousViolationsOf(page);
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

/** The element once the page's scripts answer to it. A click before that is lost, as on a slow machine. */
export async function ready(element: Locator): Promise<Locator> {
  await expect(async () => {
    const isReady = await element.evaluate((node) => Object.keys(node).some((key) => key.startsWith('__reactProps$')));
    expect(isReady).toBe(true);
  }).toPass();
  return element;
}

export async function signIn(
  page: Page,
  { email, password }: { email: string; password: string },
  to: string,
): Promise<void> {
  await page.goto(`/login?callbackUrl=${encodeURIComponent(to)}`);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL((url) => url.pathname + url.search === to);
}

/** The sandbox's own operator, on a page of the operator console. */
export async function asOperator(page: Page, to = '/operator'): Promise<void> {
  const file = process.env.SANDBOX_JSON ?? '.data/sandbox.json';
  const { operator } = JSON.parse(readFileSync(file, 'utf8')) as { operator: { email: string; password: string } };
  await signIn(page, operator, to);
}

/** A page of another user, with separate cookies. */
export const otherPage = async (browser: Browser, baseURL: string): Promise<Page> =>
  (await browser.newContext({ baseURL, locale: 'en-US' })).newPage();

export type Person = { readonly email: string; readonly password: string };

/** Signs up; an operator then creates the confirmation link, so that no mail is needed. */
export async function newPerson(page: Page, desk: Page): Promise<Person> {
  const person = { email: `desk-${randomUUID()}@shop.example`, password: PASSWORD };
  await page.goto('/signup');
  await page.getByLabel('E-mail').fill(person.email);
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByText(`We have sent a message to ${person.email}`)).toBeVisible();
  await desk.goto(`/operator/users?q=${encodeURIComponent(person.email)}`);
  await (await ready(desk.getByRole('button', { name: 'Link to confirm' }))).click();
  await desk.getByRole('dialog').getByRole('button', { name: 'Create the link' }).click();
  const link = await desk.getByRole('group', { name: 'Link to confirm' }).locator('code').textContent();
  await desk.getByRole('button', { name: 'I have copied it' }).click();
  await page.goto(link ?? '');
  await page.getByLabel('New password', { exact: true }).fill(person.password);
  await page.getByRole('button', { name: 'Save the password' }).click();
  await expect(page.getByText('Your password is changed')).toBeVisible();
  await desk.reload();
  await expect(desk.getByRole('table').getByText('Active')).toBeVisible();
  return person;
}

/** The link in the last mail with this subject to an address, from the sandbox's mailbox. `name`: what the link contains. */
export async function linkInMail(page: Page, email: string, subject: RegExp, name = /token=/): Promise<string> {
  const mail = page.getByRole('listitem').filter({ hasText: email }).getByRole('link', { name: subject }).first();
  await expect(async () => {
    await page.goto('/sandbox/mail');
    await expect(mail).toBeVisible({ timeout: 1000 });
  }).toPass();
  await mail.click();
  await page.waitForURL('**/sandbox/mail/*');
  return (await page.getByRole('link', { name }).getAttribute('href')) ?? '';
}

/** Presses a button of the operator console and confirms the dialog, with a reason where required. */
export async function answerAt(page: Page, trigger: string, submit: string, reason?: string): Promise<void> {
  await (await ready(page.getByRole('button', { name: trigger, exact: true }))).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toBeVisible();
  if (reason !== undefined) await dialog.getByRole('textbox').fill(reason);
  await dialog.getByRole('button', { name: submit, exact: true }).click();
  await expect(dialog).toBeHidden();
}

/** The same for a row's menu, whose dialog has a button of the same name. */
export async function answerInRow(page: Page, row: Locator, action: string): Promise<void> {
  await (await ready(row.getByRole('button', { name: 'Actions for' }))).click();
  await page.getByRole('menuitem', { name: action }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: action, exact: true }).click();
  await expect(dialog).toBeHidden();
}

/** A dashboard request, sent from the page as its buttons do. */
export async function call<Answer>(page: Page, path: string, body: object): Promise<Answer> {
  const answer = await page.evaluate(
    async ([at, sent]) => {
      const response = await fetch(`/api/dashboard${at}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: sent as string,
      });
      return { status: response.status, text: await response.text() };
    },
    [path, JSON.stringify(body)],
  );
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return JSON.parse(answer.text) as Answer;
}

/** Sets up an authenticator for the signed-in user: a live change needs a second factor. */
export async function protectAccount(page: Page): Promise<void> {
  const { secret } = await call<{ secret: string }>(page, '/account/totp/enrol', {});
  await call(page, '/account/totp/confirm', { code: generateSync({ secret }) });
}

/** Creates a store of a new merchant, who is signed in on `page`. It awaits operator approval. */
export async function newStore(page: Page, desk: Page): Promise<{ id: string; name: string }> {
  await signIn(page, await newPerson(page, desk), '/dashboard');
  const name = `Harbour ${randomUUID().slice(0, 8)}`;
  const { id } = await call<{ id: string }>(page, '/stores', {
    name,
    website: 'https://harbour.example',
    description: 'Rope',
  });
  return { id, name };
}

/** The same, approved, with the merchant's program and a test key. */
export async function newMerchant(page: Page, desk: Page, baseURL: string) {
  const store = await newStore(page, desk);
  await desk.goto(`/operator/stores/${store.id}`);
  await answerAt(desk, 'Approve', 'Approve');
  const key = await call<{ api_key: string; api_secret: string }>(page, `/stores/${store.id}/test/keys`, {
    name: 'story',
  });
  return { store, merchant: new Merchant(baseURL, key) };
}

/** What was swept of USDT in a day on a network of the test environment, in cents, as the page Treasury shows it. `network`: its shown name. */
export async function sweptCents(page: Page, network: string): Promise<number> {
  await page.goto('/operator/treasury');
  const name = new RegExp(`^${network}.*Test`);
  // Another table of the same card is about the wallets.
  const tokens = page.getByRole('region', { name }).getByRole('table', { name });
  const swept = tokens.getByRole('row').filter({ hasText: 'USDT' }).getByRole('cell').last();
  return Math.round(100 * Number((await swept.innerText()).replace(/[^0-9.]/g, '')));
}

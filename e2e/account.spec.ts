// The life of an account: sign up, confirm by mail, sign in, add a second factor. Without the factor live changes are
// refused, with it they are allowed. All account pages are accessible.

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { generateSync } from 'otplib';
import type { Page } from '@playwright/test';
import { asOperator, linkInMail, newStore, otherPage, ready, seriousFaults } from './console';
import { expect, test } from './story';

const halfMinute = (): number => Math.floor(Date.now() / 30_000);

const PASSWORD = 'four lamps under a quiet bridge';

type Person = { readonly email: string; readonly password: string };

/** A merchant of every sandbox, because an IP address may sign up only so often. */
function merchantOfSandbox(): Person {
  const sandbox = JSON.parse(readFileSync(process.env.SANDBOX_JSON ?? '.data/sandbox.json', 'utf8')) as {
    merchants: Person[];
  };
  const merchant = sandbox.merchants[1];
  if (!merchant) throw new Error('sandbox.json names no second merchant');
  return merchant;
}

/** A new account with a confirmed address. */
async function signUp(page: Page): Promise<string> {
  const email = `ada-${randomUUID()}@shop.example`;
  await page.goto('/signup');
  await expect(page.getByRole('button', { name: 'Create account' })).toBeEnabled();
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByText(`We have sent a message to ${email}`)).toBeVisible();
  const link = await linkInMail(page, email, /^Confirm your/);
  await page.goto(link);
  await expect(page.getByRole('button', { name: 'Set password and sign in' })).toBeEnabled();
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Set password and sign in' }).click();
  // The user types nothing twice: the account is open.
  await page.waitForURL('**/dashboard');
  await signOut(page, email);
  // A second visit reports the used link before any form.
  await page.goto(link);
  await expect(page.getByRole('heading', { name: 'This link no longer works' })).toBeVisible();
  return email;
}

async function signIn(page: Page, { email, password }: Person): Promise<void> {
  await page.goto('/login?callbackUrl=/dashboard/account');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Compares only the path, because the query of the sign-in page contains it too; waits for the page to load. */
async function atAccount(page: Page): Promise<void> {
  await page.waitForURL(({ pathname }) => pathname === '/dashboard/account');
  await expect(page.getByRole('heading', { name: 'Your account' })).toBeVisible();
}

async function signOut(page: Page, email: string): Promise<void> {
  await (await ready(page.getByRole('button', { name: `Account menu of ${email}` }))).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page).toHaveURL(/\/login$/);
}

test('sign up, confirm, sign in, set up an authenticator; then a wrong code is refused and the right one opens', async ({
  page,
}) => {
  const email = await signUp(page);
  await signIn(page, { email, password: PASSWORD });
  await atAccount(page);

  await (await ready(page.getByRole('button', { name: 'Set up' }))).click();
  const dialog = page.getByRole('dialog', { name: 'Set up the authenticator' });
  const secret = (await dialog.locator('code').textContent()) ?? '';
  expect(secret).toMatch(/^[A-Z2-7]{16,}$/);
  await dialog.getByLabel('Code that the app shows').fill(generateSync({ secret }));
  await dialog.getByRole('button', { name: 'Turn on' }).click();
  const enrolled = halfMinute();
  const codes = page.getByRole('dialog', { name: 'Keep these codes' });
  await expect(codes).toBeVisible();
  const [recovery = ''] = await codes.locator('code').allTextContents();
  expect(recovery.length).toBeGreaterThan(8);
  // Each code is on one line, so that none is copied without its last character.
  for (const code of await codes.locator('code').all()) expect((await code.boundingBox())?.height).toBeLessThan(30);
  await page.keyboard.press('Escape');
  await expect(codes).toBeVisible();
  await codes.getByRole('button', { name: 'I have kept them' }).click();
  await expect(page.getByRole('button', { name: 'Turn off' })).toBeVisible();

  await signOut(page, email);
  await page.goto('/dashboard/account');
  await expect(page).toHaveURL(/\/login\?callbackUrl=%2Fdashboard%2Faccount$/);
  await signIn(page, { email, password: PASSWORD });
  await expect(page).toHaveURL(/\/two-factor$/);
  await page.goto('/dashboard/account');
  await expect(page).toHaveURL(/\/two-factor$/);
  await page.getByLabel('Code').fill('000000');
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'is wrong' })).toBeVisible();
  // A code works once, in its own half minute, so the set-up code must expire first.
  await expect.poll(halfMinute).toBeGreaterThan(enrolled);
  await page.getByLabel('Code').fill(generateSync({ secret }));
  await page.getByRole('button', { name: 'Continue' }).click();
  await atAccount(page);
  await expect(page.getByText('This device')).toBeVisible();
});

/** Creates a key on the store's key page. */
async function createKey(page: Page): Promise<void> {
  await (await ready(page.getByRole('button', { name: 'Create a key' }).first())).click();
  const dialog = page.getByRole('dialog', { name: 'Create a key' });
  await dialog.getByLabel('Name').fill('Shop');
  await dialog.getByRole('button', { name: 'Create a key' }).click();
}

test('an owner without a second factor sees on live pages what is refused, sets up an authenticator, and creates a live key', async ({
  page,
  browser,
  baseURL,
}) => {
  test.setTimeout(120_000);
  const operator = await otherPage(browser, baseURL as string);
  await asOperator(operator);
  const store = await newStore(page, operator);
  const keys = `/dashboard/${store.id}/live/keys`;
  const notice = page.getByText('Protect your account to work with live money');
  const unprotected = operator.getByText('An owner has no second factor');
  await operator.goto(`/operator/stores/${store.id}`);
  await expect(unprotected).toBeVisible();

  await page.goto(`/dashboard/${store.id}/test/keys`);
  await expect(page.getByRole('heading', { name: 'API keys', exact: true })).toBeVisible();
  await expect(notice).toBeHidden();
  await page.goto(keys);
  await expect(notice).toBeVisible();
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await seriousFaults(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0);
  }
  await createKey(page);
  const refusal = page.getByText('Your account needs a second factor to work with live money');
  await expect(refusal.first()).toBeVisible();
  await page.keyboard.press('Escape');

  await page.getByRole('link', { name: 'Set up a second factor' }).click();
  await atAccount(page);
  await (await ready(page.getByRole('button', { name: 'Set up' }))).click();
  const dialog = page.getByRole('dialog', { name: 'Set up the authenticator' });
  const secret = (await dialog.locator('code').textContent()) ?? '';
  await dialog.getByLabel('Code that the app shows').fill(generateSync({ secret }));
  await dialog.getByRole('button', { name: 'Turn on' }).click();
  await page.getByRole('button', { name: 'I have kept them' }).click();
  await page.getByRole('link', { name: 'Back to where you were' }).click();
  await page.waitForURL(`**${keys}`);
  await expect(notice).toBeHidden();
  await createKey(page);
  await expect(page.getByRole('group', { name: 'Key and secret' }).locator('code').first()).toContainText('ak_live_');

  await operator.reload();
  await expect(operator.getByText('(second factor on)')).toBeVisible();
  await expect(unprotected).toBeHidden();
});

test('a wrong password is refused with an explanation, and no one is signed in', async ({ page }) => {
  await signIn(page, { email: `nobody-${randomUUID()}@shop.example`, password: PASSWORD });
  await expect(page.getByRole('alert').filter({ hasText: 'is wrong' })).toBeVisible();
  await page.goto('/dashboard/account');
  await expect(page).toHaveURL(/\/login/);
});

test('the sign-in form works without scripts, and a form that needs them cannot be sent before they run', async ({
  browser,
  baseURL,
}) => {
  const context = await browser.newContext({ javaScriptEnabled: false, ...(baseURL ? { baseURL } : {}) });
  const plain = await context.newPage();
  await signIn(plain, merchantOfSandbox());
  await atAccount(plain);
  await plain.context().clearCookies();
  await plain.goto('/signup');
  await expect(plain.getByRole('button', { name: 'Create account' })).toBeDisabled();
  await context.close();
});

test('the palette is opened, searched and left with the keyboard', async ({ page }) => {
  await signIn(page, merchantOfSandbox());
  await atAccount(page);
  const palette = page.getByRole('dialog', { name: 'Search for a page' });
  // The keyboard shortcut works once the page's scripts have loaded.
  await expect(async () => {
    await page.keyboard.press('Control+k');
    await expect(palette).toBeVisible({ timeout: 1000 });
  }).toPass();
  await page.keyboard.type('your acc');
  await expect(page.getByRole('option', { name: 'Your account' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(palette).toBeHidden();
});

for (const lang of ['en', 'zh', 'es'] as const) {
  test(`in ${lang} the pages fit phones and have no serious fault of accessibility, light and dark`, async ({
    page,
  }) => {
    // axe checks sixteen whole pages, also on a slow machine.
    test.setTimeout(600_000);
    await signIn(page, merchantOfSandbox());
    await atAccount(page);
    const check = async (path: string) => {
      for (const { width, colorScheme } of [
        { width: 360, colorScheme: 'light' },
        { width: 360, colorScheme: 'dark' },
        { width: 1280, colorScheme: 'light' },
        { width: 1280, colorScheme: 'dark' },
      ] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await page.setViewportSize({ width, height: 800 });
        await page.goto(`${path}?lang=${lang}`);
        await expect(page.locator('html')).toHaveAttribute('lang', lang);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        const faults = await seriousFaults(page);
        expect({ path, width, colorScheme, overflow, faults }).toEqual({
          path,
          width,
          colorScheme,
          overflow: 0,
          faults: [],
        });
      }
    };
    await check('/dashboard/account');
    await check('/signup');
    await page.context().clearCookies();
    await check('/login');
    await check('/reset');
  });
}

test('a chosen appearance applies from the first byte of the next page', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto('/login');
  await (await ready(page.getByRole('radio', { name: 'Dark' }))).check({ force: true });
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  const html = await (await page.request.get('/signup')).text();
  expect(html).toContain('data-theme="dark"');
  expect(html).not.toMatch(/\sstyle="/);
});

// An operator's first minutes: from an empty data directory to an installation that is ready for live, in the browser,
// timed.

import fs from 'node:fs';
import { parseEnv } from 'node:util';
import { test as base, type Page } from '@playwright/test';
import { seriousFaults } from './console';
import { startNewInstallation, type NewInstallation } from './new-installation';
import { expect } from './story';

const EMAIL = 'ada@pay.example';
/** Issue 17: ready for live within ten minutes. A person types slower than this story, so it has three. */
const MAX_MILLISECONDS = 3 * 60_000;

const test = base.extend<{ installation: NewInstallation; operator: Page }>({
  installation: async ({ playwright: _ }, use) => {
    const installation = await startNewInstallation();
    await use(installation);
    await installation.close();
  },
  // Passkeys require a certificate without errors.
  operator: async ({ playwright, launchOptions }, use) => {
    const args = [...(launchOptions.args ?? []), '--ignore-certificate-errors'];
    const browser = await playwright.chromium.launch({ ...launchOptions, args });
    const page = await (
      await browser.newContext({ ignoreHTTPSErrors: true, bypassCSP: true, locale: 'en-US' })
    ).newPage();
    const session = await page.context().newCDPSession(page);
    await session.send('WebAuthn.enable');
    await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
        ...{ isUserVerified: true, automaticPresenceSimulation: true },
      },
    });
    await use(page);
    await browser.close();
  },
});

test.setTimeout(MAX_MILLISECONDS + 60_000);

/** The folder for screenshots; without it none are kept. */
const SHOTS = process.env.E2E_SHOTS;

/** The page is accessible, and nothing is wider than a phone or a desktop. */
async function isReadable(page: Page, name: string): Promise<void> {
  for (const [width, height] of [
    [320, 700],
    [390, 844],
    [1280, 900],
  ] as const) {
    await page.setViewportSize({ width, height });
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/set-up-${name}-${width}.png`, fullPage: true });
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
  }
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await seriousFaults(page)).toEqual([]);
  }
}

test('an operator sets up a new installation, from the printed link to live, and the set-up is then closed for good', async ({
  installation,
  operator: page,
}) => {
  const began = performance.now();
  const link = await installation.setUpLink;
  await page.goto(link);
  await page.getByLabel('Your name').fill('Ada');
  await page.getByLabel('E-mail').fill(EMAIL);
  await page.getByLabel('Password', { exact: true }).fill('four lamps under a quiet bridge');
  await page.getByRole('button', { name: 'Create the operator' }).click();
  await page.waitForURL(({ pathname }) => pathname === '/dashboard/account');

  // A passkey is added without scrolling, and the link to the next step is then on the screen.
  await expect(page.getByRole('main').getByRole('heading', { level: 2 }).first()).toHaveText('Passkeys');
  await expect(page.getByRole('button', { name: 'Add a passkey' })).toBeInViewport();
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Security key');
  await dialog.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByRole('button', { name: /saved|kept|written/i }).click();
  await expect(page.getByRole('link', { name: 'Continue the set-up' })).toBeInViewport();
  await page.getByRole('link', { name: 'Continue the set-up' }).click();
  await expect(page.getByRole('heading', { name: 'Set up this installation' })).toBeVisible();
  await expect(page.getByText('Save at least one network first.')).toBeVisible();
  await isReadable(page, 'empty');

  const ethereum = page.locator('details', { hasText: 'Ethereum' }).first();
  await ethereum.locator('summary').click();
  await ethereum.getByLabel('Endpoints').fill('http://127.0.0.1:9/wrong');
  await ethereum.getByRole('button', { name: 'Try and save' }).click();
  await expect(ethereum.getByText('because an endpoint failed').first()).toBeVisible();
  await isReadable(page, 'wrong-endpoint');
  await ethereum.getByLabel('Endpoints').fill(`${installation.nodeUrl}/key-of-the-provider`);
  await ethereum.getByRole('button', { name: 'Try and save' }).click();
  const networks = page.locator('section', { has: page.getByRole('heading', { name: 'Networks', exact: true }) });
  await expect(ethereum.getByText('1 endpoint saved')).toBeVisible();
  await expect(networks.getByText('1 endpoint, add a second')).toBeVisible();
  await expect(networks.getByText('Done', { exact: true })).toBeHidden();
  await ethereum
    .getByLabel('Endpoints')
    .fill(`${installation.nodeUrl}/key-of-the-provider\n${installation.nodeUrl}/two`);
  await ethereum.getByRole('button', { name: 'Try and save' }).click();
  await expect(ethereum.getByText('2 endpoints saved')).toBeVisible();
  await expect(networks.getByText('Done', { exact: true })).toBeVisible();
  const bsc = page.locator('details', { hasText: 'BNB Smart Chain' }).first();
  await bsc.locator('summary').click();
  await expect(bsc.getByRole('button', { name: 'Remove the network' })).toHaveCount(0);
  await expect(ethereum.getByRole('button', { name: 'Remove the network' })).toBeVisible();

  const treasury = page.locator('section', { has: page.getByRole('heading', { name: 'Where the money goes' }) });
  await treasury.getByLabel('Ethereum').fill('0x52908400098527886e0F7030069857D2E4169EE7');
  await treasury.getByRole('button', { name: 'Save the wallets' }).click();
  await expect(treasury.getByText('a character is wrong').last()).toBeVisible();
  await isReadable(page, 'treasury');
  await treasury.getByLabel('Ethereum').fill('0x52908400098527886E0F7030069857D2E4169EE7');
  await treasury.getByRole('button', { name: 'Save the wallets' }).click();
  // The node reports code at every address.
  await expect(treasury.getByText('this is a contract').last()).toBeVisible();
  await treasury.getByLabel('This contract is a smart wallet of mine').check();
  // Direct settlement: the wallet is the merchant's own.
  const isDirect = treasury.getByRole('checkbox', { name: 'These are the wallets of the only merchant here' });
  await expect(isDirect).not.toBeChecked();
  await isDirect.check();
  await treasury.getByRole('button', { name: 'Save the wallets' }).click();
  await expect(treasury.getByText('Done', { exact: true })).toBeVisible();
  await page.reload();
  await expect(treasury.getByRole('button', { name: 'Save the wallets' })).toBeEnabled();
  await expect(isDirect).toBeChecked();
  await expect(treasury.getByLabel('Ethereum')).toHaveValue(/^0x52908400098527886e0f7030069857d2e4169ee7$/i);

  await page.getByLabel('Mail server').fill('127.0.0.1');
  await page.getByLabel('Port').fill(String(installation.mailPort));
  await page.getByLabel('Encryption').selectOption('none');
  await page.getByLabel('Sender').fill('no-reply@pay.example');
  await page.getByRole('button', { name: 'Send a test mail and save' }).click();
  await expect(page.getByText(`A test mail is on its way to ${EMAIL}`)).toBeVisible();
  expect(installation.mails.at(-1)).toContain('Your mail server works');

  await page.getByLabel('Per refund').fill('1,000');
  await page.getByLabel('Two operators approve above').fill('500');
  await page.getByRole('button', { name: 'Set limits' }).click();

  await expect(page.getByText('Confirm the words of the wallet first.')).toBeVisible();
  expect(await installation.doctor()).toMatch(/^WARN {2}set-up .*\n +→ .*\/operator\/setup/m);
  await installation.writeDownWords();
  await expect(page.getByText('The words were written down and confirmed.')).toBeVisible();
  await isReadable(page, 'ready');
  expect(await page.content()).not.toContain('key-of-the-provider');
  await page.getByRole('button', { name: 'Finish the set-up' }).click();
  await page.waitForURL(({ pathname }) => pathname === '/operator');
  await expect(page.getByRole('heading', { name: 'What needs you now' })).toBeVisible();
  await expect(page.getByText('This installation is live')).toBeVisible();
  // Only tasks for two people are left, and the test networks, which this machine cannot reach.
  await expect(page.getByText('Not set up').filter({ visible: true })).not.toHaveCount(0);
  await expect(page.getByText('No test network has an endpoint')).toBeVisible();
  await expect(page.getByText('There are fewer than two operators')).toBeVisible();
  const took = performance.now() - began;
  // The wallet of a new installation is empty, and the operator must see that.
  await expect(async () => {
    await page.reload();
    await expect(page.getByText('The refund wallet has no money yet')).toBeVisible({ timeout: 1000 });
  }).toPass({ timeout: 60_000 });
  await page.goto(`${installation.publicUrl}/operator/alarms`);
  await expect(page.getByText('signer', { exact: false }).filter({ hasText: 'ENOENT' })).toHaveCount(0);
  const printed = await installation.doctor();
  for (const line of [
    /^ok {4}database/m,
    /^ok {4}schema/m,
    /^ok {4}signer/m,
    /^ok {4}ethereum .*live endpoint 1/m,
    /^ok {4}sweeps .*ethereum@mainnet/m,
    /^ok {4}mail/m,
  ])
    expect(printed).toMatch(line);

  test
    .info()
    .annotations.push({ type: 'seconds from the start to ready for live', description: (took / 1000).toFixed(1) });
  console.log(`an operator was ready for live after ${(took / 1000).toFixed(1)} s`);
  expect(took).toBeLessThan(MAX_MILLISECONDS);

  const settings = parseEnv(fs.readFileSync(installation.settingsFile, 'utf8'));
  expect(settings).toMatchObject({ SETUP: 'finished', DIRECT_SETTLEMENT: 'on' });
  await page.goto(`${installation.publicUrl}/operator/setup`);
  await page.waitForURL(({ pathname }) => pathname === '/operator');
  const { request } = page.context();
  const headers = { origin: installation.publicUrl, 'sec-fetch-site': 'same-origin' };
  const again = await request.post(`${installation.publicUrl}/api/dashboard/operator/setup/finish`, {
    data: {},
    headers,
  });
  expect(again.status()).toBe(404);
  await page.goto(link);
  await expect(page.getByRole('heading', { name: 'This link no longer works' })).toBeVisible();
  await expect
    .poll(async () => (await request.get(`${installation.publicUrl}/status.json`)).text())
    .toMatch(/"network":"ethereum"/);
});

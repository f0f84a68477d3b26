// `tsx scripts/setup-story.mts [FOLDER]`: a new installation set up in a browser with a stopwatch, from an empty data directory to the
// console of an operator who is ready for live. It starts all that it needs on this machine, on ports that are free: the
// installation, a TLS proxy, a node that serves Ethereum as far as its proof asks, and a mail server. With a folder it keeps pictures.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import https from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import axe from 'axe-core';
import { chromium, type Page } from 'playwright';
import { passOn } from '../lib/api/pass-on';
import { readSignerSettings } from '../lib/signer/settings';
import { confirmWords } from '../lib/signer/words';
import { startLiveNode } from '../lib/testing/fake-live-node';
import { startMailServer } from '../lib/testing/mail-server';
import { selfSigned } from '../lib/testing/receiver-certificate';
import { freePort } from './free-port.mjs';

const ROOT = path.join(import.meta.dirname, '..');
const DAY = 86_400_000;
const EMAIL = 'ada@pay.example';
const PASSWORD = 'four lamps under a quiet bridge';
const [pictures] = process.argv.slice(2);
const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-story-'));
const began = performance.now();
const log = (what: string) => console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${what}`);
const ends: (() => unknown)[] = [() => fs.rmSync(directory, { recursive: true, force: true })];

try {
  await story();
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  for (const end of ends.toReversed()) await end();
}
process.exit();

async function story(): Promise<void> {
  const node = await startLiveNode(Date.now());
  const mining = setInterval(() => node.mine([], Math.trunc(Date.now() / 1000)), 2000);
  const mails = await startMailServer();
  ends.push(
    () => clearInterval(mining),
    () => node.close(),
    () => mails.close(),
  );
  const port = await freePort();
  const publicUrl = await startProxy(port);
  const link = await startInstallation(port, publicUrl);
  log('the installation prints its link');

  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--ignore-certificate-errors'],
  });
  ends.push(() => browser.close());
  const context = await browser.newContext({ ignoreHTTPSErrors: true, bypassCSP: true, locale: 'en-US' });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await addAuthenticator(page);

  await page.goto(link);
  await page.getByLabel('Your name').fill('Ada');
  await page.getByLabel('E-mail').fill(EMAIL);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await look(page, '1-operator');
  await page.getByRole('button', { name: 'Create the operator' }).click();
  await page.waitForURL(({ pathname }) => pathname === '/dashboard/account');
  log('the operator is made and signed in');
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Key');
  await dialog.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByRole('button', { name: /saved|kept|written/i }).click();
  await page.getByRole('link', { name: 'Go on with the set-up' }).click();
  await page.getByRole('heading', { name: 'Set up this installation' }).waitFor();
  log('the passkey is set up');
  await look(page, '2-empty');

  const ethereum = page.locator('details', { hasText: 'Ethereum' });
  await ethereum.locator('summary').click();
  await ethereum.getByLabel('Endpoints').fill('http://127.0.0.1:9/wrong');
  await ethereum.getByRole('button', { name: 'Try and save' }).click();
  await ethereum.getByText('because an endpoint failed').first().waitFor();
  await look(page, '3-wrong-endpoint');
  await ethereum.getByLabel('Endpoints').fill(node.url);
  await ethereum.getByRole('button', { name: 'Try and save' }).click();
  await ethereum.getByText('1 endpoint saved').waitFor();
  log('a network is tried and saved');
  await page.getByLabel('Mail server').fill('127.0.0.1');
  await page.getByLabel('Port').fill(String(mails.port));
  await page.getByLabel('Encryption').selectOption('none');
  await page.getByLabel('Sender').fill('no-reply@pay.example');
  await page.getByRole('button', { name: 'Send a test mail and save' }).click();
  await page.getByText(`A test mail is on its way to ${EMAIL}`).waitFor();
  log('the test mail arrived');
  await page.getByLabel('Per refund').fill('1,000');
  await page.getByLabel('Two operators approve above').fill('500.00');
  await page.getByRole('button', { name: 'Set limits' }).click();
  await page.getByText('Confirm the words of the wallet first.').waitFor();
  await writeDownWords();
  await page.getByText('The words were written down and confirmed.').waitFor();
  log('the words are confirmed');
  await look(page, '4-ready');
  await page.getByRole('button', { name: 'Finish the set-up' }).click();
  await page.waitForURL(({ pathname }) => pathname === '/operator');
  await page.getByRole('heading', { name: 'What needs you now' }).waitFor();
  log('ready for live');
  await look(page, '5-console');
  const left = await page.getByText('Not set up').count();
  if (left !== 1) throw new Error(`${left} unfinished steps are listed; only the second operator should be`);
  const again = await context.request.post(`${publicUrl}/api/dashboard/operator/setup/finish`, {
    data: {},
    headers: { origin: publicUrl, 'sec-fetch-site': 'same-origin' },
  });
  if (again.status() !== 404) throw new Error(`the set-up is still open: ${again.status()}`);
  const status = (await (await context.request.get(`${publicUrl}/status.json`)).text()).includes('ethereum');
  if (!status) throw new Error('the live network is not followed');
  log('the set-up is closed, and the network is followed');
}

/** TLS in front of the installation, as an operator has it. */
async function startProxy(port: number): Promise<string> {
  const own = await freePort();
  const now = Date.now();
  const certificate = selfSigned('localhost', new Date(now - DAY), new Date(now + DAY));
  const server = https.createServer(certificate, (request, response) => {
    const headers = { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'https' };
    void passOn({ hostname: '127.0.0.1', port, headers }, request, response);
  });
  await new Promise<void>((resolve) => server.listen(own, '127.0.0.1', resolve));
  ends.push(() => server.closeAllConnections());
  return `https://localhost:${own}`;
}

/** Resolves to the link for the first operator. */
async function startInstallation(port: number, publicUrl: string): Promise<string> {
  const environment = { PORT: String(port), PUBLIC_URL: publicUrl, TRUSTED_PROXIES: '127.0.0.1/32', SANDBOX: 'off' };
  const child = spawn(process.execPath, [path.join(ROOT, 'scripts/start.mjs')], {
    env: { ...process.env, ...environment, DATA_DIR: directory },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  ends.push(
    () =>
      new Promise((resolve) => {
        child.once('exit', resolve);
        child.kill('SIGTERM');
      }),
  );
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      console.log(`          ${line.replace(/token=.*/, 'token=…')}`);
      const [found] = /https:\/\/\S+\/setup\?token=\S+/.exec(line) ?? [];
      if (found) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`the start ended with ${code}`)));
  });
}

async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
}

/** What a person does at the terminal; the command itself refuses to run without one (lib/signer/words.test.ts). */
async function writeDownWords(): Promise<void> {
  const { KEYSTORE_PASSPHRASE } = JSON.parse(fs.readFileSync(path.join(directory, 'secrets.json'), 'utf8')) as Record<
    string,
    string
  >;
  const settings = readSignerSettings({ KEYSTORE_FILE: path.join(directory, 'keystore.json'), KEYSTORE_PASSPHRASE });
  const shown = new Map<number, string>();
  await confirmWords(settings, {
    isTerminal: true,
    print: (text) => {
      const [, number, word] = /^ ?(\d+) {2}([a-z]+)$/.exec(text) ?? [];
      if (word !== undefined) shown.set(Number(number), word);
    },
    ask: async (question) => shown.get(Number(/^Word (\d+)/.exec(question)?.[1] ?? 0)) ?? '',
  });
}

/** Pictures on a desktop and on a phone, and what a screen reader would stumble over. */
async function look(page: Page, name: string): Promise<void> {
  for (const [device, width, height] of [
    ['desktop', 1280, 900],
    ['phone', 390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    if (pictures) await page.screenshot({ path: path.join(pictures, `${name}-${device}.png`), fullPage: true });
    const tooWide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
    if (tooWide) throw new Error(`${name} is wider than a ${device}`);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.evaluate(axe.source);
  const faults = await page.evaluate(async () => {
    const { violations } = await (window as unknown as { axe: typeof axe }).axe.run();
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  });
  if (faults.length > 0) throw new Error(`${name}: ${faults.join('\n')}`);
}

// Game days: each button of the sandbox's page causes its incident, the operator sees it where the runbook says, and it is over after the
// mend. They stop the whole installation, so this runs alone (playwright.config.ts).

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { asOperator, otherPage, seriousFaults } from './console';
import { ROOT } from './http-client';
import { expect, test } from './story';

test.describe.configure({ mode: 'serial' });

const SOON = { timeout: 180_000 };
const statusOf = async (url: string): Promise<string> =>
  ((await (await fetch(`${url}/status`)).json()) as { status: string }).status;

/** Whether the overview of the operator console has a text, or has it no more. */
const overview = (page: Page, text: string, isShown = true): Promise<void> =>
  expect(async () => {
    await page.goto('/operator');
    await expect(page.getByRole('heading', { name: 'What needs you now' })).toBeVisible({ timeout: 2000 });
    const found = page.getByRole('main').getByText(text, { exact: true });
    if (isShown) await expect(found.first()).toBeVisible({ timeout: 1000 });
    else await expect(found).toHaveCount(0, { timeout: 1000 });
  }).toPass(SOON);

async function press(desk: Page, button: string): Promise<void> {
  await desk.goto('/sandbox');
  await desk.getByRole('region', { name: 'Game day' }).getByRole('button', { name: button }).click();
  await expect(desk).toHaveURL(/\/sandbox$/, SOON);
}

/** Causes an incident, looks at it, and ends it in any case. */
async function incident(desk: Page, [cause, mend]: readonly [string, string], look: () => Promise<void>) {
  await press(desk, cause);
  try {
    await look();
  } finally {
    await press(desk, mend);
  }
}

test('an endpoint that is away, a wallet without coin and a merchant’s server that is down are seen, and end with their cause', async ({
  page,
  browser,
  baseURL,
  merchant,
}) => {
  test.setTimeout(600_000);
  const desk = await otherPage(browser, baseURL as string);
  await desk.goto('/sandbox');
  expect(await seriousFaults(desk)).toEqual([]);
  await asOperator(page);

  const order = await merchant.create();
  const answers = async (): Promise<(number | null)[]> => {
    const answer = await fetch(`${baseURL}/sandbox/webhooks?contains=${order.id}`);
    const { received } = (await answer.json()) as { received: { answered: number | null }[] };
    return received.map(({ answered }) => answered);
  };
  const empty = ['Empty the refund wallet’s coin', 'Send coin to the refund wallet'] as const;
  await incident(desk, ['Take the merchants’ server down', 'Bring the merchants’ server back'], async () => {
    await merchant.pay(order.id, {});
    await expect.poll(answers, SOON).toContain(503);
  });
  await expect.poll(answers, SOON).toContain(200);
  await incident(desk, empty, () => overview(page, 'No coin for network fees'));
  await overview(page, 'No coin for network fees', false);

  const waiting = await merchant.create();
  await incident(desk, ['Take the endpoint away', 'Bring the endpoint back'], async () => {
    await merchant.pay(waiting.id, { network: 'ethereum' });
    await overview(page, 'Networks have problems');
    expect(await statusOf(waiting.url)).toBe('PENDING');
  });
  await expect.poll(() => statusOf(waiting.url), SOON).toBe('COMPLETED');
  await overview(page, 'Networks have problems', false);
});

test('without its signer, its addresses, its worker or writes, the installation says so, and goes on by itself afterwards', async ({
  page,
  browser,
  baseURL,
  merchant,
}) => {
  test.setTimeout(600_000);
  const desk = await otherPage(browser, baseURL as string);
  await asOperator(page);
  await incident(desk, ['Stop the signer', 'Start the signer'], () => overview(page, 'The signer does not answer'));
  await overview(page, 'The signer does not answer', false);

  await incident(desk, ['Discard the deposit addresses', 'Let the signer make new ones'], async () => {
    await expect(merchant.create()).rejects.toThrow('503');
    await page.goto('/operator/health');
    await expect(page.getByText('Low: check that the worker and the signer run.')).toBeVisible();
  });
  await expect(async () => void (await merchant.create())).toPass(SOON);

  const order = await merchant.create();
  await incident(desk, ['Stop the worker', 'Start the worker'], async () => {
    await merchant.pay(order.id, {});
    await overview(page, 'Networks have problems');
    expect(await statusOf(order.url)).toBe('PENDING');
  });
  await expect.poll(() => statusOf(order.url), SOON).toBe('COMPLETED');

  const ready = async (): Promise<unknown> => (await fetch(`${baseURL}/readyz`)).json();
  await incident(desk, ['Make the database read-only', 'Let the database take writes'], async () => {
    await expect.poll(ready, SOON).toEqual({ status: 'unavailable', reasons: ['read_only'] });
    await expect(merchant.create()).rejects.toThrow('503');
  });
  await expect.poll(ready, SOON).toEqual({ status: 'ok' });
  await expect(async () => void (await merchant.create())).toPass(SOON);
});

test('a theft stops signing at once and is a discrepancy; both end when the money is back and the signer’s terminal unfreezes it', async ({
  page,
  browser,
  baseURL,
  merchant,
}) => {
  test.setTimeout(600_000);
  const desk = await otherPage(browser, baseURL as string);
  await asOperator(page);
  const order = await merchant.create();
  await merchant.pay(order.id, { network: 'ethereum' });
  await expect.poll(() => statusOf(order.url)).toBe('COMPLETED');
  await incident(desk, ['Let a thief take 1,000 USDT', 'Put 1,000 USDT back'], async () => {
    await overview(page, 'Ledger and chain differ');
    await expect(page.getByRole('main').getByText('Signing is stopped', { exact: true }).first()).toBeVisible();
  });
  await overview(page, 'Ledger and chain differ', false);
  const { refund_id: refund } = await merchant.refund(order.id);
  await expect.poll(async () => (await merchant.readRefund(refund)).hold?.reason).toBe('frozen');
  // It may freeze once more, as the runbook says.
  await expect(async () => {
    await unfreeze();
    await expect.poll(async () => (await merchant.readRefund(refund)).status).toBe('completed');
  }).toPass({ timeout: 300_000 });
});

/** As in docs/operate/runbooks/signer-frozen.md, at a terminal that `script` makes. */
async function unfreeze(): Promise<void> {
  const directory = path.resolve(path.dirname(process.env.SANDBOX_JSON ?? '.data/sandbox.json'));
  const secrets = JSON.parse(readFileSync(path.join(directory, 'secrets.json'), 'utf8')) as Record<string, string>;
  const command = `${process.execPath} scripts/stabletill.mjs signer unfreeze`;
  const terminal = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: ROOT,
    env: { ...process.env, DATA_DIR: directory },
  });
  let shown = '';
  for (const stream of [terminal.stdout, terminal.stderr])
    stream.on('data', (chunk: Buffer) => (shown += String(chunk)));
  const ended = new Promise((resolve) => terminal.once('close', resolve));
  await expect.poll(() => shown).toContain('Passphrase');
  terminal.stdin.write(`${secrets.KEYSTORE_PASSPHRASE}\r`);
  await expect.poll(() => shown).toContain('Type "unfreeze"');
  terminal.stdin.write('unfreeze\r');
  await ended;
  expect(shown).toContain('signs again');
}
